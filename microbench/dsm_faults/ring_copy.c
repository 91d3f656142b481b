/* What moving pages through shared memory costs at least: one process copies them into a ring, another copies them
 * out. The ring is the DSM's in miniature: as many slots, whose data lie one behind the other, as many pages a
 * message; but both sides spin, at the priority of service threads, and nothing else is done. */
#include "primitives.h"
#include "samples.h"

#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SLOTS = 128, AT_ONCE = 32 };

typedef struct {
  _Alignas(64) _Atomic uint64_t head;
  _Alignas(64) _Atomic uint64_t tail;
  _Alignas(PAGE_BYTES) char data[SLOTS][PAGE_BYTES];
} Ring;

static void relax(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

static char* map(size_t bytes, int flags) {
  char* memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | flags, -1, 0);
  if (memory == MAP_FAILED)
    exit(2);
  return memory;
}

/* Each pair of accesses to `head` (release here, acquire below) hands slots over, each pair to `tail` hands them
 * back. */
static void copy_in(Ring* ring, const char* from, size_t pages) {
  for (size_t done = 0; done < pages; done += AT_ONCE) {
    while (done + AT_ONCE - atomic_load_explicit(&ring->tail, memory_order_acquire) > SLOTS)
      relax();
    memcpy(ring->data[done % SLOTS], from + done * PAGE_BYTES, AT_ONCE * PAGE_BYTES);
    atomic_store_explicit(&ring->head, done + AT_ONCE, memory_order_release);
  }
}

static void copy_out(Ring* ring, char* to, size_t pages) {
  for (size_t done = 0; done < pages; done += AT_ONCE) {
    while (atomic_load_explicit(&ring->head, memory_order_acquire) < done + AT_ONCE)
      relax();
    memcpy(to + done * PAGE_BYTES, ring->data[done % SLOTS], AT_ONCE * PAGE_BYTES);
    atomic_store_explicit(&ring->tail, done + AT_ONCE, memory_order_release);
  }
}

static void produce(Ring* ring, size_t pages, int cpu) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  pin_thread(cpu);
  char* source = map(pages * PAGE_BYTES, MAP_PRIVATE);
  memset(source, 1, pages * PAGE_BYTES);
  raise_priority();
  copy_in(ring, source, pages);
  _exit(0);
}

static double gibibytes_per_second(size_t pages, uint64_t ns) {
  return (double)(pages * PAGE_BYTES) / (double)(1 << 30) * 1e9 / (double)ns;
}

/* `present`: the memory that is copied to was used before; else the kernel still has to find it. */
static int measure_copies(size_t pages, const int cpus[2], int present) {
  Ring* ring = (Ring*)map(sizeof *ring, MAP_SHARED);
  memset(ring->data, 0, sizeof ring->data);
  const pid_t other = fork();
  if (other < 0)
    return 2;
  if (other == 0)
    produce(ring, pages, cpus[0]);
  pin_thread(cpus[1]);
  char* target = map(pages * PAGE_BYTES, MAP_PRIVATE); /* not before the fork: its pages would be copied on writing */
  if (present)
    memset(target, 2, pages * PAGE_BYTES);
  raise_priority();
  while (atomic_load_explicit(&ring->head, memory_order_acquire) < SLOTS) /* the source is written, the ring full */
    relax();
  const uint64_t start = now_ns();
  copy_out(ring, target, pages);
  const uint64_t ns = now_ns() - start;
  lower_priority();
  printf("pages through a ring, into %s memory: %.3f GiB/s\n", present ? "present" : "fresh",
         gibibytes_per_second(pages, ns));
  waitpid(other, NULL, 0);
  const int right = target[0] == 1 && target[pages * PAGE_BYTES - 1] == 1;
  munmap(target, pages * PAGE_BYTES);
  munmap(ring, sizeof *ring);
  return right ? 0 : 1;
}

int measure_ring(size_t mebibytes, const int cpus[2]) {
  const size_t pages = (mebibytes << 20) / PAGE_BYTES;
  printf("method: a process on CPU %d copies %zu MiB into a ring of %d pages, one on CPU %d copies them out, %d pages "
         "at a time, both spinning\n",
         cpus[0], mebibytes, SLOTS, cpus[1], AT_ONCE);
  const int failed = measure_copies(pages, cpus, 1);
  return failed ? failed : measure_copies(pages, cpus, 0);
}
