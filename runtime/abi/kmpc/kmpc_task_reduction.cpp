// Reductions that tasks take part in.
#include "runtime/abi/entry.hpp"
#include "runtime/abi/ident.hpp"
#include "runtime/tasking/execution.hpp"
#include "runtime/tasking/helping.hpp"
#include "runtime/tasking/task_reduction.hpp"
#include "runtime/team/implicit_task.hpp"

using namespace hetmp::runtime;

/// libomp's kmp_taskred_input_t, which has the original, and its predecessor, which has not. Copies are always made
/// when they are first asked for, whatever the flags say.
struct KmpTaskReduction {
  void* shared;
  void* original;
  size_t bytes;
  void* initialise;
  void (*finalise)(void* copy);
  void (*combine)(void* into, void* from);
  uint32_t flags;
};
struct KmpOldTaskReduction {
  void* shared;
  size_t bytes;
  void* initialise;
  void (*finalise)(void* copy);
  void (*combine)(void* into, void* from);
  uint32_t flags;
};

namespace {

ReductionItem item_of(const KmpTaskReduction& from) {
  return {from.shared,  from.original ? from.original : from.shared, from.bytes, from.initialise, from.combine,
          from.finalise};
}

ReductionItem item_of(const KmpOldTaskReduction& from) {
  return {from.shared, nullptr, from.bytes, from.initialise, from.combine, from.finalise};
}

template <class Input> std::vector<ReductionItem> items_of(int count, const void* data) {
  const Input* inputs = static_cast<const Input*>(data);
  std::vector<ReductionItem> items;
  for (int i = 0; i < count; i++)
    items.push_back(item_of(inputs[i]));
  return items;
}

/// What the compiler passes on to reduction_copy().
void* present_group(int32_t gtid) { return generating_task(task_of(gtid)).group; }

} // namespace

HETMP_ENTRY void* __kmpc_taskred_init(int gtid, int count, void* data) {
  begin_reductions(task_of(gtid), items_of<KmpTaskReduction>(count, data));
  return present_group(gtid);
}

HETMP_ENTRY void* __kmpc_task_reduction_init(int gtid, int count, void* data) {
  begin_reductions(task_of(gtid), items_of<KmpOldTaskReduction>(count, data));
  return present_group(gtid);
}

HETMP_ENTRY void* __kmpc_taskred_modifier_init(const SourceLocation*, int gtid, int /*worksharing*/, int count,
                                               void* data) {
  begin_team_reductions(thread_of(gtid), items_of<KmpTaskReduction>(count, data));
  return present_group(gtid);
}

HETMP_ENTRY void* __kmpc_task_reduction_modifier_init(const SourceLocation*, int gtid, int /*worksharing*/, int count,
                                                      void* data) {
  begin_team_reductions(thread_of(gtid), items_of<KmpOldTaskReduction>(count, data));
  return present_group(gtid);
}

HETMP_ENTRY void __kmpc_task_reduction_modifier_fini(const SourceLocation*, int gtid, int /*worksharing*/) {
  end_taskgroup(thread_of(gtid));
}

HETMP_ENTRY void* __kmpc_task_reduction_get_th_data(int gtid, void* group, void* data) {
  return reduction_copy(task_of(gtid), static_cast<TaskGroup*>(group), data);
}
