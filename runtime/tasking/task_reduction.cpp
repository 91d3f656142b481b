#include "runtime/tasking/task_reduction.hpp"

#include "base/check.hpp"
#include "base/exit_codes.hpp"
#include "base/message.hpp"
#include "base/page.hpp"
#include "runtime/tasking/execution.hpp"
#include "runtime/tasking/helping.hpp"
#include "runtime/team/current_thread.hpp"
#include "runtime/team/implicit_task.hpp"
#include "runtime/team/node_team.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace hetmp::runtime {
namespace {

ReductionCopies* new_copies(uint32_t threads, size_t items) {
  ReductionCopies* made = new ReductionCopies;
  made->threads = threads;
  made->items = items;
  made->copies = std::make_unique<std::atomic<void*>[]>(threads * items);
  return made;
}

/// The program's memory, as for what a task has of its own: threads may be executed elsewhere. Two threads' copies
/// share no line, and no page where they may be.
void* allocate_copy(size_t bytes, bool travels) {
  const size_t unit = travels ? page_bytes : cache_line;
  void* const copy = aligned_alloc(unit, (bytes + unit - 1) / unit * unit);
  if (!copy)
    die(exit_code::no_resources, "no memory for a reduction's copy of %zu bytes", bytes);
  return copy;
}

void* make_copy(const ReductionItem& item, bool travels) {
  void* copy = allocate_copy(item.bytes, travels);
  if (!item.initialise)
    memset(copy, 0, item.bytes);
  else if (item.original)
    reinterpret_cast<void (*)(void*, void*)>(item.initialise)(copy, item.original);
  else
    reinterpret_cast<void (*)(void*)>(item.initialise)(copy);
  return copy;
}

std::atomic<void*>* copies_of(const TaskReductions& reductions, size_t item) {
  return reductions.copies->copies.get() + item * reductions.copies->threads;
}

/// Whether `variable` is the item's, or one of its copies.
bool is_meant(const TaskReductions& reductions, size_t item, void* variable) {
  if (reductions.items[item].variable == variable)
    return true;
  const std::atomic<void*>* copies = copies_of(reductions, item);
  for (uint32_t thread = 0; thread < reductions.copies->threads; thread++) {
    // relaxed: only the address; who has been given a pointer into a copy came after its maker.
    const char* copy = static_cast<char*>(copies[thread].load(std::memory_order_relaxed));
    if (copy && copy <= variable && variable < copy + reductions.items[item].bytes)
      return true;
  }
  return false;
}

/// What a variable is to the thread's tasks.
struct Meant {
  const ReductionItem* item = nullptr; ///< null: nothing reduces it, or one thread executes all
  std::atomic<void*>* copy = nullptr;  ///< the thread's
};

Meant find_meant(ImplicitTask& implicit, TaskGroup* group, void* variable) {
  if (implicit.team->local_threads() == 1)
    return {};
  if (!group)
    group = generating_task(implicit).group;
  for (; group; group = group->outer) {
    const TaskReductions* reductions = group->reductions;
    for (size_t i = 0; reductions && i < reductions->items.size(); i++) {
      if (!is_meant(*reductions, i, variable))
        continue;
      HETMP_CHECK(implicit.local_number < reductions->copies->threads);
      return {&reductions->items[i], &copies_of(*reductions, i)[implicit.local_number]};
    }
  }
  return {};
}

/// The construct's copies, the same for all threads of the team on this node: they meet such constructs in the same
/// order.
ReductionCopies* copies_of_team(NodeTeam& team, uint64_t sequence, size_t items) {
  TeamTasks& tasks = team.tasks;
  FutexLockGuard guard(tasks.reductions_lock);
  for (ReductionCopies* copies : tasks.reductions)
    if (copies->sequence == sequence) {
      HETMP_CHECK(copies->is_team && copies->threads == team.local_threads() && copies->users != 0);
      return copies;
    }
  ReductionCopies* copies = new_copies(team.local_threads(), items);
  copies->is_team = true;
  copies->sequence = sequence;
  copies->users = team.local_threads();
  tasks.reductions.push_back(copies);
  return copies;
}

/// Whether the caller is the last one that uses them: nobody else knows of them any more.
bool give_up(NodeTeam& team, ReductionCopies* copies) {
  if (!copies->is_team)
    return true;
  TeamTasks& tasks = team.tasks;
  FutexLockGuard guard(tasks.reductions_lock); // also: what the others' tasks have done is visible to the last one
  HETMP_CHECK(copies->users != 0);
  if (--copies->users != 0)
    return false;
  std::erase(tasks.reductions, copies);
  return true;
}

void fold(const TaskReductions& reductions) {
  for (size_t i = 0; i < reductions.items.size(); i++) {
    const ReductionItem& item = reductions.items[i];
    std::atomic<void*>* copies = copies_of(reductions, i);
    for (uint32_t thread = 0; thread < reductions.copies->threads; thread++) {
      // acquire: pairs with the release in reduction_copy(). What tasks have done with the copies since then is ordered
      // by the end of their taskgroup, and among threads by give_up().
      void* copy = copies[thread].load(std::memory_order_acquire);
      if (!copy)
        continue;
      item.combine(item.variable, copy);
      if (item.finalise)
        item.finalise(copy);
      free(copy);
    }
  }
}

} // namespace

