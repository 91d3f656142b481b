#include "runtime/sync/critical.hpp"

#include "runtime/sync/program_locks.hpp"

#include <new>

namespace hetmp::runtime {
namespace {

static_assert(sizeof(FutexLock) <= sizeof(CriticalName));

/// The lock lies in the name itself: zeroes are a free lock.
FutexLock& lock_in(CriticalName* name) { return *std::launder(reinterpret_cast<FutexLock*>(name)); }

} // namespace

void enter_critical(CriticalName* name) { program_locks.lock(lock_in(name)); }

void leave_critical(CriticalName* name) { program_locks.unlock(lock_in(name)); }

} // namespace hetmp::runtime
