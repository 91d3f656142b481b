// The loops that teams of one shape meet in a program, and what they have decided together.
#pragma once

#include "schedulers/learning/loop_history.hpp"
#include "schedulers/together/program_pace.hpp"
#include "schedulers/together/together.hpp"

#include <cstdint>
#include <deque>
#include <limits>
#include <vector>

namespace hetmp::schedulers {

/// Every loop decides for itself first. As soon as most of the work is in loops of which it is known what they take,
/// together.hpp weighs that against the same loops on one node, and against a division of all of them at one place. The
/// latter is tried before it is believed. What wins is what all of these loops are held to for a number of visits, and
/// twice as many the next time. Loops that come later follow, as far as they would not lose by it; when loops that are
/// not held have done as much as the choice was of, and carry half of the work, these are weighed anew. Where loops'
/// own decisions are the best, nothing changes.
///
/// Loops' times do not tell what happens between them: pages that the program's serial parts fetch back, orders to
/// nodes. So it is watched how long the program takes from one visit of the heaviest loop to the next. If all loops on
/// another node than now are estimated to take clearly less than that, this is tried as well, and judged by the same
/// clock.
///
/// Not synchronised: one owner, which outlives nothing that it is told of.
class LoopGroup {
 public:
  LoopGroup();

  /// A visit of the loop has ended. `measured`: the loop has taken it into account. The history stays where it is for
  /// as long as the group is used. `now_us`: on any clock; 0: there is none, and nothing is watched.
  void visited(LoopHistory& loop, bool measured, const DecisionRules& rules, double now_us = 0);

  /// How often loops have been held together.
  uint32_t holds() const { return holds_; }

 private:
  struct Member {
    LoopHistory* loop = nullptr;
    double visits_before = 0; ///< when the group chose last
    double iterations_before = 0;
    Decision own{};          ///< before the trial in hand, or the last audit's
    bool was_placed = false; ///< likewise
    bool tried = false;
    bool is_divided = false; ///< held to the division of all

    double visits() const { return static_cast<double>(loop->visits()) - visits_before; }
    double iterations() const { return loop->iterations() - iterations_before; }
    double work_us() const { return iterations() * loop->times().least_elapsed_us(); }
  };
  using Members = std::vector<Member*>;

  enum class Trial : uint8_t {
    None,
    Divided, ///< all at one place, judged by what loops measure
    Alone,   ///< all on one node, judged by the clock
  };

  /// The program's pace, by its heaviest loop.
  struct Watch {
    LoopHistory* leader = nullptr; ///< null: nothing is watched
    uint64_t from_visit = 0;       ///< of the leader, when the clock is looked at first
    bool stands = false;           ///< all loops' decisions did meanwhile
    ProgramPace pace{};
    uint32_t node = 0;    ///< of a trial: on which all loops are
    double before_us = 0; ///< of a trial: what the program took before it, per iteration of the leader
    bool early = false;   ///< of a trial: loops' decisions did not stand yet
  };

  static constexpr uint32_t first_hold = 256;           ///< visits
  static constexpr uint64_t visits_that_move_pages = 3; ///< of a loop that runs elsewhere from now on

  struct Estimate {
    uint32_t node = 0;
    double us = std::numeric_limits<double>::infinity();
  };

  Member& member_of(LoopHistory& loop);
  static LoopCost cost_of(const Member& member);
  static TogetherCosts costs_of(const Members& members, const DecisionRules& rules);
  Members free_members();
  Members held_members();
  bool carry(const Members& some, double least_part) const;
  void weigh(const DecisionRules& rules);
  void try_divided(const Members& members);
  Decision divided(const LoopHistory& loop, const char* reason) const;
  void time_trial(const Members& tried);
  static double most_visits(const Members& members);
  static bool are_short(const Members& members);
  void judge_divided_trial(const DecisionRules& rules);
  void rejoin(Member& member, const DecisionRules& rules);
  void follow(const Members& others, const DecisionRules& rules);
  void hold(const Members& members, const TogetherChoice& choice, const TogetherCosts& costs,
            const DecisionRules& rules);
  void watch(const Members& members, uint64_t visits_to_skip);
  Estimate estimate_alone(const DecisionRules& rules);
  void look_at_clock(const LoopHistory& leader, const DecisionRules& rules, double now_us);
  void try_alone(uint32_t node, double before_us);
  void hold_alone(Member& member);
  void judge_alone(double taken_us);
  void abandon_alone();
  void end_watch();
  void count_anew();

  std::deque<Member> members_; ///< addresses stay
  Trial trial_ = Trial::None;
  bool is_timed_ = false;     ///< of a division: visits are timed, and no longer measured
  TogetherCosts untried_;     ///< before the trial
  std::vector<double> speed_; ///< of a division of all loops
  TogetherChoice choice_;     ///< that loops are held to
  double weighed_us_ = 0;     ///< work that the last choice was of
  bool divided_was_tried_ = false;
  Watch watch_;
  bool was_watched_ = false;
  bool was_glanced_at_ = false; ///< there was an early trial
  uint32_t holds_ = 0;
  uint32_t next_hold_; ///< visits
};

} // namespace hetmp::schedulers
