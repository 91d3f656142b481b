// The workers that a primary keeps, for as long as a team has them.
#pragma once

#include "runtime/team/thread.hpp"
#include "runtime/team/worker_pool.hpp"

#include <vector>

namespace hetmp::runtime {

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
