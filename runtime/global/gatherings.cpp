#include "runtime/global/gatherings.hpp"

namespace hetmp::runtime {

bool Gatherings::handle(const Request& request, std::vector<Answer>& answers) {
  switch (request.kind) {
  case Request::Kind::OfferCopies:
    return offer(request, answers);
  case Request::Kind::TakeCopies:
    return take(request, answers);
  case Request::Kind::ReleaseCopies:
    return release(request, answers);
  default:
    return false;
  }
}

bool Gatherings::offer(const Request& request, std::vector<Answer>& answers) {
  if (request.node == 0)
    return false;
  Gathering& gathering = under_way_[{request.team, request.sequence}];
  if (gathering.offers.contains(request.node))
    return false;
  gathering.offers.add(request.node);
  gathering.offered[request.node] = request.word;
  if (request.trips != 0)
    gathering.waiting.push_back(answer_to(request));
  hand_over(request, answers);
  return true;
}

bool Gatherings::take(const Request& request, std::vector<Answer>& answers) {
  if (request.node != 0 || request.word == 0 || request.word >= most_nodes ||
      !request.participants.contains(uint32_t(request.word)))
    return false;
  Gathering& gathering = under_way_[{request.team, request.sequence}];
  if (gathering.taker || gathering.taken.contains(uint32_t(request.word)))
    return false;
  gathering.taker = answer_to(request);
  gathering.wanted = uint32_t(request.word);
  hand_over(request, answers);
  return true;
}

/// The taker gets what it wants if that is there. When it has got everything and nobody waits for it to be done, that
/// was all.
void Gatherings::hand_over(const Request& request, std::vector<Answer>& answers) {
  const auto found = under_way_.find({request.team, request.sequence});
  Gathering& gathering = found->second;
  if (!gathering.taker)
    return;
  const auto offered = gathering.offered.find(gathering.wanted);
  if (offered == gathering.offered.end())
    return;
  gathering.taker->word = offered->second;
  answers.push_back(*gathering.taker);
  gathering.taker.reset();
  gathering.taken.add(gathering.wanted);
  if (gathering.taken.with(0) == request.participants && gathering.waiting.empty())
    under_way_.erase(found);
}

bool Gatherings::release(const Request& request, std::vector<Answer>& answers) {
  const auto found = under_way_.find({request.team, request.sequence});
  if (request.node != 0 || found == under_way_.end() || found->second.taken.with(0) != request.participants)
    return false;
  answers.insert(answers.end(), found->second.waiting.begin(), found->second.waiting.end());
  under_way_.erase(found);
  return true;
}

void Gatherings::forget_team(uint64_t team) {
  under_way_.erase(under_way_.lower_bound({team, 0}), under_way_.upper_bound({team, UINT64_MAX}));
}

} // namespace hetmp::runtime
