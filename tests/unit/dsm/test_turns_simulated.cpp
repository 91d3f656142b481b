// Two nodes that write the same pages, in virtual time: with turns, all work takes at most a small multiple of what it
// takes one after the other; without, it takes as much longer as faults are slower than the work between them.
#include "dsm/engine/hold_times.hpp"
#include "dsm/turns/turn_order.hpp"
#include "dsm/turns/turn_taker.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <vector>

namespace hetmp::dsm {
namespace {

using Clock = TurnTaker::Clock;
using protocol::MessageType;

struct World {
  static constexpr uint32_t nodes = 2;
  static constexpr Clock step = 5'000, transfer = 50'000, message = 30'000;

  struct Node {
    StormMeter meter;
    TurnTaker taker{1};
    HoldTimes holds;
    Clock left;                       ///< of its work
    std::optional<PageNumber> wanted; ///< its thread waits for it
    Clock arrival = 0;                ///< of that page, if it is on its way; 0: it is not
    Clock turn_begins = 0;            ///< 0: it does not
  };

  World(PageNumber pages, Clock work, bool turns) : owners(pages), turns(turns) {
    for (PageNumber page = 0; page < pages; ++page)
      owners[page] = page % nodes;
    for (Node& one : all)
      one.left = work;
  }

  /// A page goes to the other node.
  void give(uint32_t from, PageNumber page) {
    Node& to = all[1 - from];
    ASSERT_EQ(owners[page], from);
    ASSERT_EQ(to.wanted, page);
    all[from].meter.taken(page, 1, StormMeter::What::RightToWrite, now);
    owners[page] = 1 - from;
    to.arrival = now + transfer;
  }
  void ask(uint32_t node, PageNumber page) {
    all[node].wanted = page;
    all[node].meter.faulted(page, now);
    if (all[1 - node].holds.passes(node, protocol::message_of(MessageType::WriteRequest, page, node), now))
      give(1 - node, page);
  }
  void run_thread(uint32_t node) {
    Node& self = all[node];
    if (self.arrival != 0 && now >= self.arrival) {
      self.meter.came(*self.wanted, 1, now);
      self.holds.came(*self.wanted, now);
      self.wanted.reset();
      self.arrival = 0;
    }
    if (self.wanted || self.left <= 0)
      return;
    const PageNumber page = random() % owners.size();
    if (owners[page] == node)
      self.left -= step;
    else
      ask(node, page);
  }
  void serve(uint32_t node) {
    Node& self = all[node];
    if (self.turn_begins != 0 && now >= self.turn_begins) {
      self.turn_begins = 0;
      self.holds.keep_all(self.taker.begin(self.meter, now));
    }
    if (turns)
      take_turns(node);
    while (const auto due = self.holds.take_due(now))
      give(node, due->message.page);
  }
  void take_turns(uint32_t node) {
    Node& self = all[node];
    std::optional<uint32_t> whose;
    switch (self.taker.look(self.meter, now, self.holds.keeps_back(), {self.left <= 0 ? 1u : 0u, 0})) {
    case TurnTaker::Step::None:
      break;
    case TurnTaker::Step::Ask:
      whose = order.asked(node);
      break;
    case TurnTaker::Step::GiveBack:
      self.holds.keep_no_more(now);
      whose = order.over(node);
      break;
    case TurnTaker::Step::LetGo:
      self.holds.let_go_oldest(now);
      break;
    }
    if (whose)
      all[*whose].turn_begins = now + message;
  }
  /// The time until all work is done.
  Clock run(Clock longest) {
    while ((all[0].left > 0 || all[1].left > 0) && now < longest) {
      for (uint32_t node = 0; node < nodes; ++node) {
        serve(node);
        run_thread(node);
      }
      now += step;
    }
    return now - begin;
  }

  static constexpr Clock begin = 1'000'000'000;
  Clock now = begin;
  Node all[nodes];
  std::vector<uint32_t> owners;
  bool turns;
  TurnOrder order;
  std::minstd_rand random{18};
};

constexpr Clock work = 1'000'000'000; // of each node
constexpr Clock endless = 100 * work;

TEST(SimulatedTurns, BoundWhatAStormCosts) {
  for (const PageNumber pages : {8, 100, 400, 1000}) {
    const Clock without = World(pages, work, false).run(endless), with = World(pages, work, true).run(endless);
    EXPECT_LT(with, without) << pages;
    EXPECT_LE(with, 2 * work * 3 / 2) << pages << ": half as much again as one after the other";
  }
}

TEST(SimulatedTurns, ManyPagesForLittleWorkAreNotMadeWorse) {
  const PageNumber pages = 20'000; // none is wanted twice in a turn
  const Clock without = World(pages, work / 20, false).run(endless), with = World(pages, work / 20, true).run(endless);
  EXPECT_LE(with, 2 * without);
}

} // namespace
} // namespace hetmp::dsm
