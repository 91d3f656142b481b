// Sections handed out by the runtime (clang turns sections into loops; other compilers call these).
#include "runtime/abi/entry.hpp"
#include "runtime/abi/ident.hpp"
#include "runtime/abi/told_loops.hpp"
#include "runtime/loops/loop.hpp"
#include "runtime/team/implicit_task.hpp"

using hetmp::runtime::task_of;

/// The number of sections is not known yet: the first __kmpc_next_section begins the loop over them.
HETMP_ENTRY void __kmpc_sections_init(const SourceLocation*, int32_t gtid) { task_of(gtid).sections_begun = false; }

/// The section to execute next, counted from 0; `sections` when none is left.
HETMP_ENTRY int32_t __kmpc_next_section(const SourceLocation* location, int32_t gtid, int32_t sections) {
  hetmp::runtime::ImplicitTask& task = task_of(gtid);
  if (!task.sections_begun) {
    task.sections_begun = true;
    hetmp::runtime::LoopRequest request;
    request.schedule.kind = hetmp::schedulers::ScheduleKind::Dynamic;
    request.schedule.chunk = 1;
    request.schedule.monotonic = true;
    request.trips = uint64_t(sections);
    request.source = hetmp::runtime::source_text(location);
    hetmp::runtime::tell_work(__builtin_return_address(0), hetmp::runtime::ompt::WorkKind::Sections, request.trips);
    begin_loop(task, request);
  }
  hetmp::schedulers::Range chunk;
  const bool is_there = next_chunk(task, chunk);
  hetmp::runtime::tell_section(__builtin_return_address(0), is_there);
  return is_there ? int32_t(chunk.begin) : sections;
}

HETMP_ENTRY void __kmpc_end_sections(const SourceLocation*, int32_t) {}
