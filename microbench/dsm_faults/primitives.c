/* The two halves of a DSM fault, each by the most direct means there are: a userfaultfd fault resolved by
 * another thread (user_faults.c), and a request with its reply between blocked threads of two processes
 * (here). */
#define _GNU_SOURCE /* sched_setaffinity */
#include "primitives.h"
#include "samples.h"

#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

void pin_thread(int cpu) {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  CPU_SET(cpu, &cpus);
  if (sched_setaffinity(0, sizeof cpus, &cpus) != 0) {
    perror("dsm_faults: cannot pin a thread");
    exit(2);
  }
}

int raise_priority(void) {
  const struct sched_param parameters = {.sched_priority = 1};
  return sched_setscheduler(0, SCHED_FIFO, &parameters) == 0;
}

void lower_priority(void) {
  const struct sched_param parameters = {.sched_priority = 0};
  sched_setscheduler(0, SCHED_OTHER, &parameters);
}

/* What the two processes share. The event descriptors order the accesses: a write(2) to one happens before
 * the read(2) that takes it. */
typedef struct {
  struct {
    uint32_t page;
    int with_content;
  } request;
  char reply[PAGE_BYTES];
} Mailbox;

static void wait_for(int event) {
  struct pollfd entry = {.fd = event, .events = POLLIN};
  uint64_t value;
  do
    poll(&entry, 1, -1);
  while (read(event, &value, sizeof value) != sizeof value);
}

static void signal_event(int event) {
  const uint64_t one = 1;
  if (write(event, &one, sizeof one) != sizeof one)
    exit(2);
}

/* The other process: owns the pages, answers until it is killed. */
static void answer_requests(Mailbox* mailbox, int request, int reply, size_t pages, int cpu) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  pin_thread(cpu);
  char* memory = malloc(pages * PAGE_BYTES);
  if (!memory)
    exit(2);
  memset(memory, 1, pages * PAGE_BYTES);
  raise_priority();
  signal_event(reply); /* ready */
  for (;;) {
    wait_for(request);
    if (mailbox->request.with_content)
      memcpy(mailbox->reply, memory + (size_t)mailbox->request.page * PAGE_BYTES, PAGE_BYTES);
    signal_event(reply);
  }
}

static void exchange(Mailbox* mailbox, int request, int reply, const uint32_t* order, size_t count, int with_content,
                     uint64_t* ns) {
  for (size_t i = 0; i < count; ++i) {
    const uint64_t start = now_ns();
    mailbox->request.page = order[i];
    mailbox->request.with_content = with_content;
    signal_event(request);
    wait_for(reply);
    ns[i] = now_ns() - start;
  }
}

int measure_exchange(size_t count, const int cpus[2]) {
  Mailbox* mailbox = mmap(NULL, sizeof *mailbox, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  const int request = eventfd(0, EFD_NONBLOCK), reply = eventfd(0, EFD_NONBLOCK);
  uint64_t* ns = malloc(count * sizeof *ns);
  uint32_t* order = malloc(count * sizeof *order);
  if (mailbox == MAP_FAILED || request < 0 || reply < 0 || !ns || !order)
    return 2;
  shuffle(order, count);
  const pid_t other = fork();
  if (other < 0)
    return 2;
  if (other == 0)
    answer_requests(mailbox, request, reply, count, cpus[0]);
  pin_thread(cpus[1]);
  wait_for(reply);
  printf("exchange at real-time priority: %s\n", raise_priority() ? "yes" : "no");
  exchange(mailbox, request, reply, order, count, 1, ns);
  report_times("request and 4 KiB reply", ns, count);
  exchange(mailbox, request, reply, order, count, 0, ns);
  report_times("request and empty reply", ns, count);
  kill(other, SIGKILL);
  waitpid(other, NULL, 0);
  lower_priority();
  free(order);
  free(ns);
  close(request);
  close(reply);
  munmap(mailbox, sizeof *mailbox);
  return 0;
}

int measure_primitives(size_t count, const int cpus[2]) {
  printf("method: userfaultfd faults of one thread resolved by another on the same CPU %d (poll, read, one "
         "ioctl that "
         "also wakes); then requests from CPU %d to a process on CPU %d, both threads blocked in poll on event "
         "descriptors, replies through shared memory; %zu of each\n",
         cpus[1], cpus[1], cpus[0], count);
  const int failed = measure_user_faults(count, cpus[1]);
  return failed ? failed : measure_exchange(count, cpus);
}
