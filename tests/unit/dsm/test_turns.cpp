// Turns: what counts as a storm, when a node asks for the turn and gives it back, and who has it.
#include "dsm/turns/outside_waits.hpp"
#include "dsm/turns/storm_meter.hpp"
#include "dsm/turns/turn_order.hpp"
#include "dsm/turns/turn_taker.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace hetmp::dsm {
namespace {

using Step = TurnTaker::Step;
using What = StormMeter::What;
constexpr StormMeter::Clock ms = 1'000'000;
constexpr StormMeter::Clock besides = StormMeter::besides_ns; // of each fault that is over

TEST(StormMeter, TimeIsSummedOverPagesThatAreWaitedFor) {
  StormMeter meter;
  meter.faulted(7, 1000);
  meter.faulted(9, 1100);
  meter.faulted(7, 1150); // another thread
  EXPECT_EQ(meter.waited(1200), 200 + 100);
  meter.came(5, 3, 1300);
  EXPECT_EQ(meter.waited(1400), 300 + besides + 300);
  EXPECT_TRUE(meter.is_waiting());
  meter.came(9, 1, 1500);
  EXPECT_EQ(meter.waited(9999), 300 + 400 + 2 * besides);
  EXPECT_FALSE(meter.is_waiting());
  EXPECT_EQ(meter.waited_for_taken(9999), 0) << "nobody had taken them";
  EXPECT_EQ(meter.last_fault(), 1150);
}

TEST(StormMeter, OnlyWhatWasTakenShortlyBeforeCountsAsTaken) {
  StormMeter meter;
  meter.taken(4, 2, What::Copy, 1000);
  meter.faulted(4, 2000);
  meter.came(4, 1, 2500);
  EXPECT_EQ(meter.waited_for_taken(3000), 500 + besides);
  const auto late = 1000 + StormMeter::soon_ns + 1;
  meter.faulted(5, late);
  meter.came(5, 1, late + 100);
  EXPECT_EQ(meter.waited_for_taken(late + 200), 500 + besides);
  EXPECT_EQ(meter.waited(late + 200), 600 + 2 * besides);
  meter.set_soon(2 * StormMeter::soon_ns);
  meter.faulted(5, late + 300);
  EXPECT_EQ(meter.waited_for_taken(late + 350), 550 + besides);
}

using Wants = StormMeter::Wants;

/// A page that is taken at 1 ms, wanted back at `wanted`, and waited for until 50 us later.
StormMeter::Clock missed_when_wanted(StormMeter& meter, StormMeter::Clock wanted, Wants wants = Wants::Write) {
  meter.taken(4, 1, What::Copy, ms);
  meter.faulted(4, wanted, wants);
  return meter.missed_for(4, wanted + 50'000);
}

TEST(StormMeter, WhoWantsToWriteAtOnceWasStillUsingThePage) {
  constexpr auto at_once = StormMeter::at_once_ns;
  StormMeter meter, late, reader;
  EXPECT_EQ(missed_when_wanted(meter, ms + at_once), 50'000);
  EXPECT_EQ(missed_when_wanted(late, ms + at_once + 1), 0);
  EXPECT_EQ(missed_when_wanted(reader, ms + 1, Wants::Read), 0) << "may be waiting for what others write";
  reader.came(4, 1, ms + 100);
  reader.faulted(4, ms + 101, Wants::Write);
  EXPECT_EQ(reader.missed_for(4, ms + 200), 0) << "it has read first";
  EXPECT_EQ(meter.missed_for(5, ms + at_once), 0) << "another page";
  meter.came(4, 1, 2 * ms);
  EXPECT_EQ(meter.missed_for(4, 2 * ms), 0) << "nobody waits for it any more";
  meter.taken(4, 1, What::RightToWrite, 2 * ms);
  meter.faulted(4, 3 * ms, Wants::Write);
  EXPECT_EQ(meter.missed_for(4, 4 * ms), 0) << "each time is judged anew";
}

TEST(StormMeter, SoWasWhoWaitedForAnotherPageMeanwhile) {
  constexpr auto at_once = StormMeter::at_once_ns, between = StormMeter::between_ns;
  const auto after_another = [](StormMeter::Clock wanted) {
    StormMeter meter;
    meter.faulted(9, ms);
    meter.came(9, 1, wanted - at_once);
    return missed_when_wanted(meter, wanted);
  };
  EXPECT_EQ(after_another(ms + between), 50'000);
  EXPECT_EQ(after_another(ms + between + 1), 0);
}

TEST(StormMeter, RemembersThatAPageWasWritten) {
  StormMeter meter;
  meter.taken(4, 1, What::RightToWrite, 1000);
  meter.taken(4, 1, What::Copy, 2000);
  meter.taken(5, 1, What::Copy, 2000);
  EXPECT_TRUE(meter.was_written(4, 3000));
  EXPECT_FALSE(meter.was_written(5, 3000)) << "it was only read";
  EXPECT_FALSE(meter.was_written(6, 3000)) << "it was never taken";
  meter.taken(4 + 4096, 1, What::Copy, 4000);
  EXPECT_FALSE(meter.was_written(4, 5000)) << "another page has its place";
  EXPECT_FALSE(meter.was_written(4 + 4096, 5000));
}

TEST(StormMeter, WhatThreadsWantedBackIsFetchedBackForAWhile) {
  StormMeter meter;
  meter.taken(5, 1, What::RightToWrite, 1000);
  meter.taken(4, 1, What::Copy, 1000);
  meter.taken(3, 1, What::Copy, 1000); // nobody wants it back
  meter.faulted(5, 2000);
  meter.faulted(4, 2000);
  meter.faulted(9, 2000); // nobody had taken it
  meter.came(0, 10, 3000);
  for (int turn = 0; turn < StormMeter::fetched_unseen; ++turn) {
    meter.taken(4, 2, What::Copy, 4000);
    std::vector<StormMeter::Wanted> wanted;
    meter.fetch_back(5000, wanted);
    ASSERT_EQ(wanted.size(), 2u) << turn;
    EXPECT_EQ(wanted[0].page, 4u);
    EXPECT_FALSE(wanted[0].write);
    EXPECT_EQ(wanted[1].page, 5u);
    EXPECT_TRUE(wanted[1].write);
  }
  std::vector<StormMeter::Wanted> wanted;
  meter.fetch_back(5000, wanted);
  EXPECT_TRUE(wanted.empty()) << "nobody has waited for them since";
  meter.faulted(4, 6000);
  meter.fetch_back(6000 + StormMeter::soon_ns, wanted);
  EXPECT_TRUE(wanted.empty()) << "long ago";
  meter.fetch_back(7000, wanted);
  EXPECT_EQ(wanted.size(), 1u);
}

TEST(OutsideWaits, TellWhoWaitsAndHowOften) {
  OutsideWaits waits;
  EXPECT_EQ(waits.view(), (OutsideWaits::View{0, 0}));
  waits.begin();
  waits.begin();
  EXPECT_EQ(waits.view(), (OutsideWaits::View{2, 2}));
  waits.end();
  waits.end();
  EXPECT_EQ(waits.view(), (OutsideWaits::View{0, 2}));
}

TEST(TurnOrder, FirstComeFirstServed) {
  TurnOrder order;
  EXPECT_EQ(order.asked(2), 2u);
  EXPECT_FALSE(order.asked(0));
  EXPECT_FALSE(order.asked(1));
  EXPECT_FALSE(order.asked(0)) << "it has asked";
  EXPECT_FALSE(order.over(0)) << "not its turn";
  EXPECT_EQ(order.over(2), 0u);
  EXPECT_FALSE(order.asked(2));
  EXPECT_EQ(order.over(0), 1u);
  EXPECT_EQ(order.over(1), 2u);
  EXPECT_FALSE(order.over(2));
  EXPECT_EQ(order.asked(3), 3u);
}

/// A node of one CPU whose thread waits for a page that was taken, from `begin` on.
struct Waiting {
  StormMeter meter;
  TurnTaker taker{1};
  explicit Waiting(StormMeter::Clock begin) {
    meter.taken(1, 1, What::RightToWrite, begin);
    taker.look(meter, begin, false, {}); // a window begins
    meter.faulted(1, begin);
  }
  Step look(StormMeter::Clock now, bool kept_back = false, OutsideWaits::View outside = {}) {
    return taker.look(meter, now, kept_back, outside);
  }
};

constexpr auto begin = 1000 * ms;

TEST(TurnTaker, AsksWhenHalfOfAWindowWasWaitedForTakenPages) {
  Waiting node(begin);
  EXPECT_EQ(node.taker.next_look(node.meter, begin), begin + TurnTaker::window_ns);
  EXPECT_EQ(node.look(begin + TurnTaker::window_ns - 1), Step::None);
  EXPECT_EQ(node.look(begin + TurnTaker::window_ns), Step::Ask);
  EXPECT_EQ(node.look(begin + 2 * TurnTaker::window_ns), Step::None) << "once";
}

TEST(TurnTaker, LessIsNoStorm) {
  Waiting node(begin);
  node.meter.came(1, 1, begin + TurnTaker::window_ns / 2 - besides - 1);
  EXPECT_EQ(node.look(begin + TurnTaker::window_ns), Step::None);
  EXPECT_FALSE(node.taker.next_look(node.meter, begin + TurnTaker::window_ns)) << "nobody waits";
}

TEST(TurnTaker, FirstFetchesAreNoStorm) {
  StormMeter meter;
  TurnTaker taker(1);
  taker.look(meter, begin, false, {});
  meter.faulted(1, begin);
  EXPECT_EQ(taker.look(meter, begin + TurnTaker::window_ns, false, {}), Step::None);
}

TEST(TurnTaker, OneOfFourLanesThatWaitsIsNoStorm) {
  StormMeter meter;
  TurnTaker taker(4);
  meter.taken(1, 1, What::Copy, begin);
  taker.look(meter, begin, false, {});
  meter.faulted(1, begin);
  EXPECT_EQ(taker.look(meter, begin + TurnTaker::window_ns, false, {}), Step::None);
}

/// Likewise, and its turn begins at `turn`.
struct InTurn : Waiting {
  static constexpr auto turn = begin + TurnTaker::window_ns;
  InTurn() : Waiting(begin) {
    EXPECT_EQ(look(turn), Step::Ask);
    EXPECT_EQ(taker.begin(meter, turn), turn + TurnTaker::longest_ns);
  }
};

TEST(TurnTaker, ComputesSeveralTimesAsLongAsItWaited) {
  InTurn node;
  const auto came = InTurn::turn + 10 * ms;
  node.meter.came(1, 1, came);
  const auto over = came + TurnTaker::computed_for_waited * (10 * ms + besides) + besides;
  EXPECT_EQ(node.look(over - 1), Step::None);
  EXPECT_EQ(node.look(over), Step::GiveBack);
}

TEST(TurnTaker, ATurnHasAShortestAndALongestTime) {
  InTurn soon;
  soon.meter.came(1, 1, InTurn::turn);
  EXPECT_EQ(soon.look(InTurn::turn + TurnTaker::shortest_ns - 1), Step::None);
  EXPECT_EQ(soon.look(InTurn::turn + TurnTaker::shortest_ns), Step::GiveBack);
  InTurn late; // it only waits
  EXPECT_EQ(late.look(InTurn::turn + TurnTaker::longest_ns - 1), Step::None);
  EXPECT_EQ(late.look(InTurn::turn + TurnTaker::longest_ns), Step::GiveBack);
}

TEST(TurnTaker, GivesBackAtOnceWhenOthersHaveToGetOn) {
  InTurn node;
  const auto wait = InTurn::turn + ms;
  node.meter.came(1, 1, wait);
  EXPECT_EQ(node.look(wait, false, {1, 1}), Step::None);
  EXPECT_EQ(node.look(wait + TurnTaker::patience_ns / 2, false, {1, 2}), Step::None) << "another wait";
  EXPECT_EQ(node.look(wait + TurnTaker::patience_ns, false, {1, 2}), Step::None);
  EXPECT_EQ(node.look(wait + TurnTaker::patience_ns * 3 / 2, false, {1, 2}), Step::GiveBack);
}

TEST(TurnTaker, AsksAgainSoonAfterATurn) {
  InTurn node;
  node.meter.came(1, 1, InTurn::turn);
  const auto over = InTurn::turn + TurnTaker::shortest_ns;
  EXPECT_EQ(node.look(over), Step::GiveBack);
  node.meter.taken(1, 1, What::Copy, over);
  node.meter.faulted(1, over);
  EXPECT_EQ(node.look(over + TurnTaker::next_window_ns), Step::Ask);
}

/// A storm of several seconds with so many meetings in a millisecond; while turns are taken, so many. How many turns
/// there were.
int turns_taken(uint32_t without, uint32_t with) {
  StormMeter meter;
  TurnTaker taker(1);
  uint32_t met = 0;
  int turns = 0;
  bool in_turn = false;
  meter.taken(1, 1, What::Copy, begin);
  taker.look(meter, begin, false, {});
  for (auto now = begin; now < begin + 4000 * ms; now += ms) {
    met += in_turn ? with : without;
    if (in_turn)
      meter.came(1, 1, now);
    else {
      meter.taken(1, 1, What::Copy, now);
      meter.faulted(1, now);
    }
    const Step step = taker.look(meter, now, false, {0, met});
    if (step == Step::Ask) {
      taker.begin(meter, now);
      ++turns;
      in_turn = true;
    } else if (step == Step::GiveBack) {
      in_turn = false;
    }
  }
  return turns;
}

TEST(TurnTaker, DoesWithoutTurnsWhereTheyDoNotHelp) {
  EXPECT_GT(turns_taken(10, 20), 100);
  EXPECT_GT(turns_taken(0, 0), 100) << "nothing to judge by";
  EXPECT_LT(turns_taken(10, 5), 40);
}

TEST(TurnTaker, LetsGoOfAPageNowAndThenWhereItTakesNoFaults) {
  InTurn node;
  const auto came = InTurn::turn + ms;
  EXPECT_EQ(node.look(came, true), Step::None);
  node.meter.came(1, 1, came);
  EXPECT_EQ(node.look(came + TurnTaker::undisturbed_ns - 1, true), Step::None);
  EXPECT_EQ(node.look(came + TurnTaker::undisturbed_ns, true), Step::LetGo);
  EXPECT_EQ(node.look(came + TurnTaker::undisturbed_ns + 1, true), Step::None);
  const auto fault = came + 2 * TurnTaker::undisturbed_ns - 1;
  node.meter.faulted(2, fault);
  EXPECT_EQ(node.look(fault + 1, true), Step::None) << "its thread waits";
  node.meter.came(2, 1, fault + 1);
  EXPECT_EQ(node.look(fault + TurnTaker::undisturbed_ns - 1, true), Step::None) << "it has just got on";
  EXPECT_EQ(node.look(fault + TurnTaker::undisturbed_ns, true), Step::LetGo);
}

TEST(TurnTaker, LetsGoOfNothingThatNobodyWaitsFor) {
  InTurn node;
  node.meter.came(1, 1, InTurn::turn);
  for (auto now = InTurn::turn; now < InTurn::turn + TurnTaker::shortest_ns; now += ms)
    EXPECT_EQ(node.look(now), Step::None);
}

} // namespace
} // namespace hetmp::dsm
