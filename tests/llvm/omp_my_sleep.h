// In place of the header of this name that LLVM's OpenMP tests include. They sleep whole seconds to give other threads
// time; a part of that, HETMP_SLEEP_SCALE, is enough and keeps the run short.
#ifndef HETMP_TESTS_LLVM_OMP_MY_SLEEP_H
#define HETMP_TESTS_LLVM_OMP_MY_SLEEP_H

#include <errno.h> // the tests count on these four to be included here
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

// Makes the calling thread, no other, sleep that part of the seconds.
static void my_sleep(double seconds) {
  const double scaled = seconds * HETMP_SLEEP_SCALE;
  struct timespec duration;
  duration.tv_sec = (time_t)scaled;
  duration.tv_nsec = (long)((scaled - (double)duration.tv_sec) * 1e9);
  nanosleep(&duration, NULL);
}

#endif
