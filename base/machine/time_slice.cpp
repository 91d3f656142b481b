#include "base/machine/time_slice.hpp"

#include <cerrno>
#include <cstdint>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace hetmp {
namespace {

/// As sched_setattr(2) has it. The C library declares it from 2.41 on, the kernel's header where the C library's is not
/// included.
struct SchedulingAttributes {
  uint32_t size;
  uint32_t policy;
  uint64_t flags;
  int32_t nice;
  uint32_t priority;
  uint64_t runtime_ns; ///< of a thread without a deadline: its slice, 0 for the kernel's own
  uint64_t deadline_ns, period_ns;
};
static_assert(sizeof(SchedulingAttributes) == 48); // the first version

} // namespace

void ask_for_short_turns(bool wanted) {
  constexpr uint64_t shortest_ns = 100'000; // that the kernel accepts
  constexpr uint64_t reset_on_fork = 1;     // the flag that may be set already, and cannot be taken back by everybody
  const int before = errno;
  SchedulingAttributes attributes{};
  // The priority is set by the same call, so it has to be known.
  if (syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0) == 0 &&
      (attributes.policy == SCHED_OTHER || attributes.policy == SCHED_BATCH)) {
    attributes.size = sizeof attributes;
    attributes.flags &= reset_on_fork;
    attributes.runtime_ns = wanted ? shortest_ns : 0;
    syscall(SYS_sched_setattr, 0, &attributes, 0);
  }
  errno = before;
}

} // namespace hetmp
