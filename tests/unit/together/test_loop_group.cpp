// Loops that decide together, in a program whose loops run on the same data: what one of them has written elsewhere,
// the next one has to fetch.
#include "schedulers/together/loop_group.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <gtest/gtest.h>
#include <map>
#include <utility>
#include <vector>

namespace hetmp::schedulers {
namespace {

const std::vector<uint32_t> two_nodes = {1, 1};
constexpr double page_us = 20; ///< until a page is there

/// A loop of 1,000 iterations, each of which writes a page.
struct ModelLoop {
  double us[2] = {10, 10};    ///< of an iteration on either node
  double probed_faults = 0.5; ///< of an iteration of a probe, whatever other loops do
  bool has_own_data = false;
  uint32_t every = 1;      ///< visited in every so many rounds
  double measuring_us = 0; ///< longer, if a visit is measured
};

class Model {
 public:
  explicit Model(std::vector<ModelLoop> loops) : loops_(std::move(loops)), histories_(loops_.size()) {
    rules_.threshold_us = 36;
    rules_.meeting_us = 300;
    rules_.fault_us = page_us;
    where_.resize(loops_.size(), 1.0);
  }

  /// Visits all loops in their order so many times; returns what that took.
  double run(uint32_t rounds) {
    double us = 0;
    for (uint32_t i = 0; i < rounds; ++i, ++round_)
      for (size_t number = 0; number < loops_.size(); ++number)
        if (round_ % loops_[number].every == 0)
          us += visit(number);
    return us;
  }

  /// The program has serial parts that take so long.
  void pass_after_each_loop(double us) { serial_us_ = us; }
  /// It has a clock, and serial parts after each loop to which pages come back.
  void tell_time(double pages_back) {
    now_us_ = 1;
    pages_back_ = pages_back;
  }

  NodeSet nodes(size_t loop) const { return histories_[loop].decision().nodes; }
  bool are_together() const {
    return std::all_of(histories_.begin(), histories_.end(), [&](const LoopHistory& history) {
      return history.decision().nodes == nodes(0) && (nodes(0).size() == 1 || history.decision().speed == speed(0));
    });
  }
  std::vector<double> speed(size_t loop) const { return histories_[loop].decision().speed; }
  uint32_t probes(size_t loop) const { return histories_[loop].probed_visits(); }
  const LoopGroup& group() const { return group_; }
  LoopHistory& history(size_t loop) { return histories_[loop]; }
  void leave_out(size_t loop) { loops_[loop].every = UINT32_MAX; }
  void change(size_t loop, const ModelLoop& to) { loops_[loop] = to; }

 private:
  static constexpr double trips = 1000, probe = 50;

  /// The part of the data that node 0 had last; probes of either node are on the other's side of the cut.
  double visit(size_t number) {
    LoopHistory& history = histories_[number];
    std::vector<NodeMeasurement>& shares = shares_[&history];
    shares.resize(2);
    if (skipped_[&history] > 0) {
      --skipped_[&history];
      std::vector<NodeMeasurement> share(2);
      const double us = passed(execute(number, cut_of(history), share, 0));
      for (size_t i = 0; i < 2; ++i) {
        add(shares[i], share[i]);
        shares[i].threads = 1;
      }
      return us;
    }
    const LoopHistory::Visit begun = history.begin_visit(two_nodes, rules_, uint64_t(trips));
    skipped_[&history] = begun.probe ? 0 : begun.repeats;
    std::vector<NodeMeasurement> wholes(2);
    const double us = passed(execute(number, cut_of(history), wholes, begun.probe ? probe : 0));
    if (!begun.probe) {
      history.hear(shares);
    } else {
      std::vector<NodeMeasurement> probes(2);
      for (size_t i = 0; i < 2; ++i) {
        probes[i].threads = 1;
        probes[i].iterations = uint64_t(probe);
        probes[i].busy_us = probe * loops_[number].us[i];
        probes[i].read_misses = uint64_t(probe * loops_[number].probed_faults);
        probes[i].thread_us = probes[i].busy_us + double(probes[i].read_misses) * page_us;
      }
      history.absorb({probes, wholes, shares}, rules_);
    }
    shares.assign(2, {});
    group_.visited(history, begun.probe, rules_, now_us_);
    return us;
  }

  double passed(double visit_us) {
    const double us = visit_us + pages_back_ * (1 - where_[0]) * page_us + serial_us_;
    now_us_ += now_us_ > 0 ? us : 0;
    return us;
  }

  static double cut_of(const LoopHistory& history) {
    const std::vector<double> weights = history.decision().weights();
    return weights[0] / (weights[0] + weights[1]);
  }