void begin_reductions(ImplicitTask& implicit, std::vector<ReductionItem> items) {
  TaskGroup* group = generating_task(implicit).group;
  const uint32_t threads = implicit.team->local_threads();
  if (!group)
    return;
  group->reduces = true;
  if (threads == 1)
    return;
  group->reductions = new TaskReductions{std::move(items), nullptr};
  group->reductions->copies = new_copies(threads, group->reductions->items.size());
}

void begin_team_reductions(Thread& self, std::vector<ReductionItem> items) {
  begin_taskgroup(self);
  ImplicitTask& implicit = current_task();
  generating_task(implicit).group->of_reduction = true;
  generating_task(implicit).group->reduces = true;
  NodeTeam& team = *implicit.team;
  if (team.local_threads() == 1)
    return;
  const uint64_t sequence = ++implicit.team_reductions;
  TaskReductions* reductions = new TaskReductions{std::move(items), nullptr};
  reductions->copies = copies_of_team(team, sequence, reductions->items.size());
  implicit.generator.group->reductions = reductions;
}

// relaxed: the end of the region orders what its threads have made before this.
void forget_team_reductions(NodeTeam& team) {
  for (ReductionCopies* copies : team.tasks.reductions) {
    for (size_t i = 0; i < copies->items * copies->threads; i++)
      free(copies->copies[i].load(std::memory_order_relaxed));
    delete copies;
  }
  team.tasks.reductions.clear();
}

void* reduction_copy(ImplicitTask& implicit, TaskGroup* group, void* variable) {
  const Meant meant = find_meant(implicit, group, variable);
  if (!meant.item)
    return variable;
  // Written by this thread only, so it reads relaxed. release: pairs with the acquire in fold().
  if (!meant.copy->load(std::memory_order_relaxed))
    meant.copy->store(make_copy(*meant.item, implicit.team->travels), std::memory_order_release);
  return meant.copy->load(std::memory_order_relaxed);
}

void* reduction_copy_by_other(ImplicitTask& implicit, TaskGroup* group, void* variable) {
  const Meant meant = find_meant(implicit, group, variable);
  // relaxed: its thread, which has made it if anybody has, waits for the answer.
  return meant.item ? meant.copy->load(std::memory_order_relaxed) : variable;
}

void finish_reductions(ImplicitTask& implicit, TaskGroup& group) {
  TaskReductions* reductions = group.reductions;
  if (!reductions)
    return;
  group.reductions = nullptr;
  if (give_up(*implicit.team, reductions->copies)) {
    fold(*reductions);
    delete reductions->copies;
  }
  delete reductions;
}

} // namespace hetmp::runtime
