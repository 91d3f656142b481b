// When a thread at home, whose CPU is slow, and one that is away change places. Pure.
//
// Of two threads with equal shares of a loop, one has half a CPU. If each keeps what it has, and the slow one gets the
// fast CPU when the other is done, the loop takes three quarters of what the fast CPU would take for all of it. If they
// get on alike, both CPUs work to the end, and it takes two thirds. So the thread that has had less CPU time takes the
// place of the one that has had most, as soon as it is so far behind that both ways are worth it. (S. Hofmeyr, C.
// Iancu, F. Blagojevic: Load Balancing on Speed. PPoPP 2010.)
//
// Once is enough where it is known when half of the time is over: pages are fetched anew each time. Threads that take
// what there is to do, and those that meet at barriers every moment, are not far apart for long.
#pragma once

#include <algorithm>
#include <cstdint>

namespace hetmp::dsm {

class ChangeOfPlaces {
 public:
  static constexpr int64_t least_lead_ns = 40'000'000;
  static constexpr int64_t way_ns = 1'000'000; ///< of both, and what each wants at first
  /// Between two changes the thread at home falls behind by its lead and by as much again. On a CPU of half the speed
  /// that takes four times the lead, and pages come on both nodes: about a thirtieth of the time.
  static constexpr int64_t costs_often = 16;
  static constexpr int64_t costs_once = 3; ///< a change that is to be the only one gains so many times what it costs

  /// A journey begins. Of visits before, 0 where it is not known: `waited_ns`, what a stay that began by a change has
  /// waited for pages; `usual_ns`, the CPU time of a thread.
  void begin(int64_t waited_ns, int64_t usual_ns) {
    cost_ns_ = way_ns + waited_ns;
    usual_ns_ = usual_ns;
  }
  /// A stay that began by a change is over.
  void has_waited(int64_t waited_ns) { cost_ns_ = way_ns + std::max<int64_t>(waited_ns, 0); }

  /// Whether to change places with one that has had so much more CPU time. `denied`: share of the time for which the
  /// CPU at home is.
  bool pays(int64_t lead_ns, double denied) const { return lead_ns >= wanted_lead_ns(denied); }

 private:
  int64_t wanted_lead_ns(double denied) const {
    const int64_t often_ns = std::max(least_lead_ns, costs_often * cost_ns_);
    const double speed = 1 - denied, usual_ns = double(usual_ns_);
    // With and without: 2 / (1 + speed) and 2 - speed, of the thread's time.
    const double gain_ns = usual_ns * (speed - speed * speed) / (1 + speed);
    const double once_ns = usual_ns * denied / (1 + speed); // half of the time is over then
    return gain_ns >= double(costs_once * cost_ns_) ? std::min(often_ns, int64_t(once_ns)) : often_ns;
  }

  int64_t cost_ns_ = way_ns;
  int64_t usual_ns_ = 0;
};

} // namespace hetmp::dsm
