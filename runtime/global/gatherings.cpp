#include "runtime/global/gatherings.hpp"

#include "base/check.hpp"

namespace hetmp::runtime {

bool Gatherings::offer(Asker from, const Request::OfferCopies& asked, std::vector<Answer>& answers) {
  if (from.node == 0)
    return false;
  Gathering& gathering = under_way_[asked.name];
  if (gathering.offers.contains(from.node))
    return false;
  gathering.offers.add(from.node);
  gathering.offered[from.node] = asked.address;
  if (asked.waits)
    gathering.waiting.push_back(from);
  hand_over(asked.name, asked.nodes, answers);
  return true;
}

bool Gatherings::take(Asker from, const Request::TakeCopies& asked, std::vector<Answer>& answers) {
  if (from.node != 0 || asked.of_node == 0 || !asked.nodes.contains(asked.of_node))
    return false;
  Gathering& gathering = under_way_[asked.name];
  if (gathering.taker || gathering.taken.contains(asked.of_node))
    return false;
  gathering.taker = from;
  gathering.wanted = asked.of_node;
  hand_over(asked.name, asked.nodes, answers);
  return true;
}

/// The taker gets what it wants if that is there. When it has got everything and nobody waits for it to be done, that
/// was all.
void Gatherings::hand_over(ConstructName name, NodeSet nodes, std::vector<Answer>& answers) {
  const auto found = under_way_.find(name);
  HETMP_CHECK(found != under_way_.end());
  Gathering& gathering = found->second;
  HETMP_CHECK(gathering.offers.size() == gathering.offered.size() &&
              gathering.waiting.size() <= gathering.offers.size());
  if (!gathering.taker)
    return;
  const auto offered = gathering.offered.find(gathering.wanted);
  if (offered == gathering.offered.end())
    return;
  HETMP_CHECK(!gathering.taken.contains(gathering.wanted)); // each node's once
  answers.push_back({*gathering.taker, Answer::Copies{offered->second}});
  gathering.taker.reset();
  gathering.taken.add(gathering.wanted);
  if (gathering.taken.with(0) == nodes && gathering.waiting.empty())
    under_way_.erase(found);
}

bool Gatherings::release(Asker from, const Request::ReleaseCopies& asked, std::vector<Answer>& answers) {
  const auto found = under_way_.find(asked.name);
  if (from.node != 0 || found == under_way_.end() || found->second.taken.with(0) != asked.nodes)
    return false;
  for (const Asker waiting : found->second.waiting)
    answers.push_back({waiting, Answer::Go{}});
  under_way_.erase(found);
  return true;
}

void Gatherings::forget_team(uint64_t team) {
  under_way_.erase(under_way_.lower_bound({team, 0}), under_way_.upper_bound({team, UINT64_MAX}));
}

} // namespace hetmp::runtime
