#include "runtime/sync/critical.hpp"

#include "runtime/ompt/events.hpp"
#include "runtime/sync/program_locks.hpp"

#include <new>

namespace hetmp::runtime {
namespace {

static_assert(sizeof(FutexLock) <= sizeof(CriticalName));

/// The lock lies in the name itself: zeroes are a free lock.
FutexLock& lock_in(CriticalName* name) { return *std::launder(reinterpret_cast<FutexLock*>(name)); }

} // namespace

void enter_critical(CriticalName* name, uint32_t hint) {
  ompt::take_mutex(
      ompt::MutexKind::Critical, name, [&] { program_locks.lock(lock_in(name)); }, hint);
}

void leave_critical(CriticalName* name) {
  ompt::release_mutex(ompt::MutexKind::Critical, name, [&] { program_locks.unlock(lock_in(name)); });
}

} // namespace hetmp::runtime
