// Threads tell each other something that ThreadSanitizer does not see: it orders nothing for it.
#ifndef MEET_H
#define MEET_H

#include <unistd.h>

static inline void tell(int* count) { __asm__ volatile("lock incl %0" : "+m"(*count)); }

static inline int told(int* count) {
  int value;
  __asm__ volatile("movl %1, %0" : "=r"(value) : "m"(*count));
  return value;
}

/// Returns when it has been told so often.
static inline void wait_for(int* count, int times) {
  while (told(count) < times)
    usleep(100);
}

/// Returns when `threads` threads have come: each has a part of the work then.
static inline void meet(int* count, int threads) {
  tell(count);
  wait_for(count, threads);
}

#endif
