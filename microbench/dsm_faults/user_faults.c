/* A userfaultfd fault, resolved by a blocked thread of the same process on the same CPU: on absent pages (by
 * reads and by writes) and on write-protected ones. */
#include "primitives.h"
#include "samples.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef struct {
  int descriptor, cpu, real_time;
  char content[PAGE_BYTES];
} Handler;

static int open_descriptor(void) {
  int descriptor = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0)
    descriptor = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | 1 /* UFFD_USER_MODE_ONLY */);
  struct uffdio_api api = {.api = UFFD_API, .features = UFFD_FEATURE_PAGEFAULT_FLAG_WP};
  if (descriptor < 0 || ioctl(descriptor, UFFDIO_API, &api) != 0) {
    perror("dsm_faults: userfaultfd");
    exit(2);
  }
  return descriptor;
}

static int is_unwelcome(int failed) { return failed && errno != EAGAIN && errno != EEXIST; }

static void resolve(Handler* handler, const struct uffd_msg* message) {
  const unsigned long long page = message->arg.pagefault.address & ~(unsigned long long)(PAGE_BYTES - 1);
  const unsigned long long flags = message->arg.pagefault.flags;
  int failed;
  if (flags & UFFD_PAGEFAULT_FLAG_WP) {
    struct uffdio_writeprotect change = {.range = {page, PAGE_BYTES}, .mode = 0};
    failed = ioctl(handler->descriptor, UFFDIO_WRITEPROTECT, &change);
  } else {
    struct uffdio_copy copy = {.dst = page,
                               .src = (unsigned long long)(uintptr_t)handler->content,
                               .len = PAGE_BYTES,
                               .mode = flags & UFFD_PAGEFAULT_FLAG_WRITE ? 0 : UFFDIO_COPY_MODE_WP};
    failed = ioctl(handler->descriptor, UFFDIO_COPY, &copy);
  }
  if (is_unwelcome(failed)) {
    perror("dsm_faults: resolving a fault");
    exit(2);
  }
}

static void* handle_faults(void* argument) {
  Handler* handler = argument;
  pin_thread(handler->cpu);
  handler->real_time = raise_priority();
  struct pollfd entry = {.fd = handler->descriptor, .events = POLLIN};
  for (;;) {
    struct uffd_msg message;
    poll(&entry, 1, -1);
    if (read(handler->descriptor, &message, sizeof message) == sizeof message)
      resolve(handler, &message);
  }
  return NULL;
}

static char* watched_pages(int descriptor, size_t count) {
  char* pages = mmap(NULL, count * PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  struct uffdio_register range = {.range = {(unsigned long long)(uintptr_t)pages, count * PAGE_BYTES},
                                  .mode = UFFDIO_REGISTER_MODE_MISSING | UFFDIO_REGISTER_MODE_WP};
  if (pages == MAP_FAILED || ioctl(descriptor, UFFDIO_REGISTER, &range) != 0) {
    perror("dsm_faults: userfaultfd registration");
    exit(2);
  }
  return pages;
}

static void time_accesses(volatile char* pages, const uint32_t* order, size_t count, int write_them, uint64_t* ns) {
  for (size_t i = 0; i < count; ++i) {
    volatile char* page = pages + (size_t)order[i] * PAGE_BYTES;
    const uint64_t start = now_ns();
    if (write_them)
      *page = 2;
    else
      (void)*page;
    ns[i] = now_ns() - start;
  }
}

int measure_user_faults(size_t count, int cpu) {
  static Handler handler;
  handler.descriptor = open_descriptor();
  handler.cpu = cpu;
  memset(handler.content, 1, sizeof handler.content);
  uint64_t* ns = malloc(count * sizeof *ns);
  uint32_t* order = malloc(count * sizeof *order);
  if (!ns || !order)
    return 2;
  shuffle(order, count);
  char* read_first = watched_pages(handler.descriptor, count);
  char* written_first = watched_pages(handler.descriptor, count);
  pin_thread(cpu);
  pthread_t thread;
  if (pthread_create(&thread, NULL, handle_faults, &handler) != 0)
    return 2;
  time_accesses(read_first, order, count, 0, ns);
  printf("fault handler at real-time priority: %s\n", handler.real_time ? "yes" : "no");
  report_times("fault, missing, read", ns, count);
  time_accesses(read_first, order, count, 1, ns);
  report_times("fault, write-protected", ns, count);
  time_accesses(written_first, order, count, 1, ns);
  report_times("fault, missing, write", ns, count);
  free(order);
  free(ns);
  return 0; /* the handler ends with the process */
}
