// How long the turns are that the threads of one region take on a CPU which they share, learned from its visits. Pure.
//
// A thread that waits for another by reading a flag again and again keeps the CPU from the very thread that is to set
// the flag, until its turn is over: some milliseconds, each time. Shorter turns pass the CPU on sooner; threads that
// compute lose by them, since each turn costs. Nobody can see from outside whether a thread waits or computes, but what
// whole visits take tells it. So some are made with shorter turns, among others with those that are usual so far:
//
//   usual, shorter, shorter, usual
//
// in which order neither visits that take ever less, nor those of which every second one has less to do, look like a
// gain. A region whose first shorter visit gains nothing is left alone for long: it has lost a little of one visit. One
// that seems to gain very much has the shorter turns at once, and a visit with the usual ones soon after, for that
// costs most. What gains is tried with turns that are shorter still, and now and then with longer ones again; and a
// visit that takes as long as one with longer turns did shows that other visits than that had less to do.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hetmp::schedulers {

struct TurnRules {
  static constexpr size_t lengths = 4;
  double turns_us[lengths] = {0, 1000, 200, 50};          ///< 0: those that the kernel gives
  double shortest_visit_us[lengths] = {3000, 3000, 1000}; ///< for which shorter ones than these are tried
  double pays = 0.85;       ///< what takes less than this share of the time with longer turns has the shorter ones
  double pays_much = 0.5;   ///< and at once if it takes less than this share
  double retry_after = 50;  ///< what did not pay is tried again after so many times what that took
  double confirm_after = 2; ///< what pays at once is compared with longer turns after so many times what that may lose,
  double check_after = 25;  ///< and what is known to pay after so many times that
  double growth = 2;        ///< the next time after so many times as long
};

class TurnLength {
 public:
  explicit TurnLength(const TurnRules& rules = {}) : rules_(rules) {}

  /// Of the visit that begins, in microseconds; 0: as long as the kernel makes them.
  double turns_us() const { return rules_.turns_us[length_in_hand()]; }
  /// The visit is over. To be told of all that compare: that nothing else has made slower or faster. `trips`: of its
  /// loops; a visit with others has something else to do. True: other turns than before are usual from now on.
  bool end(double taken_us, uint64_t trips);

  /// Of visits from now on, but for those of trials.
  double usual_turns_us() const { return rules_.turns_us[usual_]; }

 private:
  enum class Trial : uint8_t { None, Shorter, Longer };

  size_t length_in_hand() const;
  void consider_trial(double usual_us, uint64_t trips);
  bool continue_shorter(double taken_us);
  bool continue_longer(double taken_us);
  bool is_refuted_by(double taken_us) const;
  void have_longer(double taken_us);
  void give_up(double taken_us);
  bool have_shorter(double check_after);

  TurnRules rules_;
  size_t usual_ = 0;
  double had_taken_us_[TurnRules::lengths] = {}; ///< of those up to the usual ones: a visit, before they were usual
  double total_us_ = 0;
  double shorter_from_us_ = 0, longer_from_us_ = 0; ///< of `total_us_`, the next trials
  double retry_growth_ = 1, check_growth_ = 1;

  // Of the trial in hand.
  Trial trial_ = Trial::None;
  uint32_t step_ = 0;   ///< visits so far, behind the one with usual turns that it began with
  uint64_t trips_ = 0;  ///< of each
  double usual_us_ = 0; ///< least time with the turns that are usual,
  double tried_us_ = 0; ///< most with shorter ones
};

} // namespace hetmp::schedulers
