// How much of its CPUs' time the origin gets while regions at home compute: a control group's quota, or another
// program, may deny it some. Pure.
//
// That its process was executed for less time than its CPUs could have given may have another reason: its threads
// wait, for each other or for somebody else. So what seems to be slow is not, unless there is a quota, or its CPUs were
// not idle meanwhile. Before enough was seen it is as fast as a quota lets it be.
#pragma once

#include <algorithm>
#include <optional>

namespace hetmp::schedulers {

class HomeSpeed {
 public:
  static constexpr double least_us = 20'000;      ///< of regions that have been seen tell something
  static constexpr double most_us = 400'000;      ///< then what was seen counts half: a quota's periods take 100 ms
  static constexpr double outweighs_us = 200'000; ///< and so much says more than a quota that nobody has felt yet
  static constexpr double between_us = 1000;      ///< of two short visits that are looked at; or more
  static constexpr double slow = 0.9;             ///< share of its CPUs' time from which on downwards it needs a reason
  static constexpr double waits = 0.3; ///< a visit that was executed for less than so much of its share has waited
  static constexpr double between_idle_us = 20'000; ///< likewise, where it is asked for how long few CPUs were idle,
  static constexpr double least_idle_us = 50'000;   ///< of which so much tells something, since that is known by ticks

  explicit HomeSpeed(double cpus) : cpus_(cpus) {}

  /// A visit of a region at home, and the time for which all threads of the process were executed meanwhile. `away_us`:
  /// for so long at most there was nothing to execute, since threads were elsewhere; the share is at most what is told.
  void add(double taken_us, double executed_us, double away_us = 0) {
    if (away_us < taken_us)
      all_.add(taken_us - away_us, executed_us);
    knows_quota_ = knows_quota_ && seems_slow();
  }
  bool seems_slow() const { return all_.share(cpus_) <= slow; }

  /// Somebody has to ask for the quota of the process, in CPUs; there may be none.
  bool asks_for_quota() const { return seems_slow() && !knows_quota_; }
  void set_quota(std::optional<double> quota) {
    quota_ = quota && *quota < cpus_ ? quota : std::nullopt;
    knows_quota_ = true;
  }

  /// It is there, and will slow the run down, unless that turns out not to be so.
  void expect_quota(double quota) {
    set_quota(quota);
    is_expected_ = true;
  }

  /// There is none that explains it: somebody has to ask for how long CPUs are idle.
  bool asks_for_idle() const { return seems_slow() && knows_quota_ && !quota_; }
  /// A visit as above, and for how long, in sum, the CPUs had nothing to execute.
  void add_idle(double taken_us, double executed_us, double idle_us) {
    recent_.taken_us += taken_us;
    recent_.executed_us += executed_us + idle_us; // the rest was somebody else's
    if (recent_.taken_us >= least_idle_us)
      own_.add(recent_.taken_us, recent_.executed_us), recent_ = {};
  }

  /// Of a visit: what it would have taken if the CPUs' time came evenly. A quota gives all of it for a while and then
  /// nothing, so a few visits that may be short tell little.
  double evenly_us(double taken_us, double executed_us) const {
    const double share = all_.share(cpus_);
    if (!quota_ || !seems_slow() || executed_us < waits * share * cpus_ * taken_us)
      return taken_us;
    return executed_us / (share * cpus_);
  }

  /// 1: all, or not known yet.
  double share() const {
    if (is_expected_ && quota_ && all_.taken_us < outweighs_us)
      return *quota_ / cpus_;
    if (!seems_slow())
      return all_.share(cpus_);
    if (!knows_quota_)
      return 1;
    return quota_ ? std::max(all_.share(cpus_), std::min(*quota_ / cpus_, 1.0)) : own_.share(cpus_);
  }

 private:
  struct Seen {
    double taken_us = 0;
    double executed_us = 0; ///< meanwhile
    void add(double taken, double executed) {
      taken_us += taken;
      executed_us += executed;
      if (taken_us <= most_us)
        return;
      executed_us *= most_us / 2 / taken_us;
      taken_us = most_us / 2;
    }
    bool is_known() const { return taken_us >= least_us; }
    double share(double cpus) const { return !is_known() ? 1 : std::clamp(executed_us / (taken_us * cpus), 0.0, 1.0); }
  };
  const double cpus_;
  Seen all_;
  Seen own_;    ///< of what the CPUs could have given, whether it was used or not
  Seen recent_; ///< likewise, of visits that are not in that yet
  bool knows_quota_ = false;
  bool is_expected_ = false; ///< that there is a quota_ that denies it CPUs
  std::optional<double> quota_;
};

} // namespace hetmp::schedulers
