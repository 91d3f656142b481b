// The coordinator's part in reductions: the leaders of a team's nodes offer their copies, node 0's takes them one by
// one. The copies lie in memory that nodes share; only their addresses go through here.
#pragma once

#include "runtime/global/requests.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace hetmp::runtime {

class Gatherings {
 public:
  /// OfferCopies, TakeCopies, ReleaseCopies. Appends the answers that become possible; false if no correct node sends
  /// this.
  bool handle(const Request& request, std::vector<Answer>& answers);
  /// What a team left behind.
  void forget_team(uint64_t team);
  size_t under_way() const { return under_way_.size(); }

 private:
  using Name = std::pair<uint64_t, uint64_t>; ///< team, sequence
  struct Gathering {
    std::map<uint32_t, uint64_t> offered; ///< by node, until it is taken
    std::vector<Answer> waiting;          ///< of those who offered and wait until all is combined
    NodeSet offers, taken;                ///< of these nodes
    std::optional<Answer> taker;
    uint32_t wanted = 0; ///< by the taker: the node
  };

  bool offer(const Request& request, std::vector<Answer>& answers);
  bool take(const Request& request, std::vector<Answer>& answers);
  bool release(const Request& request, std::vector<Answer>& answers);
  void hand_over(const Request& request, std::vector<Answer>& answers);

  std::map<Name, Gathering> under_way_;
};

} // namespace hetmp::runtime
