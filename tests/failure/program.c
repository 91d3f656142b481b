// The program under attack: its first argument says how it behaves.
//   sum       a correct sum, on standard output
//   sums N    N further sums, on standard output the last one; `sums-exit N`: then the last thread of a team calls
//   exit(0);
//             `sums-fork N`: a child goes on and returns before its parent does; `sums-segv N`: then as segv
//   spin N    prints "ready", then stays in a region for N seconds or until it is ended
//   work N    prints "ready", then runs regions in which pages travel for N seconds or until it is ended
//   return C  returns C from main            exit C   calls exit(C) in main
//   exit-in-region C   the last thread of a team, which is on another node if there is one, calls exit(C)
//   system C  runs the shell command C
//   tasks N   tasks of a millisecond, until as many as N threads have executed some
//   rows N    N visits of a region whose rows wait each for the one before
//   around N  N visits of a region whose first thread begins another one, and sleeps for 5 ms behind it
//   segv      the last thread of a team reads a null pointer
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int sum_of_loop(void) {
  static int cells[4000];
  int sum = 0;
#pragma omp parallel for schedule(runtime)
  for (int i = 0; i < 4000; i++)
    cells[i] = i % 7;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < 4000; i++)
    sum += cells[i];
  return sum;
}

static int sums(int count) {
  int sum = 0;
  while (count-- > 0)
    sum = sum_of_loop();
  return sum;
}

static void spin(int seconds) {
#pragma omp parallel
  {
#pragma omp barrier
#pragma omp master
    {
      printf("ready\n");
      fflush(stdout);
    }
    const time_t end = time(NULL) + seconds;
    volatile double x = 1;
    while (time(NULL) < end)
      for (int i = 0; i < 100000; i++)
        x = x * 1.0000001;
  }
}

static void work(int seconds) {
  enum { cells = 1 << 15 };
  static double from[cells], to[cells];
  static long turns;
  double sum = 0;
  printf("ready\n");
  fflush(stdout);
  for (const time_t end = time(NULL) + seconds; time(NULL) < end;) {
#pragma omp parallel
    {
#pragma omp for schedule(dynamic, 500)
      for (int i = 0; i < cells; i++)
        to[i] = from[(i + 4000) % cells] + 1;
#pragma omp for schedule(runtime) reduction(+ : sum)
      for (int i = 0; i < cells; i++)
        sum += from[i] = to[i];
#pragma omp critical
      turns++;
      free(malloc(10000));
    }
  }
}

static void exit_in_region(int code) {
#pragma omp parallel
  if (omp_get_thread_num() == omp_get_num_threads() - 1)
    exit(code);
}

static void millisecond(void) {
  const double end = omp_get_wtime() + 1e-3;
  while (omp_get_wtime() < end)
    ;
}

static void tasks(int wanted) {
  enum { most_threads = 64, most_tasks = 5000 };
  static int executed[most_threads];
  int busy = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < most_tasks && busy < wanted; i++) {
#pragma omp task shared(busy)
    {
      millisecond();
      if (__atomic_fetch_add(&executed[omp_get_thread_num()], 1, __ATOMIC_RELAXED) == 0)
        __atomic_fetch_add(&busy, 1, __ATOMIC_RELAXED);
    }
    if (i % 16 == 15) {
#pragma omp taskwait
    }
  }
}

static void fault_in_region(void) {
  static int* volatile nowhere;
#pragma omp parallel
  if (omp_get_thread_num() == omp_get_num_threads() - 1)
    *nowhere = 1;
}

// N visits of a region whose rows wait each for the one before.
static void rows(int visits) {
  enum { count = 200, width = 8000 };
  static volatile double row[count];
  for (int visit = 0; visit < visits; ++visit) {
#pragma omp parallel for ordered(1) schedule(static, 1)
    for (int i = 1; i < count; ++i) {
      double value = i;
      for (int step = 0; step < width; ++step)
        value = value * 0.999 + 1;
#pragma omp ordered depend(sink : i - 1)
      row[i] = row[i - 1] + value;
#pragma omp ordered depend(source)
    }
  }
}

static void around(int visits) {
  omp_set_max_active_levels(2);
  for (int visit = 0; visit < visits; ++visit) {
#pragma omp parallel
    if (omp_get_thread_num() == 0) {
#pragma omp parallel num_threads(2)
      omp_get_thread_num();
      usleep(5000);
    }
  }
}

static int sums_and_then(const char* what, int count) {
  const int sum = sums(count);
  if (strcmp(what, "-exit") == 0)
    exit_in_region(0);
  else if (strcmp(what, "-segv") == 0)
    fault_in_region();
  else if (strcmp(what, "-fork") == 0 && fork() != 0)
    wait(NULL);
  else
    printf("%d\n", sum);
  return 0;
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "sum";
  const int number = argc > 2 ? atoi(argv[2]) : 0;
  const int sum = sum_of_loop(); // every behaviour begins with a team, so that all nodes are up
  if (strcmp(what, "sum") == 0)
    printf("%d\n", sum);
  else if (strncmp(what, "sums", 4) == 0)
    return sums_and_then(what + 4, number);
  else if (strcmp(what, "spin") == 0)
    spin(number);
  else if (strcmp(what, "work") == 0)
    work(number);
  else if (strcmp(what, "return") == 0)
    return number;
  else if (strcmp(what, "exit") == 0)
    exit(number);
  else if (strcmp(what, "exit-in-region") == 0)
    exit_in_region(number);
  else if (strcmp(what, "system") == 0)
    return system(argv[2]) != 0;
  else if (strcmp(what, "tasks") == 0)
    tasks(number);
  else if (strcmp(what, "rows") == 0)
    rows(number);
  else if (strcmp(what, "around") == 0)
    around(number);
  else if (strcmp(what, "segv") == 0)
    fault_in_region();
  else
    return 99;
  return 0;
}
