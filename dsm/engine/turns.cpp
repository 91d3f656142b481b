#include "dsm/engine/turns.hpp"

#include "base/clock.hpp"
#include "base/machine/cpu_list.hpp"

#include <algorithm>

namespace hetmp::dsm {

void Turns::set_up(uint32_t node, ServiceClient& client) {
  node_ = node;
  client_ = &client;
  taker_.emplace(std::max(uint32_t(allowed_cpus().size()), 1u));
}

void Turns::look() {
  if (!wanted_)
    return;
  const int64_t now = monotonic_ns();
  switch (taker_->look(engine_.meter(), now, engine_.holds().keeps_back(), outside_.view())) {
  case TurnTaker::Step::None:
    break;
  case TurnTaker::Step::Ask:
    client_->send_turn(origin, TurnMessage::Asked);
    break;
  case TurnTaker::Step::GiveBack:
    engine_.holds().keep_no_more(now);
    client_->send_turn(origin, TurnMessage::Over);
    break;
  case TurnTaker::Step::LetGo:
    engine_.holds().let_go_oldest(now);
    break;
  }
}

std::optional<int64_t> Turns::until_look() const {
  const int64_t now = monotonic_ns();
  const auto next = wanted_ ? taker_->next_look(engine_.meter(), now) : std::nullopt;
  return next ? std::optional(*next - now) : std::nullopt;
}

bool Turns::message(uint32_t from, uint64_t step) {
  std::optional<uint32_t> whose;
  switch (step) {
  case uint64_t(TurnMessage::Asked):
    whose = order_.asked(from);
    break;
  case uint64_t(TurnMessage::Over):
    whose = order_.over(from);
    break;
  case uint64_t(TurnMessage::Yours):
    if (from != origin || !taker_->has_asked())
      return false;
    begin();
    return true;
  default:
    return false;
  }
  if (whose)
    client_->send_turn(*whose, TurnMessage::Yours);
  return node_ == origin;
}

void Turns::begin() {
  const int64_t now = monotonic_ns();
  engine_.holds().keep_all(taker_->begin(engine_.meter(), now));
  // Not when a thread waits for other nodes: the turn is as good as over, and a node without a region takes nothing.
  if (fetches_ && outside_.view().waiting == 0)
    engine_.fetch_back();
}

} // namespace hetmp::dsm
