// Where its stack lies, asked in every way that programs do: garbage collectors, interpreters, runtimes of languages.
// By main and by the threads of a region. Says "right", or what is wrong.
#include <inttypes.h>
#include <linux/prctl.h>
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>

extern void* __libc_stack_end;

static int wrong;
static uintptr_t limit; // of main's stack
enum { slack = 256 << 10 };

static void expect(int holds, const char* who, const char* what) {
  if (!holds) {
#pragma omp atomic
    wrong++;
    fprintf(stderr, "%s: %s\n", who, what);
  }
}

/// Upwards from `local`, and no further than the stack may be large.
static int ends_at(uintptr_t end, const void* local) {
  const uintptr_t here = (uintptr_t)local;
  return end > here && end - here < limit + slack;
}

struct mapping {
  uintptr_t begin, end;
};

/// The one that holds the address or, if there is a name, that has it.
static struct mapping find_mapping(uintptr_t address, const char* name) {
  char line[512];
  struct mapping found = {0, 0};
  FILE* maps = fopen("/proc/self/maps", "r");
  while (maps && !found.end && fgets(line, sizeof line, maps)) {
    struct mapping each;
    if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR, &each.begin, &each.end) == 2 &&
        (name ? strstr(line, name) != NULL : each.begin <= address && address < each.end))
      found = each;
  }
  if (maps)
    fclose(maps);
  return found;
}

static uintptr_t start_of_stat(void) {
  char text[2048];
  FILE* stat = fopen("/proc/self/stat", "r");
  if (!stat || !fgets(text, sizeof text, stat))
    exit(3);
  fclose(stat);
  char* at = strrchr(text, ')');
  for (int field = 2; field < 28; ++field)
    at = strchr(at, ' ') + 1;
  return strtoull(at, NULL, 10);
}

static void ask_thread(const char* who, const void* local) {
  pthread_attr_t attributes;
  void* begin;
  size_t size;
  expect(pthread_getattr_np(pthread_self(), &attributes) == 0 && pthread_attr_getstack(&attributes, &begin, &size) == 0,
         who, "pthread_getattr_np fails");
  expect((char*)local >= (char*)begin && (char*)local < (char*)begin + size, who,
         "is not where pthread_getattr_np says");
  pthread_attr_destroy(&attributes);
}

static void ask_process(const char* who, const void* local) {
  expect(ends_at((uintptr_t)__libc_stack_end, local), who, "__libc_stack_end is not the end");
  expect(ends_at(find_mapping((uintptr_t)__libc_stack_end, NULL).end, local), who,
         "the mapping of __libc_stack_end ends elsewhere");
  unsigned size;
  if (prctl(PR_SET_MM, PR_SET_MM_MAP_SIZE, &size, 0, 0) != 0) // then the kernel cannot be told
    return;
  const struct mapping named = find_mapping(0, "[stack]");
  expect((uintptr_t)local >= named.begin && (uintptr_t)local < named.end, who,
         "[stack] of /proc/self/maps is another mapping");
  expect(ends_at(start_of_stat(), local), who, "/proc/self/stat has another stack");
}

int main(void) {
  int local = 0;
  struct rlimit now;
  getrlimit(RLIMIT_STACK, &now);
  limit = now.rlim_cur == RLIM_INFINITY ? (uintptr_t)1 << 40 : now.rlim_cur;
  const void* volatile here = &local;
  ask_process("main, before", (const void*)here);
  ask_thread("main, before", (const void*)here);
#pragma omp parallel num_threads(4)
  {
    int own = omp_get_thread_num();
    const void* volatile where = &own;
    ask_thread("a thread", (const void*)where);
#pragma omp atomic
    local += own;
    expect(ends_at((uintptr_t)__libc_stack_end, (const void*)here), "a thread",
           "__libc_stack_end is not the end of main's stack");
#pragma omp barrier
#pragma omp master
    ask_process("main, in a region", (const void*)here);
  }
  ask_process("main, afterwards", (const void*)here);
  ask_thread("main, afterwards", (const void*)here);
  printf("%s\n", wrong || local != 6 ? "wrong" : "right");
  return wrong != 0;
}