  /// `probed`: iterations that each node executes at least on a measured visit; 0: it is not measured.
  double execute(size_t number, double cut, std::vector<NodeMeasurement>& wholes, double probed) {
    const ModelLoop& loop = loops_[number];
    double& data = loop.has_own_data ? where_[number] : where_[0];
    const double travelling = std::abs(data - cut) * trips; // to the node that gets more than it had
    double longest = 0;
    for (size_t i = 0; i < 2; ++i) {
      const double iterations = std::max((i == 0 ? cut : 1 - cut) * trips, probed);
      const bool gets_more = (i == 0) == (cut > data);
      const double waits = (gets_more ? travelling * page_us : 0) + (probed > 0 ? loop.measuring_us : 0);
      const double busy = iterations * loop.us[i];
      longest = std::max(longest, busy + waits);
      wholes[i].threads = 1;
      wholes[i].iterations = uint64_t(iterations);
      wholes[i].busy_us = busy;
      wholes[i].thread_us = busy + waits;
    }
    data = cut;
    return longest + (cut == 1 ? 0 : rules_.meeting_us);
  }

  DecisionRules rules_;
  std::vector<ModelLoop> loops_;
  std::deque<LoopHistory> histories_;
  std::map<LoopHistory*, uint32_t> skipped_;
  std::map<LoopHistory*, std::vector<NodeMeasurement>> shares_; ///< of visits of which nobody asked
  std::vector<double> where_;
  LoopGroup group_;
  uint32_t round_ = 0;
  double now_us_ = 0;
  double pages_back_ = 0;
  double serial_us_ = 0;
};

/// Its faults say that several nodes pay, or that they do not.
ModelLoop pays(double us0, double us1) { return {{us0, us1}, 0.1}; }
ModelLoop loses(double us0, double us1) { return {{us0, us1}, 2}; }
/// Loses, but not by much.
ModelLoop doubtful(double us0, double us1) { return {{us0, us1}, 0.25}; }

TEST(LoopGroup, LoopsOnTheSameDataAreDividedAtOnePlace) {
  Model model({pays(40, 20), doubtful(6, 3), doubtful(5, 3)});
  model.run(20);
  EXPECT_TRUE(model.are_together());
  EXPECT_EQ(model.nodes(0).size(), 2U);
  EXPECT_NEAR(model.speed(0)[1], 51 / 26.0, 0.05);
  EXPECT_LT(model.run(100) / 100, 0.75 * 26'000); // what the faster node takes alone
}

TEST(LoopGroup, LoopsThatLoseGoToOneNodeAtOnce) {
  Model model({loses(20, 10), loses(6, 3), pays(3, 3)});
  model.run(6);
  EXPECT_TRUE(model.are_together());
  EXPECT_EQ(model.nodes(0), NodeSet::of(1));
  EXPECT_LE(model.probes(0), 4U);
  EXPECT_LE(model.run(100) / 100, 16'000 + 3 * 301);
}

TEST(LoopGroup, LoopsWithDataOfTheirOwnDecideForThemselves) {
  ModelLoop winner = pays(20, 20);
  winner.probed_faults = 0;
  ModelLoop loser = loses(5, 5);
  winner.has_own_data = loser.has_own_data = true;
  Model model({winner, loser});
  model.run(40);
  EXPECT_EQ(model.nodes(0).size(), 2U);
  EXPECT_LT(model.run(100) / 100, 0.7 * 25'000);
}

TEST(LoopGroup, ALoopThatComesLaterFollows) {
  ModelLoop rare = doubtful(6, 3);
  rare.every = 4;
  Model model({pays(20, 10), doubtful(6, 3), rare});
  model.run(40);
  EXPECT_TRUE(model.are_together());
  EXPECT_EQ(model.nodes(2).size(), 2U);
}

TEST(LoopGroup, ATrialThatLosesIsEndedAtAGlance) {
  // Its faults are in a part that no probe shows: the division of all of them costs a page an iteration.
  ModelLoop own = pays(10, 10);
  own.has_own_data = true;
  Model model({own, loses(10, 10), loses(9, 9)});
  model.run(30);
  EXPECT_LE(model.probes(1), 10U);
}

TEST(LoopGroup, IsAskedSoonUntilItHasChosen) {
  Model model({pays(20, 10), loses(6, 3)});
  model.run(1);
  EXPECT_EQ(model.group().holds(), 0U);
  LoopHistory& history = model.history(1);
  for (int i = 0; i < 3; ++i) // decided by itself
    history.hold(history.decision(), 100);
  EXPECT_LE(history.begin_visit(two_nodes, DecisionRules{}, 1000).repeats, 3U);
}

TEST(LoopGroup, TheClockTellsWhatIsBetweenLoops) {
  for (const double pages_back : {0.0, 4000.0}) {
    Model model({pays(20, 20), pays(10, 10)});
    model.tell_time(pages_back);
    model.run(60);
    EXPECT_EQ(model.nodes(0).size(), pages_back > 0 ? 1U : 2U) << pages_back;
    EXPECT_EQ(model.nodes(0), model.nodes(1));
  }
}

TEST(LoopGroup, ATrialThatTheClockFindsSlowerIsTakenBack) {
  // Half of the time is in a serial part that takes as long wherever loops are.
  Model model({pays(20, 20), pays(10, 10)});
  model.tell_time(0);
  model.pass_after_each_loop(30'000);
  model.run(60);
  EXPECT_EQ(model.nodes(0).size(), 2U);
  EXPECT_EQ(model.nodes(1).size(), 2U);
}

TEST(LoopGroup, AnotherNodeIsLeftWhereTheClockSaysSo) {
  Model model({loses(20, 15), loses(6, 4)});
  model.tell_time(1000);
  model.run(60);
  EXPECT_EQ(model.nodes(0), NodeSet::of(0));
  EXPECT_EQ(model.nodes(1), NodeSet::of(0));
}

TEST(LoopGroup, ATrialEndsThoughItsHeaviestLoopDoesNotComeAgain) {
  Model model({pays(20, 20), pays(2, 2), pays(1, 1)});
  model.tell_time(4000);
  const auto in_trial = [&] { return model.history(1).decision().reason == "a trial of all loops on the origin"; };
  for (int i = 0; i < 60 && !in_trial(); ++i)
    model.run(1);
  ASSERT_TRUE(in_trial());
  model.leave_out(0);
  model.run(50);
  EXPECT_TRUE(in_trial());
  model.run(100);
  EXPECT_FALSE(in_trial());
  EXPECT_EQ(model.nodes(1).size(), 2U);
}

TEST(LoopGroup, WhatIsHeldIsLookedAtAgain) {
  Model model({loses(20, 10), loses(6, 3)});
  model.run(10);
  ASSERT_EQ(model.nodes(0), NodeSet::of(1));
  model.change(0, loses(10, 40));
  model.change(1, loses(3, 12));
  model.run(600);
  EXPECT_EQ(model.nodes(0), NodeSet::of(0));
  EXPECT_EQ(model.nodes(1), NodeSet::of(0));
  EXPECT_GE(model.group().holds(), 1U);
}

TEST(LoopGroup, AuditsDoNotDivideLoopsAtPlacesOfTheirOwn) {
  Model model({pays(40, 20), doubtful(8, 4)});
  model.run(20);
  ASSERT_EQ(model.nodes(0).size(), 2U);
  const double speed = model.speed(0)[1];
  model.change(1, pays(4, 4));
  model.run(1000);
  EXPECT_TRUE(model.are_together());
  EXPECT_DOUBLE_EQ(model.speed(1)[1], speed);
}

TEST(LoopGroup, TheHeaviestLoopMovesTheDivisionOfAll) {
  Model model({pays(40, 20), doubtful(8, 4)});
  model.run(20);
  model.change(0, pays(20, 20));
  model.run(1000);
  EXPECT_TRUE(model.are_together());
  EXPECT_NEAR(model.speed(0)[1], 1, 0.1);
}

TEST(LoopGroup, ALaterChoiceIsAboutLoopsThatAreHeld) {
  ModelLoop rare = loses(6, 3);
  rare.every = 4;
  Model model({loses(20, 10), loses(6, 3), rare});
  model.run(200);
  ASSERT_TRUE(model.are_together());
  ASSERT_EQ(model.nodes(2), NodeSet::of(1));
  model.change(0, pays(20, 10)); // each alone would be divided at a place of its own
  model.change(1, pays(8, 8));
  model.run(200);
  EXPECT_EQ(model.nodes(0).size(), 2U);
  EXPECT_TRUE(model.are_together());
}

TEST(LoopGroup, ATrialOfShortVisitsIsNotLostByWhatMeasuringTakes) {
  for (const double us : {2.0, 4.0}) {
    const ModelLoop loop = {.us = {us, us}, .probed_faults = us / 100, .measuring_us = 600 * us}; // divided: 500 * us
    const ModelLoop other = {.us = {us / 4, us / 4}, .probed_faults = us / 100};
    Model model({loop, other});
    model.run(100);
    EXPECT_EQ(model.nodes(0).size(), 2U) << us;
    EXPECT_TRUE(model.are_together());
  }
}

TEST(LoopGroup, HoldsLongerEachTime) {
  Model model({loses(20, 10), loses(6, 3)});
  model.run(10);
  const uint32_t before = model.probes(0);
  model.run(240);
  EXPECT_EQ(model.probes(0), before);
  model.run(260 + 500);
  EXPECT_LE(model.probes(0), before + 8);
}

} // namespace
} // namespace hetmp::schedulers
