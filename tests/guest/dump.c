// What a core dump of this process would hold, by the kernel's own marks: "MIB MIB main heap other" with the dumped
// address space in MiB of this process and of a thread's of the last node, and what of their memory is in it. With
// "crash": a segmentation fault in main.
#include <inttypes.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { bytes = 3 << 20 };

struct facts {
  long mib;
  int has; // bits, in the order of the addresses
};

static struct facts read_facts(const void* const* addresses, int count) {
  struct facts facts = {0, 0};
  char line[512];
  uintptr_t begin = 0, end = 0;
  long anonymous = 0;
  FILE* maps = fopen("/proc/self/smaps", "r");
  while (maps && fgets(line, sizeof line, maps)) {
    uintptr_t from, to;
    if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " ", &from, &to) == 2 && strchr(line, '-') < strchr(line, ' ')) {
      begin = from;
      end = to;
    }
    sscanf(line, "Anonymous: %ld", &anonymous);
    // Never touched since it was mapped: the kernel leaves it out. In pieces of one mapping, of which others were
    // touched, it does not.
    if (strncmp(line, "VmFlags:", 8) == 0 && !strstr(line, " dd") && (anonymous || end - begin > (uintptr_t)1 << 30)) {
      if (strstr(line, " rd") && strstr(line, " wr"))
        facts.mib += (long)((end - begin) >> 20);
      for (int i = 0; i < count; ++i)
        if ((uintptr_t)addresses[i] >= begin && (uintptr_t)addresses[i] < end)
          facts.has |= 1 << i;
    }
  }
  if (maps)
    fclose(maps);
  return facts;
}

int main(int count, char** words) {
  int local = 17;
  char* block = malloc(bytes);
  char* volatile others = NULL;
  struct facts elsewhere = {0, 0};
  memset(block, 1, bytes);
#pragma omp parallel num_threads(4)
  {
    if (omp_get_thread_num() == 3) {
      others = malloc(bytes);
      memset(others, 2, bytes);
      const void* asked[] = {block, others};
      const int seen = block[bytes / 2]; // so that a copy is here
      elsewhere = read_facts(asked, 2);
      elsewhere.has += seen - 1;
    }
  }
  const int back = others[bytes / 2];
  const void* asked[] = {&local, block, others + bytes / 2};
  const struct facts here = read_facts(asked, 3);
  if (count > 1 && strcmp(words[1], "crash") == 0)
    *(volatile int*)8 = back;
  printf("%ld %ld %d %d\n", here.mib, elsewhere.mib, here.has, elsewhere.has);
  return 0;
}
