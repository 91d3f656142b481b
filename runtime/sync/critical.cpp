#include "runtime/sync/critical.hpp"

#include "runtime/process/nodes.hpp"
#include "runtime/sync/keyed_lock.hpp"
#include "runtime/wait/futex_lock.hpp"

#include <new>

namespace hetmp::runtime {
namespace {

static_assert(sizeof(FutexLock) <= sizeof(CriticalName));

/// In one process the lock lies in the name itself: zeroes are a free lock.
FutexLock& lock_in(CriticalName* name) { return *std::launder(reinterpret_cast<FutexLock*>(name)); }

} // namespace

void enter_critical(CriticalName* name) {
  // With node processes the name's page would wander between the nodes: only its address is used.
  if (several_processes())
    keyed_lock(name);
  else
    lock_in(name).lock();
}

void leave_critical(CriticalName* name) {
  if (several_processes())
    keyed_unlock(name);
  else
    lock_in(name).unlock();
}

} // namespace hetmp::runtime
