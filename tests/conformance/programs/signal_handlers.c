// What a program sets for signals holds for every thread, whichever thread sets it: handlers run where the signal is
// met.
// run:
// run: HETMP_REPORT=/dev/null HETMP_TRACE=/dev/null
#include <errno.h>
#include <omp.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { most_threads = 64, page = 4096, pages = 64 };

static int failures;
static void fail(const char* what, int thread) {
#pragma omp critical
  {
    fprintf(stderr, "%s (thread %d)\n", what, thread);
    failures++;
  }
}

static sigjmp_buf back[most_threads];
static volatile int met[most_threads];
static void* volatile where[most_threads];

static void leave(int number, siginfo_t* info, void* context) {
  (void)context;
  const int thread = omp_get_thread_num();
  met[thread] = number;
  where[thread] = info->si_addr;
  siglongjmp(back[thread], 1);
}

static volatile int counted[most_threads];
static void count(int number) { counted[omp_get_thread_num()] += number; }
static void other(int number) { counted[omp_get_thread_num()] -= number; }

static char* guarded;
static volatile int opened;
static void open_page(int number, siginfo_t* info, void* context) {
  (void)number;
  (void)context;
  char* begin = guarded + ((char*)info->si_addr - guarded) / page * page;
  opened = mprotect(begin, page, PROT_READ | PROT_WRITE) == 0;
}

static void set(int number, void (*handler)(int, siginfo_t*, void*), int flags) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO | flags;
  if (sigaction(number, &action, NULL) != 0)
    fail("sigaction() failed", omp_get_thread_num());
}

/// A fault of each thread, handled by leaving the handler for where the thread was before.
static void faults_of_all_threads(void) {
  set(SIGSEGV, leave, SA_NODEFER);
  static int* volatile nowhere = (int*)16;
#pragma omp parallel num_threads(4)
  {
    const int thread = omp_get_thread_num();
    for (int i = 0; i < 3; i++) {
      met[thread] = 0;
      if (sigsetjmp(back[thread], 1) == 0) {
        *nowhere = thread;
        fail("a write to nowhere", thread);
      }
      if (met[thread] != SIGSEGV || where[thread] != (void*)nowhere)
        fail("the handler did not run for this thread's fault", thread);
    }
  }
  signal(SIGSEGV, SIG_DFL);
}

/// Set by the last thread, raised by all; then by another call, and asked for by all.
static void set_by_any_thread(void) {
#pragma omp parallel num_threads(4)
  {
    const int thread = omp_get_thread_num(), last = omp_get_num_threads() - 1;
    counted[thread] = 0;
#pragma omp barrier
    if (thread == last && signal(SIGUSR1, count) != SIG_DFL)
      fail("SIGUSR1 had a handler", thread);
#pragma omp barrier
    struct sigaction now;
    if (sigaction(SIGUSR1, NULL, &now) != 0 || now.sa_handler != count || !(now.sa_flags & SA_RESTART))
      fail("asked, another handler is told", thread);
    if (raise(SIGUSR1) != 0 || raise(SIGUSR1) != 0 || counted[thread] != 2 * SIGUSR1)
      fail("the handler that the last thread has set did not run", thread);
#pragma omp barrier
    if (thread == 0 && signal(SIGUSR1, other) != count)
      fail("another handler was told when it was replaced", thread);
#pragma omp barrier
    raise(SIGUSR1);
    if (counted[thread] != SIGUSR1)
      fail("the handler that the first thread has set did not run", thread);
#pragma omp barrier
#pragma omp single
    signal(SIGUSR1, SIG_IGN);
    if (raise(SIGUSR1) != 0 || counted[thread] != SIGUSR1)
      fail("an ignored signal was handled", thread);
  }
  signal(SIGUSR1, SIG_DFL);
}

/// A signal that comes from outside has one handler, and everybody is told the same.
static void told_of_signals_from_outside(void) {
#pragma omp parallel num_threads(4)
  {
    const int thread = omp_get_thread_num(), last = omp_get_num_threads() - 1;
    struct sigaction now;
#pragma omp barrier
    if (thread == last && signal(SIGTERM, count) != SIG_DFL)
      fail("SIGTERM had a handler", thread);
#pragma omp barrier
    if (sigaction(SIGTERM, NULL, &now) != 0 || now.sa_handler != count)
      fail("asked for SIGTERM, another handler is told", thread);
#pragma omp barrier
    if (thread == 0) {
      counted[0] = 0;
      raise(SIGTERM);
      if (counted[0] != SIGTERM)
        fail("the handler of SIGTERM did not run", thread);
      signal(SIGTERM, SIG_DFL);
    }
#pragma omp barrier
    if (sigaction(SIGTERM, NULL, &now) != 0 || now.sa_handler != SIG_DFL)
      fail("asked for SIGTERM, no default action is told", thread);
  }
}

/// A pipe that nobody reads.
static void ignored_everywhere(void) {
  int ends[2];
  if (pipe(ends) != 0)
    return fail("no pipe", 0);
  close(ends[0]);
  signal(SIGPIPE, SIG_IGN);
#pragma omp parallel num_threads(4)
  if (write(ends[1], "x", 1) != -1 || errno != EPIPE)
    fail("a pipe without a reader took something", omp_get_thread_num());
  signal(SIGPIPE, SIG_DFL);
  close(ends[1]);
}

/// What collectors of garbage and other write barriers do.
static void a_write_barrier(void) {
  guarded = mmap(NULL, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memset(guarded, 1, pages * page);
  set(SIGSEGV, open_page, 0);
  if (mprotect(guarded, pages * page, PROT_READ) != 0)
    fail("mprotect() failed", 0);
#pragma omp parallel for num_threads(4) schedule(static)
  for (int i = 0; i < pages; i++)
    guarded[i * page + 7]++;
  for (int i = 0; i < pages; i++)
    if (guarded[i * page + 7] != 2 || guarded[i * page + 8] != 1)
      fail("a page was not written through its barrier", i);
  signal(SIGSEGV, SIG_DFL);
  munmap(guarded, pages * page);
}

/// What a child sets before it executes something is its own.
static void set_by_a_child(void) {
  signal(SIGUSR2, count);
  int status = 0;
  const pid_t child = vfork();
  if (child == 0) {
    signal(SIGUSR2, SIG_IGN);
    execlp("true", "true", (char*)NULL);
    _exit(1);
  }
  if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
    fail("the child failed", status);
#pragma omp parallel num_threads(4)
  {
    const int thread = omp_get_thread_num();
    counted[thread] = 0;
    raise(SIGUSR2);
    if (counted[thread] != SIGUSR2)
      fail("a child has changed a handler of its parent", thread);
  }
  signal(SIGUSR2, SIG_DFL);
}

int main(void) {
  faults_of_all_threads();
  set_by_any_thread();
  told_of_signals_from_outside();
  ignored_everywhere();
  a_write_barrier();
  set_by_a_child();
  return failures != 0;
}
