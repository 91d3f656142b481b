// Critical sections that a tool (OMPT) is told of.
#pragma once

#include "runtime/ompt/events.hpp"
#include "runtime/sync/critical.hpp"

namespace hetmp::runtime {

HETMP_TOOL_ONLY inline void enter_critical_observed(CriticalName* name, uint32_t hint, const void* caller) {
  ompt::entered(caller, [&] {
    ompt::take_mutex(
        ompt::MutexKind::Critical, name, [&] { enter_critical(name); }, hint);
  });
}

HETMP_TOOL_ONLY inline void leave_critical_observed(CriticalName* name, const void* caller) {
  ompt::entered(caller, [&] { ompt::release_mutex(ompt::MutexKind::Critical, name, [&] { leave_critical(name); }); });
}

/// By an entry point that is called from `caller`. `hint`: as the program gives it.
__attribute__((always_inline)) inline void enter_critical_from(const void* caller, CriticalName* name,
                                                               uint32_t hint = 0) {
  if (ompt::observed()) [[unlikely]]
    return enter_critical_observed(name, hint, caller);
  enter_critical(name);
}

__attribute__((always_inline)) inline void leave_critical_from(const void* caller, CriticalName* name) {
  if (ompt::observed()) [[unlikely]]
    return leave_critical_observed(name, caller);
  leave_critical(name);
}

} // namespace hetmp::runtime
