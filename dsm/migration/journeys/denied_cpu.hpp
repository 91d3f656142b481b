// Whether a thread is denied its node's CPUs: by a control group's quota, or by other programs. Pure.
//
// What it was not executed for, in spans of time without sleeping, it was denied; but for what other threads of the
// process that executes it have had meanwhile: those are the node's own.
#pragma once

#include <algorithm>
#include <cstdint>

namespace hetmp::dsm {

class DeniedCpu {
 public:
  static constexpr int64_t least_ns = 20'000'000; ///< of looking tells something
  static constexpr int64_t most_ns = 400'000'000; ///< then what was seen counts half: a quota's periods take 100 ms
  static constexpr double slow = 0.25;            ///< share of the time that is denied; or more
  static constexpr int64_t look_ns = 10'000'000;  ///< so long until the next look
  static constexpr int64_t soon_ns = 1'000'000;   ///< where it is slow, for a place elsewhere

  struct Times {
    int64_t now_ns;
    int64_t thread_ns;  ///< that it has been executed
    int64_t process_ns; ///< the same of all threads of its process
    int64_t sleeps;     ///< how often it has given up its CPU by itself
  };

  /// What was before is not to be seen. `cpus`: of the process.
  void begin(const Times& now, uint32_t cpus) {
    last_ = now;
    cpus_ = cpus;
  }

  /// How long it was denied a CPU since begin(), or the last look; ns. 0 where it has slept.
  int64_t look(const Times& now) {
    const Times before = last_;
    last_ = now;
    const int64_t passed = now.now_ns - before.now_ns;
    if (now.sleeps != before.sleeps || passed <= 0)
      return 0;
    const int64_t by_others = cpus_ * passed - (now.process_ns - before.process_ns);
    const int64_t denied =
        std::clamp<int64_t>(std::min(passed - (now.thread_ns - before.thread_ns), by_others), 0, passed);
    seen_ns_ += passed;
    denied_ns_ += denied;
    if (seen_ns_ > most_ns) {
      denied_ns_ = denied_ns_ * (most_ns / 2) / seen_ns_;
      seen_ns_ = most_ns / 2;
    }
    return denied;
  }

  /// Of the time in which it could have computed.
  double denied_share() const { return is_known() ? double(denied_ns_) / double(seen_ns_) : 0; }
  bool is_known() const { return seen_ns_ >= least_ns; }
  bool is_slow() const { return denied_share() >= slow; }
  /// Where CPUs are denied so much, what is computed takes so many times as long.
  static double times_as_long(double denied) { return 1 / std::max(1 - denied, 0.01); }
  /// Of one that has a CPU there: the share of what it computes elsewhere that is gained, since it would have taken
  /// longer by so much. At most all.
  static double gain_elsewhere(double denied) { return std::min(1.0, times_as_long(denied) - 1); }
  int64_t next_look_ns() const { return is_slow() ? soon_ns : look_ns; }

 private:
  Times last_{};
  int64_t cpus_ = 1;
  int64_t seen_ns_ = 0;
  int64_t denied_ns_ = 0; ///< of those
};

} // namespace hetmp::dsm
