// Turns: what a node does about a storm of faults (storm_meter.hpp). Nodes that take pages from each other faster than
// they can use them are better off one after the other: a node that has the turn keeps what it has and what it gets, so
// that it brings the pages it works on once and then computes undisturbed, while the others wait for its pages. There
// is one turn for all nodes, which the origin lends to one at a time (turn_order.hpp). All that changes for the page
// protocol is how long messages wait that would take a page away, and that stays bounded.
//
// A node asks for the turn when its threads wait for pages that were taken from them half of their time. It gives it
// back
//   - when one of its threads waits for other nodes: then it is they who have to get on;
//   - when it has computed several times as long as it waited for its pages: so bringing them costs a bounded part of a
//     turn, however many there are and however slow they come;
//   - after the longest turn in any case.
// A thread that looks again and again at memory that another node is to write computes, as far as anybody can see. So
// a node that takes no faults lets go of one of the pages others wait for now and then.
//
// Turns make nodes wait that could compute at the same time. Where threads meet other nodes often (barriers, locks),
// the meetings tell how fast the program gets on: if turns bring fewer of them than there were in the storm, the node
// does without turns for a while.
//
// Pure but for the time, which it is told: CLOCK_MONOTONIC, nanoseconds. One caller at a time.
#pragma once

#include "dsm/turns/outside_waits.hpp"
#include "dsm/turns/storm_meter.hpp"

#include <cstdint>
#include <optional>

namespace hetmp::dsm {

class TurnTaker {
 public:
  using Clock = StormMeter::Clock;

  static constexpr Clock window_ns = 20'000'000;     ///< over which a storm is looked for
  static constexpr Clock next_window_ns = 1'000'000; ///< likewise, soon after a turn
  static constexpr Clock memory_ns = 500'000'000;    ///< what is soon after a turn
  static constexpr Clock shortest_ns = 20'000'000;   ///< turn
  static constexpr Clock longest_ns = 400'000'000;   ///< turn
  static constexpr int computed_for_waited = 4;      ///< a turn has as many times more of the one than of the other
  static constexpr Clock patience_ns = 100'000;      ///< with a thread that waits for other nodes
  static constexpr Clock undisturbed_ns = 2'000'000; ///< after that without a fault a page may go
  static constexpr uint32_t enough_meetings = 2;     ///< in a window, to judge by
  static constexpr Clock trial_ns = 100'000'000;     ///< after that turns are judged
  static constexpr Clock quiet_ns = 1'000'000'000;   ///< without turns, first; then ever longer
  static constexpr Clock most_quiet_ns = 16 * quiet_ns;
  static constexpr Clock look_again_ns = 200'000; ///< within a turn

  enum class Step : uint8_t {
    None,
    Ask,      ///< the origin for the turn
    GiveBack, ///< the turn is over: tell the origin, and keep nothing any more
    LetGo,    ///< of the page that another node has waited for longest
  };

  /// `lanes`: how many threads of the node can compute at once.
  explicit TurnTaker(uint32_t lanes) : lanes_(lanes) {}

  /// What to do now. `kept_back`: messages wait because of the turn.
  Step look(StormMeter& meter, Clock now, bool kept_back, OutsideWaits::View outside);
  /// The turn is this node's: pages are to be kept, at most until the time returned.
  Clock begin(StormMeter& meter, Clock now);

  bool has_asked() const { return state_ == State::Asked; }
  /// When to look again although nothing happens.
  std::optional<Clock> next_look(const StormMeter& meter, Clock now) const;

 private:
  enum class State : uint8_t { Calm, Asked, Turn };

  Clock window(Clock now) const { return now < storm_until_ ? next_window_ns : window_ns; }
  /// How often threads met other nodes.
  struct Meetings {
    Clock since = 0;
    uint32_t begun = 0; ///< then
    uint32_t later(OutsideWaits::View outside) const { return outside.begun - begun; }
  };

  void begin_window(const StormMeter& meter, Clock now, OutsideWaits::View outside);
  Step look_for_storm(StormMeter& meter, Clock now, OutsideWaits::View outside);
  bool turns_help(Clock now, OutsideWaits::View outside);
  bool is_over(const StormMeter& meter, Clock now, OutsideWaits::View outside);
  bool may_let_go(const StormMeter& meter, Clock now, bool kept_back);

  const uint32_t lanes_;
  State state_ = State::Calm;
  Clock begun_ = 0;            ///< the window, or the turn
  Clock waited_ = 0;           ///< until then: in a window for pages that were taken, in a turn for any
  Clock storm_until_ = 0;      ///< shortly after the last turn
  OutsideWaits::View outside_; ///< in a turn, at the last look
  Clock outside_since_ = 0;    ///< it has not changed
  Clock kept_since_ = 0;       ///< messages are kept back, and no page was let go; 0: none are
  Meetings window_, trial_;    ///< since the window, and the trial of turns, began
  double storm_meetings_ = 0;  ///< in a nanosecond, without turns; 0: too few to judge by
  Clock quiet_until_ = 0;      ///< no turns
  Clock next_quiet_ = quiet_ns;
};

} // namespace hetmp::dsm
