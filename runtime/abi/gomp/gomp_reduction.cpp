// Reductions by tasks, as gcc's programs ask for them.
#include "base/exit_codes.hpp"
#include "base/message.hpp"
#include "runtime/abi/entry.hpp"
#include "runtime/abi/gomp_loop.hpp"
#include "runtime/regions/fork.hpp"
#include "runtime/sync/mapped_reductions.hpp"
#include "runtime/tasking/execution.hpp"
#include "runtime/tasking/helping.hpp"
#include "runtime/team/implicit_task.hpp"
#include "runtime/team/team_size.hpp"

using namespace hetmp::runtime;

namespace {

void invoke(void* function, int, int thread_number, uint32_t, void* const* arguments) {
  Thread& self = current_thread();
  begin_taskgroup(self);
  generating_task(current_task()).group->of_reduction = true;
  generating_task(current_task()).group->reduction_tables = *static_cast<uintptr_t**>(arguments[0]);
  if (thread_number == 0) // on the thread that met the construct
    *static_cast<uint32_t*>(arguments[1]) = current_task().team_size;
  reinterpret_cast<GompFunction>(function)(arguments[0]);
  end_taskgroup(self);
}

} // namespace

/// A region with reduction(task, ..); its data begin with the tables. Returns the number of threads, whose copies the
/// caller folds.
HETMP_ENTRY unsigned GOMP_parallel_reductions(GompFunction function, void* data, unsigned threads, unsigned flags) {
  Thread& self = current_thread();
  push_gomp_clauses(self, threads, flags);
  uintptr_t* tables = *static_cast<uintptr_t**>(data);
  const uint32_t most = most_threads_of_next_team(self);
  attach_chunks(tables, allocate_chunks(tables, most), most, nullptr);
  uint32_t team_size = 1;
  void* arguments[] = {data, &team_size};
  fork_team(self, nullptr, reinterpret_cast<void*>(function), 2, arguments, invoke);
  return team_size;
}

HETMP_ENTRY void GOMP_taskgroup_reduction_register(uintptr_t* tables) {
  begin_mapped_reductions(current_thread(), tables);
}

HETMP_ENTRY void GOMP_taskgroup_reduction_unregister(uintptr_t* tables) { free_chunks(tables); }

HETMP_ENTRY void GOMP_workshare_task_reduction_unregister(bool cancelled) {
  end_mapped_team_reductions(current_thread(), cancelled);
}

HETMP_ENTRY void GOMP_task_reduction_remap(size_t count, size_t originals, void** pointers) {
  const size_t found = find_copies(current_task(), count, originals, pointers);
  if (found != count)
    hetmp::die(hetmp::exit_code::software,
               "a task takes part in a reduction of %p, which no construct around it reduces", pointers[found]);
}

HETMP_ENTRY void GOMP_scope_start(uintptr_t* reductions) {
  if (reductions)
    begin_mapped_team_reductions(current_thread(), reductions);
}
