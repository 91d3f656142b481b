// Waits that the C and C++ libraries carry out with futexes of their own, between threads of several nodes: mutexes,
// condition variables, once-only calls, semaphores, read-write locks, and the lock of a stream.
#include "stress.hpp"

#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <omp.h>
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

namespace {

constexpr int team = 4;

std::mutex mutex;
std::condition_variable changed;
int waiting, generation, counted_by_mutex, counted_by_semaphore, once_calls;
pthread_once_t once = PTHREAD_ONCE_INIT;
std::once_flag once_flag;
sem_t semaphore;
pthread_rwlock_t shared_lock = PTHREAD_RWLOCK_INITIALIZER;
int pair[2];

void slow_call() {
  usleep(5000);
  once_calls++;
}

void meet() {
  std::unique_lock lock(mutex);
  const int mine = generation;
  if (++waiting == team) {
    waiting = 0;
    generation++;
    changed.notify_all();
  } else {
    changed.wait(lock, [&] { return generation != mine; });
  }
}

void one_line_each(FILE* stream) {
#pragma omp parallel num_threads(team)
  for (int i = 0; i < 500; ++i)
    fprintf(stream, "line %d of thread %d\n", i, omp_get_thread_num());
}

void count_lines(FILE* stream) {
  rewind(stream);
  int lines = 0, number, thread;
  while (fscanf(stream, "line %d of thread %d\n", &number, &thread) == 2)
    lines++;
  CHECK_EQUAL(lines, 500 * team);
}

} // namespace

int main() {
  sem_init(&semaphore, 0, 1);
#pragma omp parallel num_threads(team)
  {
    pthread_once(&once, slow_call);
    std::call_once(once_flag, slow_call);
    for (int round = 0; round < 20; ++round)
      meet();
    for (int i = 0; i < 200; ++i) {
      mutex.lock();
      counted_by_mutex++;
      mutex.unlock();
      sem_wait(&semaphore);
      counted_by_semaphore++;
      sem_post(&semaphore);
#pragma omp barrier
      if (omp_get_thread_num() == i % team) {
        pthread_rwlock_wrlock(&shared_lock);
        pair[0]++;
        pair[1]++;
      } else {
        pthread_rwlock_rdlock(&shared_lock);
        CHECK_EQUAL(pair[0], pair[1]);
      }
      pthread_rwlock_unlock(&shared_lock);
    }
  }
  CHECK_EQUAL(once_calls, 2);
  CHECK_EQUAL(generation, 20);
  CHECK_EQUAL(pair[0], 200);
  CHECK_EQUAL(counted_by_mutex, 200 * team);
  CHECK_EQUAL(counted_by_semaphore, 200 * team);
  FILE* stream = tmpfile();
  CHECK(stream != nullptr);
  one_line_each(stream);
  count_lines(stream);
}
