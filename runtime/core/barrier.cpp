#include "runtime/core/barrier.hpp"

#include "runtime/core/traced.hpp"
#include "runtime/core/visits.hpp"

namespace hetmp::runtime {
namespace {

/// A thread alone defers a task only if that waits for an event.
void finish_tasks_alone(ImplicitTask& task) {
  if (!task.team->released.tasks_announced())
    return;
  finish_tasks(task);
  task.team->released.complete_with_tasks();
}

} // namespace

void team_barrier(ImplicitTask& task, const void* site) {
  NodeTeam& team = *task.team;
  if (team.alone()) {
    finish_tasks_alone(task);
    return;
  }
  const uint64_t sequence = ++task.constructs;
  const perf::TraceSpan span(is_traced(task), perf::TraceEvent::Kind::Barrier, team.description.node, task.number);
  local_barrier_with_tasks(task, [&] {
    visits::ends(team);
    if (team.global)
      team.global->barrier(team.description, sequence, 0, site);
  });
}

uint64_t team_barrier_with_word(ImplicitTask& task, uint64_t word) {
  NodeTeam& team = *task.team;
  if (team.alone()) {
    finish_tasks_alone(task);
    return word;
  }
  const uint64_t sequence = ++task.constructs;
  const perf::TraceSpan span(is_traced(task), perf::TraceEvent::Kind::Barrier, team.description.node, task.number);
  if (word != 0)
    team.words.fetch_or(word, std::memory_order_relaxed); // published by the arrival
  local_barrier_with_tasks(task, [&] {
    visits::ends(team);
    const uint64_t local = team.words.exchange(0, std::memory_order_relaxed);
    team.barrier_word = team.global ? team.global->barrier(team.description, sequence, local) : local;
  });
  return team.barrier_word; // stays until every thread of the node has arrived at the next one
}

} // namespace hetmp::runtime
