// What a program finds set for signals that end it, and what follows when they come: its first argument says what it
// does.
//   asked       the actions are the default ones, whoever asks and by whichever call; its own are its own
//   inherited   prints "SIGHUP is ignored" or "SIGHUP is not ignored", then sends it to itself
//   child       a child of fork() and a program executed by it die by SIGTERM
//   overflow    the last thread of a team uses up its stack; there is a handler for that, on the stack
//   asleep      prints "ready", then "awake" should it ever wake up
// flags: -Wno-deprecated-declarations -Wno-infinite-recursion
#include <errno.h>
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const int ending[] = {SIGHUP, SIGINT, SIGTERM, SIGALRM, SIGXCPU};
enum { count = sizeof ending / sizeof ending[0] };

static volatile sig_atomic_t arrived;
static void arrive(int number) { arrived = number; }

static int wrong(const char* what, int number) {
  printf("%s: signal %d\n", what, number);
  return 1;
}

static int is_default(int number) {
  struct sigaction now;
  memset(&now, 0xff, sizeof now);
  return sigaction(number, NULL, &now) == 0 && now.sa_handler == SIG_DFL && !(now.sa_flags & SA_SIGINFO);
}

static int asked(void) {
  for (int i = 0; i < count; i++) {
    const int number = ending[i];
    struct sigaction action, before;
    if (!is_default(number))
      return wrong("not the default action at first", number);
    memset(&action, 0, sizeof action);
    action.sa_handler = arrive;
    if (sigaction(number, &action, &before) != 0 || before.sa_handler != SIG_DFL)
      return wrong("not the default action before a handler", number);
    arrived = 0;
    raise(number);
    if (arrived != number)
      return wrong("the handler did not run", number);
    if (signal(number, SIG_DFL) != arrive || !is_default(number))
      return wrong("the handler is not told, or the default action not set", number);
    if (signal(number, arrive) != SIG_DFL || signal(number, SIG_IGN) != arrive || signal(number, SIG_DFL) != SIG_IGN)
      return wrong("signal() tells something else", number);
    if (sysv_signal(number, arrive) != SIG_DFL)
      return wrong("sysv_signal() tells something else", number);
    raise(number); // for one signal
    if (arrived != number || !is_default(number))
      return wrong("not the default action after the one signal", number);
    if (sigset(number, arrive) != SIG_DFL || sigset(number, SIG_DFL) != arrive)
      return wrong("sigset() tells something else", number);
    if (sigignore(number) != 0 || signal(number, SIG_DFL) != SIG_IGN || siginterrupt(number, 1) != 0 ||
        !is_default(number))
      return wrong("sigignore() or siginterrupt() is not heeded", number);
  }
  if (signal(SIGKILL, arrive) != SIG_ERR || errno != EINVAL || signal(NSIG, arrive) != SIG_ERR || errno != EINVAL)
    return wrong("SIGKILL or none has got a handler", SIGKILL);
  return 0;
}

static int inherited(void) {
  printf("SIGHUP is %s\n", signal(SIGHUP, SIG_DFL) == SIG_IGN ? "ignored" : "not ignored");
  signal(SIGHUP, SIG_IGN);
  fflush(stdout);
  kill(getpid(), SIGHUP);
  return 0;
}

static int ended_by(pid_t child) {
  int status = 0;
  if (waitpid(child, &status, 0) != child)
    return 0;
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static int child(void) {
  pid_t pid = fork();
  if (pid == 0) {
    if (!is_default(SIGTERM))
      _exit(1);
    raise(SIGTERM);
    _exit(2);
  }
  if (ended_by(pid) != SIGTERM)
    return wrong("the child did not end by", SIGTERM);
  pid = fork();
  if (pid == 0) {
    execlp("sh", "sh", "-c", "kill -TERM $$; exit 3", (char*)NULL);
    _exit(4);
  }
  if (ended_by(pid) != SIGTERM)
    return wrong("the program it executed did not end by", SIGTERM);
  pid = vfork();
  if (pid == 0) {
    kill(getpid(), SIGTERM);
    _exit(5);
  }
  return ended_by(pid) == SIGTERM ? 0 : wrong("the child of vfork() did not end by", SIGTERM);
}

static int asleep(void) {
  printf("ready\n");
  fflush(stdout);
  sleep(60);
  printf("awake\n");
  return 0;
}

static int use_up(volatile char* above) {
  volatile char here[4096];
  here[0] = above[0];
  return use_up(here) + here[1];
}

static int overflow(void) {
  signal(SIGSEGV, arrive);
  int sum = 0;
#pragma omp parallel reduction(+ : sum)
  if (omp_get_thread_num() == omp_get_num_threads() - 1) {
    volatile char first[1] = {0};
    sum += use_up(first);
  }
  return sum;
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "asked";
  int threads = 0;
#pragma omp parallel reduction(+ : threads)
  threads++;
  if (strcmp(what, "asked") == 0)
    return asked();
  if (strcmp(what, "inherited") == 0)
    return inherited();
  if (strcmp(what, "child") == 0)
    return child();
  if (strcmp(what, "overflow") == 0)
    return overflow();
  return strcmp(what, "asleep") == 0 ? asleep() : 99;
}
