// POSIX mutexes in shared memory. The C library puts waiters to sleep on a futex of their own process, so an unlock on
// another node would never wake them. Here a mutex that lies in shared memory is only ever tried; who does not get it
// sleeps for a while and tries again. (The page protocol makes the attempt itself, an atomic instruction, correct
// between nodes.) Mutexes in private memory, and every other process, are left to the C library.
#include "dsm/node/node_process.hpp"

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>

namespace hetmp::dsm {
namespace {

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

int try_real(pthread_mutex_t* mutex) {
  static auto* real = next<int(pthread_mutex_t*)>("pthread_mutex_trylock");
  return real(mutex);
}

bool lies_in_shared_memory(const pthread_mutex_t* mutex) {
  NodeProcess* process = NodeProcess::instance();
  return process && process->plan().is_shared(reinterpret_cast<uintptr_t>(mutex));
}

bool is_past(const timespec& deadline) {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec > deadline.tv_sec || (now.tv_sec == deadline.tv_sec && now.tv_nsec >= deadline.tv_nsec);
}

/// `deadline` may be null.
int lock_by_trying(pthread_mutex_t* mutex, const timespec* deadline) {
  constexpr long shortest_ns = 2'000, longest_ns = 500'000;
  int result = try_real(mutex);
  for (long pause_ns = shortest_ns; result == EBUSY; pause_ns = std::min(pause_ns * 2, longest_ns)) {
    if (deadline && is_past(*deadline))
      return ETIMEDOUT;
    const timespec pause{0, pause_ns};
    nanosleep(&pause, nullptr);
    result = try_real(mutex);
  }
  return result;
}

} // namespace
} // namespace hetmp::dsm

using namespace hetmp::dsm;

#pragma GCC visibility push(default)
extern "C" {

int pthread_mutex_lock(pthread_mutex_t* mutex) {
  if (lies_in_shared_memory(mutex))
    return lock_by_trying(mutex, nullptr);
  static auto* real = next<int(pthread_mutex_t*)>("pthread_mutex_lock");
  return real(mutex);
}

int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* deadline) {
  if (lies_in_shared_memory(mutex))
    return lock_by_trying(mutex, deadline);
  static auto* real = next<int(pthread_mutex_t*, const timespec*)>("pthread_mutex_timedlock");
  return real(mutex, deadline);
}

} // extern "C"
#pragma GCC visibility pop
