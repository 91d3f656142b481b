// What is started on several nodes: its arguments say what it does.
//   nodes            the number of processes that its threads live in, and a sum that all of them work for
//   cpus             for each of its processes, the CPUs it may use, in the order of the threads
//   words WORD...    its arguments, its folder and the variable HOSTS_TEST
//   lines            standard input's number of lines
//   spin N           prints "ready", then stays in a region for N seconds or until it is ended
//   return C         returns C from main
//   exit-in-region C the last thread of a team, which is on another node if there is one, calls exit(C)
//   await-signal     prints "ready", waits for SIGUSR1, prints "signal", and goes on to work as for nodes
//   system C         runs the shell command C
#include <omp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { most_threads = 1024, cells = 40000 };
static int process_of[most_threads];
static cpu_set_t cpus_of[most_threads];
static int values[cells];
static volatile sig_atomic_t signalled;

static int look_at_threads(void) {
  int threads = 0;
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
    if (me < most_threads) {
      process_of[me] = (int)getpid();
      sched_getaffinity(0, sizeof(cpu_set_t), &cpus_of[me]);
    }
#pragma omp master
    threads = omp_get_num_threads();
  }
  return threads < most_threads ? threads : most_threads;
}

static int is_first_of_its_process(int thread) {
  for (int before = 0; before < thread; before++)
    if (process_of[before] == process_of[thread])
      return 0;
  return 1;
}

static void print_nodes(void) {
  const int threads = look_at_threads();
  int nodes = 0;
  for (int thread = 0; thread < threads; thread++)
    nodes += is_first_of_its_process(thread);
  long sum = 0;
#pragma omp parallel for schedule(runtime)
  for (int i = 0; i < cells; i++)
    values[i] = i % 7;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < cells; i++)
    sum += values[i];
  printf("nodes %d sum %ld\n", nodes, sum);
}

static void print_cpus(void) {
  const int threads = look_at_threads();
  for (int thread = 0; thread < threads; thread++) {
    if (!is_first_of_its_process(thread))
      continue;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
      if (CPU_ISSET(cpu, &cpus_of[thread]))
        printf(" %d", cpu);
    printf("\n");
  }
}

static void print_words(int count, char** words) {
  char folder[4096];
  for (int i = 0; i < count; i++)
    printf("[%s]\n", words[i]);
  printf("in %s\n", getcwd(folder, sizeof folder));
  const char* variable = getenv("HOSTS_TEST");
  printf("HOSTS_TEST=%s\n", variable ? variable : "");
}

static void print_lines(void) {
  int lines = 0;
  for (int c; (c = getchar()) != EOF;)
    lines += c == '\n';
  printf("%d lines\n", lines);
}

static void say_ready(void) {
  printf("ready\n");
  fflush(stdout);
}

static void spin(int seconds) {
#pragma omp parallel
  {
#pragma omp barrier
#pragma omp master
    say_ready();
    const time_t end = time(NULL) + seconds;
    volatile double x = 1;
    while (time(NULL) < end)
      for (int i = 0; i < 100000; i++)
        x = x * 1.0000001;
  }
}

static void take_signal(int number) {
  (void)number;
  signalled = 1;
}

static void await_signal(void) {
  signal(SIGUSR1, take_signal);
  look_at_threads();
  say_ready();
  const struct timespec moment = {0, 1000000};
  while (!signalled)
    nanosleep(&moment, NULL);
  printf("signal\n");
  print_nodes();
}

static void exit_in_region(int code) {
#pragma omp parallel
  if (omp_get_thread_num() == omp_get_num_threads() - 1)
    exit(code);
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "nodes";
  const int number = argc > 2 ? atoi(argv[2]) : 0;
  if (strcmp(what, "nodes") == 0)
    print_nodes();
  else if (strcmp(what, "cpus") == 0)
    print_cpus();
  else if (strcmp(what, "words") == 0)
    print_words(argc - 2, argv + 2);
  else if (strcmp(what, "lines") == 0)
    print_lines();
  else if (strcmp(what, "spin") == 0)
    spin(number);
  else if (strcmp(what, "return") == 0)
    return number;
  else if (strcmp(what, "exit-in-region") == 0)
    exit_in_region(number);
  else if (strcmp(what, "await-signal") == 0)
    await_signal();
  else if (strcmp(what, "system") == 0)
    return system(argv[2]) != 0;
  else
    return 99;
  return 0;
}
