#include "schedulers/placement/turn_length.hpp"

#include "base/check.hpp"

#include <algorithm>

namespace hetmp::schedulers {

size_t TurnLength::length_in_hand() const {
  switch (trial_) {
  case Trial::None:
    return usual_;
  case Trial::Shorter: // shorter, shorter, usual
    return step_ < 2 ? usual_ + 1 : usual_;
  case Trial::Longer: // longer, longer
    return usual_ - 1;
  }
  return usual_;
}

bool TurnLength::end(double taken_us, uint64_t trips) {
  HETMP_CHECK(length_in_hand() < TurnRules::lengths);
  total_us_ += taken_us;
  if (trial_ != Trial::Longer && is_refuted_by(taken_us)) {
    have_longer(taken_us);
    return true;
  }
  if (trial_ == Trial::None) {
    consider_trial(taken_us, trips);
    return false;
  }
  if (trips != trips_) {
    give_up(taken_us);
    return false;
  }
  step_++;
  return trial_ == Trial::Shorter ? continue_shorter(taken_us) : continue_longer(taken_us);
}

/// `usual_us`: what the visit that has just ended has taken, with turns that are usual.
void TurnLength::consider_trial(double usual_us, uint64_t trips) {
  const bool may_be_shorter = usual_ + 1 < TurnRules::lengths && usual_us >= rules_.shortest_visit_us[usual_];
  if (usual_ != 0 && total_us_ >= longer_from_us_)
    trial_ = Trial::Longer;
  else if (may_be_shorter && total_us_ >= shorter_from_us_)
    trial_ = Trial::Shorter;
  else
    trial_ = Trial::None;
  step_ = 0;
  trips_ = trips;
  usual_us_ = usual_us;
  tried_us_ = 0;
}

bool TurnLength::continue_shorter(double taken_us) {
  constexpr uint32_t all = 3;
  if (step_ == all)
    usual_us_ = std::min(usual_us_, taken_us);
  else
    tried_us_ = std::max(tried_us_, taken_us);
  if (tried_us_ < rules_.pays_much * usual_us_)
    return have_shorter(rules_.confirm_after);
  if (tried_us_ >= rules_.pays * usual_us_) {
    give_up(taken_us);
    return false;
  }
  return step_ == all && have_shorter(rules_.check_after);
}

/// The shorter turns stay usual if one of two visits with longer ones shows that they pay.
bool TurnLength::continue_longer(double taken_us) {
  constexpr uint32_t all = 2;
  if (usual_us_ < rules_.pays * taken_us) {
    longer_from_us_ = total_us_ + rules_.check_after * check_growth_ * (taken_us - usual_us_);
    check_growth_ *= rules_.growth;
    trial_ = Trial::None;
    return false;
  }
  if (step_ < all)
    return false;
  have_longer(taken_us);
  return true;
}

/// Of a visit with turns that are usual, or shorter.
bool TurnLength::is_refuted_by(double taken_us) const {
  return usual_ != 0 && taken_us >= rules_.pays * had_taken_us_[usual_];
}

void TurnLength::have_longer(double taken_us) {
  usual_--;
  give_up(taken_us);
  longer_from_us_ = 0;
}

/// Trials tell nothing, or no good; the last visit of one has taken so long.
void TurnLength::give_up(double taken_us) {
  shorter_from_us_ = total_us_ + rules_.retry_after * retry_growth_ * taken_us;
  if (trial_ == Trial::Longer)
    longer_from_us_ = total_us_ + rules_.check_after * taken_us;
  retry_growth_ *= rules_.growth;
  trial_ = Trial::None;
}

bool TurnLength::have_shorter(double check_after) {
  usual_++;
  had_taken_us_[usual_] = usual_us_;
  longer_from_us_ = total_us_ + check_after * (usual_us_ - tried_us_);
  shorter_from_us_ = 0;
  retry_growth_ = check_growth_ = 1;
  consider_trial(tried_us_, trips_);
  return true;
}

} // namespace hetmp::schedulers
