#include "runtime/core/cancellation.hpp"

#include "runtime/core/barrier.hpp"
#include "runtime/core/loop.hpp"
#include "runtime/tasking/execution.hpp"

namespace hetmp::runtime {
namespace {

/// The thread leaves a loop before its end: what would still come to it is taken and not executed, so that the loop is over when
/// all threads have left it.
void abandon_loop(ImplicitTask& task) {
  schedulers::Range chunk;
  while (next_chunk(task, chunk)) {
  }
}

bool leave(ImplicitTask& task) {
  if (task.loop.open && !task.loop.ordered) // chunks of an ordered one come in turn, which others may not give any more
    abandon_loop(task);
  return true;
}

// What is cancelled, as part of a word at a barrier.
constexpr unsigned cancelled_shift = 56;
uint64_t as_word(uint32_t cancelled) { return uint64_t(cancelled) << cancelled_shift; }
uint32_t cancelled_in(uint64_t word) { return uint32_t(word >> cancelled_shift) & 0xf; }

/// All threads meet and tell each other what is cancelled; `more` goes into the word. A region that is cancelled stays so.
uint64_t meet_and_tell(ImplicitTask& task, uint64_t more, const void* site = nullptr) {
  NodeTeam& team = *task.team;
  const uint64_t word = meet(task, as_word(team.cancelled.load(std::memory_order_relaxed)) | more, site);
  if ((cancelled_in(word) & uint32_t(Cancelled::Parallel)) != 0) {
    team.cancelled.fetch_or(uint32_t(Cancelled::Parallel), std::memory_order_relaxed);
    team.out_of_step.store(true, std::memory_order_relaxed);
  }
  return word;
}

void forget_cancelled(ImplicitTask& task) {
  team_barrier(task); // all have read it
  task.team->cancelled.store(0, std::memory_order_relaxed);
  team_barrier(task); // nobody cancels the next construct before it is forgotten
}

} // namespace

bool cancel(ImplicitTask& task, Cancelled what) {
  if (!regions_may_be_cancelled)
    return false;
  if (what == Cancelled::Taskgroup) {
    TaskGroup* group = generating_task(task).group;
    if (group)
      group->cancelled.store(true, std::memory_order_relaxed);
    return group != nullptr;
  }
  // relaxed: whoever sees it later goes on for a while; the barrier orders the rest.
  task.team->cancelled.fetch_or(uint32_t(what), std::memory_order_relaxed);
  return leave(task);
}

bool has_been_cancelled(ImplicitTask& task, Cancelled what) {
  if (!regions_may_be_cancelled)
    return false;
  if (what == Cancelled::Taskgroup) {
    const TaskGroup* group = generating_task(task).group;
    return group && group->cancelled.load(std::memory_order_relaxed);
  }
  return (task.team->cancelled.load(std::memory_order_relaxed) & uint32_t(what)) != 0;
}

bool is_cancelled(ImplicitTask& task, Cancelled what) {
  return has_been_cancelled(task, what) && (what == Cancelled::Taskgroup || leave(task));
}

bool cancel_barrier(ImplicitTask& task) {
  if (!regions_may_be_cancelled) {
    team_barrier(task);
    return false;
  }
  if (cancelled_in(meet_and_tell(task, inside_region)) == 0)
    return false;
  forget_cancelled(task);
  return true;
}

bool leaving_barrier(ImplicitTask& task, const void* site) {
  if (!regions_may_be_cancelled) {
    team_barrier(task, site);
    return false;
  }
  const uint32_t cancelled = cancelled_in(meet_and_tell(task, inside_region, site));
  if ((cancelled & uint32_t(Cancelled::Parallel)) != 0)
    return true;
  if (cancelled != 0)
    forget_cancelled(task);
  return false;
}

void meet_at_end(ImplicitTask& task) {
  if (!regions_may_be_cancelled)
    return;
  while ((meet_and_tell(task, 0) & inside_region) != 0) {
  }
}

} // namespace hetmp::runtime
