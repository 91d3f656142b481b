// detach: a task is complete when its event has been fulfilled as well, by whatever thread.
#include "check.h"

#include <omp.h>
#include <pthread.h>
#include <stdint.h>
#include <unistd.h>

static omp_event_handle_t later;
static int fulfilled;

static void* fulfil_later(void* unused) {
  (void)unused;
  usleep(20000);
  __atomic_store_n(&fulfilled, 1, __ATOMIC_SEQ_CST);
  omp_fulfill_event(later);
  return NULL;
}

int main(void) {
  for (int round = 0; round < 5; round++) {
    int value = 0, after = 0;
#pragma omp parallel
#pragma omp single
    {
      omp_event_handle_t event;
#pragma omp task detach(event) depend(out : value) shared(value)
      value = 1;
#pragma omp task depend(in : value) shared(value, after)
      {
        CHECK_EQUAL(value, 2);
        after = 1;
      }
#pragma omp task shared(value) firstprivate(event)
      {
        while (__atomic_load_n(&value, __ATOMIC_ACQUIRE) != 1) {
#pragma omp taskyield
        }
        __atomic_store_n(&value, 2, __ATOMIC_RELEASE);
        omp_fulfill_event(event);
      }
#pragma omp taskwait
      CHECK_EQUAL(after, 1);
    }

    // A thread that is none of OpenMP's; the barrier waits for it.
    pthread_t thread;
    fulfilled = 0;
#pragma omp parallel
    {
#pragma omp single
      {
        omp_event_handle_t event;
#pragma omp task detach(event)
        {
          later = event;
          CHECK(pthread_create(&thread, NULL, fulfil_later, NULL) == 0);
        }
      }
      CHECK_EQUAL(fulfilled, 1);
    }
    pthread_join(thread, NULL);
  }
  return finish();
}
