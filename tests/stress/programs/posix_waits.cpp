// The rest of what POSIX offers for waiting, between threads of several nodes: barriers, spin locks, timed waits,
// mutexes of other types, attributes for processes, conditions by a chosen clock, named semaphores left out.

// said on several nodes: hetmp: pthread_mutexattr_setrobust: on several nodes mutexes are ordinary ones: one whose owner has ended stays locked
// said on several nodes: hetmp: pthread_mutexattr_setprotocol: on several nodes mutexes are ordinary ones: they change nobody's priority
#include "stress.hpp"

#include <cerrno>
#include <ctime>
#include <initializer_list>
#include <omp.h>
#include <pthread.h>
#include <semaphore.h>

namespace {

constexpr int team = 4, rounds = 60;

timespec in(long nanoseconds, clockid_t clock = CLOCK_REALTIME) {
  timespec time;
  clock_gettime(clock, &time);
  time.tv_nsec += nanoseconds;
  time.tv_sec += time.tv_nsec / 1'000'000'000;
  time.tv_nsec %= 1'000'000'000;
  return time;
}

constexpr long long_time = 900'000'000, short_time = 3'000'000;

void barriers(bool between_processes) {
  static pthread_barrier_t barrier;
  pthread_barrierattr_t attributes;
  pthread_barrierattr_init(&attributes);
  if (between_processes)
    CHECK_EQUAL(pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED), 0);
  CHECK_EQUAL(pthread_barrier_init(&barrier, &attributes, team), 0);
  int passed[team] = {}, last = 0;
#pragma omp parallel num_threads(team) reduction(+ : last)
  for (int round = 0; round < rounds; ++round) {
    passed[omp_get_thread_num()] = round;
    last += pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD;
    for (int each : passed)
      CHECK(each == round);
    pthread_barrier_wait(&barrier);
  }
  CHECK_EQUAL(last, rounds);
  CHECK_EQUAL(pthread_barrier_destroy(&barrier), 0);
}

void spin_locks() {
  static pthread_spinlock_t lock;
  CHECK_EQUAL(pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE), 0);
  long count = 0;
#pragma omp parallel num_threads(team)
  for (int i = 0; i < rounds; ++i) {
    while (pthread_spin_trylock(&lock) != 0)
      sched_yield(); // there are more threads than processors
    count++;
    pthread_spin_unlock(&lock);
  }
  CHECK_EQUAL(count, team * rounds);
}

void mutexes_of_type(int type, bool between_processes, bool robust = false) {
  static pthread_mutex_t mutex;
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  CHECK_EQUAL(pthread_mutexattr_settype(&attributes, type), 0);
  if (between_processes)
    CHECK_EQUAL(pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED), 0);
  if (robust) {
    CHECK_EQUAL(pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST), 0);
    CHECK_EQUAL(pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT), 0);
  }
  CHECK_EQUAL(pthread_mutex_init(&mutex, &attributes), 0);
  long count = 0;
#pragma omp parallel num_threads(team)
  for (int i = 0; i < rounds; ++i) {
    const timespec limit = in(20 * long_time);
    CHECK_EQUAL(i % 2 ? pthread_mutex_lock(&mutex) : pthread_mutex_timedlock(&mutex, &limit), 0);
    if (type == PTHREAD_MUTEX_RECURSIVE) {
      CHECK_EQUAL(pthread_mutex_lock(&mutex), 0);
      CHECK_EQUAL(pthread_mutex_unlock(&mutex), 0);
    }
    if (type == PTHREAD_MUTEX_ERRORCHECK)
      CHECK_EQUAL(pthread_mutex_lock(&mutex), EDEADLK);
    count++;
    CHECK_EQUAL(pthread_mutex_unlock(&mutex), 0);
    if (type == PTHREAD_MUTEX_ERRORCHECK)
      CHECK_EQUAL(pthread_mutex_unlock(&mutex), EPERM);
  }
  CHECK_EQUAL(count, team * rounds);
  CHECK_EQUAL(pthread_mutex_destroy(&mutex), 0);
}

