// How a node's part of a team is set up, begun and given back. For the files of this room that form teams.
#pragma once

#include "runtime/team/node_team.hpp"
#include "runtime/team/worker_pool.hpp"

namespace hetmp::runtime {

/// A team of the thread's own that nobody uses.
NodeTeam& acquire_team(Thread& self);

/// Room for so many threads. Before anybody enters the team.
void reserve_members(NodeTeam& team, uint32_t local_threads);

/// The description of a region of `threads` threads, all on this node, that `self` meets. Uses up its clauses about
/// sizes.
void describe(NodeTeam& team, Thread& self, const void* source, uint32_t threads);

/// What the microtask is called with; `arguments` need not stay.
void keep_arguments(NodeTeam& team, void* microtask, uint32_t count, void* const* arguments);

/// Counters that begin anew with each region, whoever described it.
void begin_counting(NodeTeam& team);

/// By each thread: it executes its implicit task from now on.
void enter(Thread& thread, NodeTeam& team, uint32_t local_number);

/// Lets the primary's crew begin.
void start_workers(Thread& primary, NodeTeam& team);

/// The thread's part of the region's code.
void execute(Thread& self, NodeTeam& team);

/// Of the primary: back to what it did before; the team is nobody's again.
void leave(Thread& self, NodeTeam& team);

/// The thread's crew for the team it is forming. Inside a team of its own that crew is at work: a nested team gets
/// another one, which goes back to the pool afterwards. So does the crew of a worker, whose help is over with its
/// region.
class CrewScope {
 public:
  explicit CrewScope(Thread& primary) : primary_(primary), nested_(primary.crew_at_work) {
    if (nested_)
      outer_.swap(primary.crew);
    primary.crew_at_work = true;
  }
  ~CrewScope() {
    if (nested_ || !(primary_.root || primary_.resident))
      resize_crew(primary_, 0);
    if (nested_)
      outer_.swap(primary_.crew);
    primary_.crew_at_work = nested_;
  }
  CrewScope(const CrewScope&) = delete;
  CrewScope& operator=(const CrewScope&) = delete;

 private:
  Thread& primary_;
  const bool nested_;
  std::vector<Thread*> outer_;
};

} // namespace hetmp::runtime
