/* A program with a runtime in it that should not be noticed. Each mode prints what the test compares. */
#include <dirent.h>
#include <fcntl.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static int team(void) {
  int size = 0;
#pragma omp parallel reduction(+ : size)
  size += 1;
  return size;
}

static int threads_of_process(void) {
  int count = 0;
  DIR* tasks = opendir("/proc/self/task");
  for (struct dirent* entry; (entry = readdir(tasks));)
    count += entry->d_name[0] != '.';
  closedir(tasks);
  return count;
}

static long cpu_microseconds(void) {
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  return (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000000L + used.ru_utime.tv_usec + used.ru_stime.tv_usec;
}

/* CPU time while nothing is to be done, once waiting threads have had the time to notice. */
static void idle(long settle_ms, long ms) {
  team();
  usleep((useconds_t)(settle_ms * 1000));
  const long before = cpu_microseconds();
  usleep((useconds_t)(ms * 1000));
  printf("%ld\n", cpu_microseconds() - before);
}

/* A child, and its child, use OpenMP again; also one that was made when its parent had not used it yet. */
static int forks(int generations) {
  if (generations == 0)
    return 0;
  const pid_t child = fork();
  if (child == 0)
    _exit(team() == 4 && forks(generations - 1) == 0 ? 0 : 1);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 && team() == 4 ? 0 : 1;
}

static void sizes(int rounds) {
  static const int wanted[] = {2, 8, 1, 5, 3, 8, 2};
  int wrong = 0;
  for (int i = 0; i < rounds; ++i) {
    omp_set_num_threads(wanted[i % 7]);
    wrong += team() != wanted[i % 7];
  }
  printf("%d wrong, %d threads\n", wrong, threads_of_process());
}

static void nested(int rounds) {
  omp_set_max_active_levels(2);
  int sum = 0;
  for (int i = 0; i < rounds; ++i) {
#pragma omp parallel num_threads(2) reduction(+ : sum)
    {
#pragma omp parallel num_threads(3) reduction(+ : sum)
      sum += 1;
    }
  }
  printf("%d in all, %d threads\n", sum, threads_of_process());
}

/* Whoever calls exit(), the others computing or waiting. */
static void leave(const char* who, const char* others) {
#pragma omp parallel num_threads(4)
  {
    if (omp_get_thread_num() == atoi(who))
      exit(7);
    if (strcmp(others, "compute") == 0)
      for (;;)
        __asm__ volatile("");
#pragma omp barrier
  }
}

/* What each thread has of a static loop that the runtime divides, or of one that the compiler may. */
static void shares(const char* which) {
  int count[64] = {0};
  const int threads = omp_get_max_threads();
  if (strcmp(which, "runtime") == 0) {
#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < 300; ++i)
      ++count[omp_get_thread_num()];
  } else {
#pragma omp parallel for schedule(static)
    for (int i = 0; i < 300; ++i)
      ++count[omp_get_thread_num()];
  }
  for (int i = 0; i < threads; ++i)
    printf("%d%c", count[i], i + 1 < threads ? ' ' : '\n');
}

/* No memory for the stacks of so many threads. */
static void limited(void) {
  const rlim_t bytes = 1500u << 20;
  const struct rlimit limit = {bytes, bytes};
  setrlimit(RLIMIT_AS, &limit);
  const int first = team();
  const int second = team();
  printf("%s, %s\n", first >= 1 && first < 32 ? "smaller" : "not smaller",
         first == second ? "the same again" : "another");
}

/* As many threads as nobody has. */
static int crowd(void) {
  int size = 0;
#pragma omp parallel num_threads(99999999) reduction(+ : size)
  size += 1;
  return size;
}

/* Which of the standard streams' numbers are in use once a team has met: a bit each. */
static int streams(void) {
  int in_use = 0;
  team();
  for (int number = 0; number < 3; ++number)
    in_use |= (fcntl(number, F_GETFD) != -1) << number;
  printf("%d\n", in_use);
  return in_use;
}

int main(int argc, char** argv) {
  const char* mode = argc > 1 ? argv[1] : "";
  if (strcmp(mode, "team") == 0)
    printf("%d %d\n", omp_get_max_threads(), team());
  else if (strcmp(mode, "idle") == 0 && argc == 4)
    idle(atol(argv[2]), atol(argv[3]));
  else if (strcmp(mode, "forks") == 0) {
    const int unused = forks(2); /* before this process has a team */
    printf("%d %d %d\n", unused, team(), forks(3));
  } else if (strcmp(mode, "sizes") == 0)
    sizes(atoi(argv[2]));
  else if (strcmp(mode, "nested") == 0)
    nested(atoi(argv[2]));
  else if (strcmp(mode, "leave") == 0 && argc == 4)
    leave(argv[2], argv[3]);
  else if (strcmp(mode, "shares") == 0 && argc == 3)
    shares(argv[2]);
  else if (strcmp(mode, "limited") == 0)
    limited();
  else if (strcmp(mode, "crowd") == 0)
    printf("%d %d\n", crowd(), crowd());
  else if (strcmp(mode, "streams") == 0)
    return streams();
  else
    return 2;
  return 0;
}
