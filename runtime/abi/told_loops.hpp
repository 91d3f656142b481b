// What a tool (OMPT) is told of loops and sections that the runtime hands out.
#pragma once

#include "runtime/ompt/events.hpp"
#include "schedulers/arithmetic/loop.hpp"
#include "schedulers/arithmetic/schedule.hpp"

#include <vector>

namespace hetmp::runtime {

/// As libomp has it: `auto` is guided, and a thread alone gets either as a whole.
inline ompt::WorkKind kind_of_work(schedulers::ScheduleKind kind, uint32_t threads) {
  switch (kind) {
  case schedulers::ScheduleKind::Static:
    return ompt::WorkKind::LoopStatic;
  case schedulers::ScheduleKind::Dynamic:
    return ompt::WorkKind::LoopDynamic;
  case schedulers::ScheduleKind::Guided:
  case schedulers::ScheduleKind::Auto:
    return threads > 1 ? ompt::WorkKind::LoopGuided : ompt::WorkKind::LoopStatic;
  default:
    return ompt::WorkKind::LoopOther;
  }
}

HETMP_TOOL_ONLY inline void tell_work_observed(const void* caller, ompt::WorkKind kind, uint64_t count) {
  ompt::entered(caller, [&] { ompt::work_begins(kind, count); });
}

HETMP_TOOL_ONLY inline void tell_iterations_observed(const void* caller, uint64_t first, uint64_t count) {
  ompt::entered(
      caller, [&] { count != 0 ? ompt::tell_chunk(ompt::DispatchKind::LoopChunk, first, count) : ompt::work_ends(); });
}

HETMP_TOOL_ONLY inline void tell_section_observed(const void* caller, bool is_there) {
  ompt::entered(caller, [&] { is_there ? ompt::tell_section(caller) : ompt::work_ends(); });
}

/// The thread begins the construct; `count`: its iterations or sections.
inline void tell_work(const void* caller, ompt::WorkKind kind, uint64_t count) {
  if (ompt::observed()) [[unlikely]]
    tell_work_observed(caller, kind, count);
}

/// It has got these; none: it is done. `first`: the value of the loop's variable.
inline void tell_iterations(const void* caller, uint64_t first, uint64_t count) {
  if (ompt::observed()) [[unlikely]]
    tell_iterations_observed(caller, first, count);
}

/// Likewise of a section.
inline void tell_section(const void* caller, bool is_there) {
  if (ompt::observed()) [[unlikely]]
    tell_section_observed(caller, is_there);
}

/// Of a doacross nest: the iteration with these `values` is waited for (ompt::depends_sink), or done (depends_source).
template <class T> HETMP_TOOL_ONLY void tell_doacross(const void* caller, const T* values, size_t count, int kind) {
  std::vector<ompt::Dependence> list;
  for (size_t i = 0; i < count; i++)
    list.push_back({{.value = uint64_t(values[i])}, kind});
  ompt::entered(caller, [&] { ompt::tell_own_dependences(list.data(), int(list.size())); });
}

} // namespace hetmp::runtime
