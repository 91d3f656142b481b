// The coordinator's part in barriers and joins: the leaders of a team's nodes come, and go on when all have. Those who
// wait at a barrier may be given tasks that another node has to spare.
#pragma once

#include "perf/report/region_record.hpp"
#include "runtime/global/requests.hpp"

#include <cstdint>
#include <map>
#include <vector>

namespace hetmp::runtime {

class Meetings {
 public:
  void barrier(Asker from, const Request::Barrier& asked, std::vector<Answer>& answers);

  /// Whether all nodes of the team have come: the region is over then. Node 0 alone is answered.
  bool join(Asker from, const Request::Join& asked, std::vector<Answer>& answers);

  /// Nodes of the team that wait at a barrier, which could be given tasks.
  uint32_t idle_nodes(uint64_t team) const;

  /// The node of the team that has waited longest at a barrier gets the tasks, and has not come there any more. If none
  /// waits, they go back. False: no correct node sends this.
  bool offer_tasks(Asker from, const Request::OfferTasks& asked, std::vector<Answer>& answers);

  /// A task that another node has executed goes back to its own.
  void return_task(const Request::ReturnTask& asked, std::vector<Answer>& answers);

  /// So far.
  const perf::TaskTotals& tasks() const { return tasks_; }

 private:
  struct Meeting {
    bool barrier = false; ///< not a join
    uint32_t arrived = 0;
    uint64_t word = 0;  ///< of a barrier
    uint64_t trips = 0; ///< of a join,
    bool bound = false; ///< and the rest of what nodes have seen
    std::vector<Asker> waiting;
  };

  Meeting* with_idle_node(uint64_t team);

  std::map<ConstructName, Meeting> under_way_;
  perf::TaskTotals tasks_;
};

} // namespace hetmp::runtime
