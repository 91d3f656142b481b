// The coordinator's part in reductions: the leaders of a team's nodes offer their copies, node 0's takes them one by
// one. The copies lie in memory that nodes share; only their addresses go through here.
#pragma once

#include "runtime/global/requests.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace hetmp::runtime {

class Gatherings {
 public:
  // Each appends the answers that become possible; false if no correct node sends this.
  bool offer(Asker from, const Request::OfferCopies& asked, std::vector<Answer>& answers);
  bool take(Asker from, const Request::TakeCopies& asked, std::vector<Answer>& answers);
  bool release(Asker from, const Request::ReleaseCopies& asked, std::vector<Answer>& answers);

  /// What a team left behind.
  void forget_team(uint64_t team);
  size_t under_way() const { return under_way_.size(); }

 private:
  struct Gathering {
    std::map<uint32_t, uint64_t> offered; ///< by node, until it is taken
    std::vector<Asker> waiting;           ///< of those who offered and wait until all is combined
    NodeSet offers, taken;                ///< of these nodes
    std::optional<Asker> taker;
    uint32_t wanted = 0; ///< by the taker: the node
  };

  void hand_over(ConstructName name, NodeSet nodes, std::vector<Answer>& answers);

  std::map<ConstructName, Gathering> under_way_;
};

} // namespace hetmp::runtime
