#include "runtime/regions/fork.hpp"

#include "base/message.hpp"
#include "runtime/process/nodes.hpp"
#include "runtime/process/withdrawal.hpp"
#include "runtime/regions/spread_team.hpp"
#include "runtime/regions/team_setup.hpp"
#include "runtime/tasking/helping.hpp"
#include "runtime/team/binding.hpp"
#include "runtime/team/display.hpp"
#include "runtime/team/team_size.hpp"
#include "runtime/team/worker_pool.hpp"
#include "runtime/wait/fresh_page.hpp"
#include "runtime/wait/write_changed.hpp"
#include "schedulers/arithmetic/deal.hpp"

#include <algorithm>
#include <utility>

namespace hetmp::runtime {
namespace {

constexpr int exit_code_no_resources = 71; // EX_OSERR of sysexits.h

/// What becomes of the threads wanted for a region.
struct Division {
  std::vector<uint32_t> by_node; ///< empty: all on this node
  uint32_t threads = 0;
  uint32_t idle = 0; ///< those of them that only keep the team's size
};

Division divide(Thread& self, uint32_t threads, uint32_t count, const void* microtask) {
  if (!may_spread(self, threads, count))
    return {{}, threads, 0};
  std::vector<uint32_t> dealt = schedulers::deal_threads(threads, layout().cpu_counts(), nodes_for_region(microtask));
  if (dealt[0] == threads) { // the region needs this node only
    const uint32_t useful = std::min(threads, layout().cpu_counts()[0]);
    if (self.task->icvs.dynamic) // only then may a team be smaller than the program was told
      return {{}, useful, 0};
    return {{}, threads, threads - useful};
  }
  resize_crew(self, dealt[0] - 1);
  if (self.crew.size() < dealt[0] - 1)
    return {{}, threads, 0}; // every node computes how a team is dealt: without these threads it stays here
  return {std::move(dealt), threads, 0};
}

void run_on_this_node(Thread& self, NodeTeam& team) {
  start_workers(self, team);
  enter(self, team, 0);
  execute(self, team);
  finish_region(self, team);
  leave(self, team);
  if (!team.seats.empty()) [[unlikely]]
    affinity::leave_bound_team(self);
}

} // namespace

void fork_team(Thread& self, const void* source, void* microtask, uint32_t count, void* const* arguments,
               Invoker invoke) {
  if (count > most_arguments)
    die(exit_code_no_resources, "a parallel region with %u arguments; the most are %u", count, most_arguments);
  const int proc_bind = std::exchange(self.pushed_proc_bind, -1);
  const uint32_t threads = wanted_threads(self);
  if (threads == 1) {
    use_strict_clause(self, 1);
    begin_serial_region(self, source);
    invoke(microtask, self.gtid, 0, count, arguments);
    end_serial_region(self);
    return;
  }
  const ContentionScope contention(counted_group(*self.task), threads);
  CrewScope crew(self);
  const Division division = divide(self, threads, count, microtask);
  const bool here = division.by_node.empty();
  if (here)
    resize_crew(self, division.threads - 1);
  NodeTeam& team = acquire_team(self);
  write_changed(team.enclosing, self.task);
  describe(team, self, source, here ? uint32_t(self.crew.size()) + 1 : threads);
  write_changed(team.working_threads, team.local_threads() - std::min(division.idle, team.local_threads() - 1));
  reserve_members(team, team.local_threads());
  keep_arguments(team, microtask, count, arguments);
  affinity::prepare_seats(self, team, proc_bind);
  affinity::choose_display(self, team);
  write_changed(team.description.invoke, invoke);
  if (here)
    run_on_this_node(self, team);
  else if (several_processes()) // the region's shared variables lie in its caller's frame
    on_fresh_page([&] { run_spread(self, team, division.by_node); });
  else
    run_spread(self, team, division.by_node);
}

void begin_serial_region(Thread& self, const void* source) {
  self.pushed_threads = 0;
  self.pushed_strict.threads = 0;
  NodeTeam& team = acquire_team(self);
  write_changed(team.enclosing, self.task);
  describe(team, self, source, 1);
  affinity::leave_seats(team);
  affinity::choose_display(self, team);
  reserve_members(team, 1);
  enter(self, team, 0);
}

void end_serial_region(Thread& self) {
  finish_region(self, *self.task->team);
  leave(self, *self.task->team);
}

void work(Thread& worker) {
  NodeTeam* team = worker.next_team;
  if (!team) {
    run_node_part(*worker.next_part);
    if (!worker.resident)
      pool_of_node(worker.node).give_back(&worker);
    return;
  }
  if (worker.called_back) {
    worker.called_back = false;
    worker.task = &team->members[worker.next_local_number];
  } else {
    enter(worker, *team, worker.next_local_number);
    execute(worker, *team);
  }
  leave_region(worker, *team); // the last access to the team: its primary may set it up anew
}

} // namespace hetmp::runtime
