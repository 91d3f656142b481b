// What libstdc++'s atomic operations on std::shared_ptr objects lock (std::_Sp_locker): mutexes of its process. Among
// nodes it is those of all of them (dsm/process/pointer_locks.hpp).
#include "dsm/interpose/calling_process.hpp"
#include "dsm/interpose/next_function.hpp"

#include <pthread.h>
#include <utility>

namespace hetmp::dsm {
namespace {

/// As the library has it: numbers of mutexes, the same one twice where there is one. Its own are below, so whoever
/// gives back knows who has taken.
struct Locker {
  static constexpr unsigned first_key = 64;
  unsigned char keys[2];
};

NodeProcess* node_among_others() {
  NodeProcess* process = process_of_caller();
  return process && process->has_started() ? process : nullptr;
}

pthread_mutex_t* lock_of(NodeProcess& process, unsigned which) {
  return process.pointer_locks().lock(which, process.node() == origin);
}

/// False: the library is to do it.
bool take_locks(Locker& locker, const void* one, const void* other) {
  NodeProcess* process = node_among_others();
  if (!process)
    return false;
  unsigned first = PointerLocks::lock_of(one), second = PointerLocks::lock_of(other);
  if (second < first)
    std::swap(first, second);
  if (!lock_of(*process, first))
    return false;
  locker.keys[0] = static_cast<unsigned char>(Locker::first_key + first);
  locker.keys[1] = static_cast<unsigned char>(Locker::first_key + second);
  pthread_mutex_lock(lock_of(*process, first));
  if (second != first)
    pthread_mutex_lock(lock_of(*process, second));
  return true;
}

void give_locks_back(const Locker& locker) {
  NodeProcess* process = NodeProcess::instance();
  if (!process) // a child of the program that was made meanwhile: nobody else is there
    return;
  if (locker.keys[1] != locker.keys[0])
    pthread_mutex_unlock(lock_of(*process, locker.keys[1] - Locker::first_key));
  pthread_mutex_unlock(lock_of(*process, locker.keys[0] - Locker::first_key));
}

} // namespace
} // namespace hetmp::dsm

using namespace hetmp::dsm;

#pragma GCC visibility push(default)
extern "C" {

void _ZNSt10_Sp_lockerC1EPKv(Locker* locker, const void* object) {
  if (!take_locks(*locker, object, object))
    next_of<void(Locker*, const void*)>("_ZNSt10_Sp_lockerC1EPKv")(locker, object);
}

void _ZNSt10_Sp_lockerC1EPKvS1_(Locker* locker, const void* one, const void* other) {
  if (!take_locks(*locker, one, other))
    next_of<void(Locker*, const void*, const void*)>("_ZNSt10_Sp_lockerC1EPKvS1_")(locker, one, other);
}

void _ZNSt10_Sp_lockerD1Ev(Locker* locker) {
  if (locker->keys[0] >= Locker::first_key)
    give_locks_back(*locker);
  else
    next_of<void(Locker*)>("_ZNSt10_Sp_lockerD1Ev")(locker);
}

__attribute__((alias("_ZNSt10_Sp_lockerC1EPKv"))) void _ZNSt10_Sp_lockerC2EPKv(Locker* locker, const void* object);
__attribute__((alias("_ZNSt10_Sp_lockerC1EPKvS1_"))) void _ZNSt10_Sp_lockerC2EPKvS1_(Locker* locker, const void* one,
                                                                                     const void* other);
__attribute__((alias("_ZNSt10_Sp_lockerD1Ev"))) void _ZNSt10_Sp_lockerD2Ev(Locker* locker);

} // extern "C"
#pragma GCC visibility pop