/// A token goes round; each thread waits for its turn, now and then too short.
void conditions(bool between_processes) {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  static pthread_cond_t changed;
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  CHECK_EQUAL(pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC), 0);
  if (between_processes)
    CHECK_EQUAL(pthread_condattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED), 0);
  CHECK_EQUAL(pthread_cond_init(&changed, &attributes), 0);
  int turn = 0;
#pragma omp parallel num_threads(team)
  for (int round = 0; round < rounds / 3; ++round) {
    const int mine = round * team + omp_get_thread_num();
    pthread_mutex_lock(&mutex);
    while (turn != mine) {
      const timespec limit = in(mine % 5 ? 20 * long_time : short_time, CLOCK_MONOTONIC);
      const int result = pthread_cond_timedwait(&changed, &mutex, &limit);
      CHECK(result == 0 || (result == ETIMEDOUT && mine % 5 == 0));
    }
    turn++;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
  }
  CHECK_EQUAL(turn, rounds / 3 * team);
  CHECK_EQUAL(pthread_cond_destroy(&changed), 0);
}

void semaphores(int between_processes) {
  static sem_t full, empty;
  CHECK_EQUAL(sem_init(&full, between_processes, 0), 0);
  CHECK_EQUAL(sem_init(&empty, between_processes, 2), 0);
  long put = 0, got = 0;
#pragma omp parallel num_threads(team) reduction(+ : put, got)
  for (int i = 0; i < rounds; ++i) {
    if (omp_get_thread_num() % 2) {
      sem_wait(&empty);
      put++;
      sem_post(&full);
    } else {
      const timespec limit = in(20 * long_time);
      CHECK_EQUAL(sem_timedwait(&full, &limit), 0);
      got++;
      sem_post(&empty);
    }
  }
  CHECK_EQUAL(put, got);
  int value = -1;
  CHECK_EQUAL(sem_getvalue(&full, &value), 0);
  CHECK_EQUAL(value, 0);
  const timespec limit = in(short_time);
  CHECK(sem_timedwait(&full, &limit) == -1 && errno == ETIMEDOUT);
  sem_destroy(&full);
  sem_destroy(&empty);
}

void read_write_locks(bool between_processes) {
  static pthread_rwlock_t lock;
  pthread_rwlockattr_t attributes;
  pthread_rwlockattr_init(&attributes);
  if (between_processes)
    CHECK_EQUAL(pthread_rwlockattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED), 0);
  CHECK_EQUAL(pthread_rwlock_init(&lock, &attributes), 0);
  long pair[2] = {};
#pragma omp parallel num_threads(team)
  for (int i = 0; i < rounds; ++i) {
    const timespec limit = in(20 * long_time);
    if (i % team == omp_get_thread_num()) {
      CHECK_EQUAL(pthread_rwlock_timedwrlock(&lock, &limit), 0);
      pair[0]++;
      pair[1]++;
    } else {
      CHECK_EQUAL(pthread_rwlock_timedrdlock(&lock, &limit), 0);
      CHECK_EQUAL(pair[0], pair[1]);
    }
    CHECK_EQUAL(pthread_rwlock_unlock(&lock), 0);
  }
  CHECK_EQUAL(pair[0], rounds);
  CHECK_EQUAL(pthread_rwlock_destroy(&lock), 0);
}

void what_is_malformed() {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  CHECK_EQUAL(pthread_mutexattr_setrobust(&attributes, 77), EINVAL);
  CHECK_EQUAL(pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_STALLED), 0);
  CHECK_EQUAL(pthread_mutexattr_setprotocol(&attributes, 77), EINVAL);
  CHECK_EQUAL(pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_NONE), 0);
  CHECK_EQUAL(pthread_mutexattr_setpshared(&attributes, 77), EINVAL);
}

} // namespace

int main() {
  for (bool between_processes : {false, true}) {
    barriers(between_processes);
    for (int type : {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_ERRORCHECK})
      for (bool robust : {false, true})
        mutexes_of_type(type, between_processes, robust);
    conditions(between_processes);
    semaphores(between_processes);
    read_write_locks(between_processes);
  }
  spin_locks();
  what_is_malformed();
}
