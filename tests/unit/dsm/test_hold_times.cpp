// Which messages wait after a page came, for how long, and in which order they are processed then.
#include "dsm/engine/hold_times.hpp"

#include <gtest/gtest.h>

namespace hetmp::dsm {
namespace {

using protocol::Message;
using protocol::MessageType;

constexpr HoldTimes::Clock hold = HoldTimes::hold_ns;

Message message(MessageType type, PageNumber page) { return protocol::message_of(type, page); }

TEST(HoldTimes, WhatTakesAPageThatHasJustComeWaits) {
  HoldTimes holds;
  holds.came(7, 1000);
  EXPECT_TRUE(holds.passes(1, message(MessageType::FetchExclusive, 8), 1001)) << "another page";
  EXPECT_TRUE(holds.passes(1, message(MessageType::InvalidateAck, 7), 1001)) << "takes nothing";
  EXPECT_TRUE(holds.empty());
  EXPECT_FALSE(holds.passes(1, message(MessageType::FetchExclusive, 7), 1001));
  EXPECT_EQ(holds.next_due(), 1000 + hold);
  EXPECT_FALSE(holds.take_due(1000 + hold - 1));
  const auto due = holds.take_due(1000 + hold);
  ASSERT_TRUE(due);
  EXPECT_EQ(due->message.type, MessageType::FetchExclusive);
  EXPECT_EQ(due->from, 1u);
  EXPECT_FALSE(due->resume);
  EXPECT_TRUE(holds.passes(1, message(MessageType::Invalidate, 7), 1000 + hold)) << "the time is over";
}

TEST(HoldTimes, WhatFollowsOnAChannelDoesNotOvertake) {
  HoldTimes holds;
  holds.came(7, 0);
  EXPECT_FALSE(holds.passes(1, message(MessageType::FetchShared, 7), 10));
  EXPECT_FALSE(holds.passes(1, message(MessageType::Done, 7), 20)) << "behind the one that waits";
  EXPECT_TRUE(holds.passes(2, message(MessageType::Done, 7), 30)) << "another channel";
  EXPECT_TRUE(holds.passes(1, message(MessageType::Done, 9), 40)) << "another page";
  EXPECT_EQ(holds.take_due(hold)->message.type, MessageType::FetchShared);
  EXPECT_EQ(holds.take_due(hold)->message.type, MessageType::Done);
  EXPECT_FALSE(holds.take_due(hold));
}

TEST(HoldTimes, ContentTakesWhatWaitsBeforeItAlong) {
  HoldTimes holds;
  holds.came(7, 0);
  EXPECT_FALSE(holds.passes(1, message(MessageType::Invalidate, 7), 10));
  EXPECT_FALSE(holds.passes(2, message(MessageType::ReadRequest, 7), 20));
  EXPECT_EQ(holds.take_earlier(1, 7)->message.type, MessageType::Invalidate);
  EXPECT_FALSE(holds.take_earlier(1, 7));
  EXPECT_FALSE(holds.empty()) << "the other channel's still waits";
}

TEST(HoldTimes, AResumeIsDueAfterTheHoldTimeAndBelongsToNoChannel) {
  HoldTimes holds;
  holds.resume_later(message(MessageType::Done, 7), 100);
  EXPECT_FALSE(holds.take_earlier(0, 7));
  EXPECT_TRUE(holds.passes(0, message(MessageType::Done, 7), 110));
  const auto due = holds.take_due(100 + hold);
  ASSERT_TRUE(due);
  EXPECT_TRUE(due->resume);
  EXPECT_EQ(due->message.page, 7u);
}

TEST(HoldTimes, APageThatComesAgainIsHeldAgain) {
  HoldTimes holds;
  holds.came(7, 0);
  holds.came(7, hold / 2);
  EXPECT_FALSE(holds.passes(1, message(MessageType::FetchShared, 7), hold));
  EXPECT_EQ(holds.next_due(), hold / 2 + hold);
}

Message message_from(MessageType type, uint32_t requester) { return protocol::message_of(type, 7, requester); }

TEST(HoldTimes, APageThatAThreadMissedStaysForTwiceAsLong) {
  HoldTimes holds;
  holds.set_up(1);
  holds.came(7, 0, 1, 2 * hold);
  EXPECT_FALSE(holds.passes(0, message_from(MessageType::WriteRequest, 2), hold));
  EXPECT_EQ(holds.next_due(), 4 * hold);
  EXPECT_TRUE(holds.passes(3, message_from(MessageType::FetchExclusive, 3), 4 * hold)) << "the time is over";
}

TEST(HoldTimes, WhoReadsAndWhoHasALowerNumberWaitsNoLonger) {
  HoldTimes holds;
  holds.set_up(1);
  holds.came(7, 0, 1, 2 * hold);
  EXPECT_FALSE(holds.passes(4, message_from(MessageType::FetchExclusive, 0), hold - 1));
  EXPECT_EQ(holds.next_due(), hold);
  EXPECT_TRUE(holds.passes(5, message_from(MessageType::FetchExclusive, 0), hold));
  EXPECT_TRUE(holds.passes(6, message_from(MessageType::FetchShared, 2), hold));
  EXPECT_TRUE(holds.passes(7, message_from(MessageType::ReadRequest, 2), hold));
  EXPECT_TRUE(holds.passes(8, message_from(MessageType::Invalidate, 0), hold));
}

TEST(HoldTimes, APageStaysForABoundedTimeHoweverLongItWasMissed) {
  HoldTimes holds;
  holds.came(7, 0, 1, 100 * HoldTimes::most_hold_ns);
  holds.came(8, 10); // goes before the first one does
  EXPECT_TRUE(holds.passes(1, message(MessageType::FetchExclusive, 8), 10 + hold));
  EXPECT_FALSE(holds.passes(1, message_from(MessageType::WriteRequest, 1), HoldTimes::most_hold_ns - 1));
  EXPECT_EQ(holds.next_due(), HoldTimes::most_hold_ns);
}

TEST(HoldTimes, InATurnEverythingThatTakesAPageWaits) {
  HoldTimes holds;
  holds.keep_all(10'000'000);
  EXPECT_TRUE(holds.keeps_all());
  EXPECT_FALSE(holds.keeps_back());
  EXPECT_TRUE(holds.passes(1, message(MessageType::InvalidateAck, 7), 10));
  EXPECT_TRUE(holds.passes(1, message(MessageType::Invalidate, 8), 10, true)) << "this node's request may be behind it";
  EXPECT_FALSE(holds.passes(1, message(MessageType::ReadRequest, 7), 10));
  EXPECT_FALSE(holds.passes(2, message(MessageType::FetchShared, 5), 20));
  EXPECT_TRUE(holds.keeps_back());
  EXPECT_FALSE(holds.take_due(9'999'999));
  holds.keep_no_more(30);
  EXPECT_FALSE(holds.keeps_back());
  EXPECT_EQ(holds.take_due(30)->message.page, 7u) << "what came first goes first";
  EXPECT_EQ(holds.take_due(30)->message.page, 5u);
  EXPECT_TRUE(holds.passes(1, message(MessageType::ReadRequest, 7), 40));
}

TEST(HoldTimes, ATurnEndsByItselfToo) {
  HoldTimes holds;
  holds.keep_all(1000);
  EXPECT_FALSE(holds.passes(1, message(MessageType::ReadRequest, 7), 10));
  EXPECT_TRUE(holds.passes(1, message(MessageType::ReadRequest, 8), 1000));
  EXPECT_TRUE(holds.take_due(1000));
  holds.keep_no_more(2000);
  EXPECT_TRUE(holds.empty());
}

TEST(HoldTimes, InATurnAResumeWaitsToo) {
  HoldTimes holds;
  holds.keep_all(10'000'000);
  holds.resume_later(message(MessageType::Done, 7), 10);
  EXPECT_FALSE(holds.take_due(10 + hold));
  holds.let_go(7, 100'000);
  EXPECT_TRUE(holds.take_due(100'000)->resume);
}

TEST(HoldTimes, OfOnePageEverythingIsLetGoInOrder) {
  HoldTimes holds;
  holds.keep_all(10'000'000);
  EXPECT_FALSE(holds.passes(1, message(MessageType::FetchShared, 7), 10));
  EXPECT_FALSE(holds.passes(1, message(MessageType::FetchShared, 5), 20));
  EXPECT_FALSE(holds.passes(1, message(MessageType::Done, 7), 30)) << "behind the one that waits";
  holds.let_go(9, 40);
  EXPECT_FALSE(holds.take_due(40));
  holds.let_go_oldest(50);
  EXPECT_EQ(holds.take_due(50)->message.type, MessageType::FetchShared);
  EXPECT_EQ(holds.take_due(50)->message.type, MessageType::Done);
  EXPECT_FALSE(holds.take_due(50)) << "the other page's";
  EXPECT_TRUE(holds.keeps_back());
}

TEST(HoldTimes, APageThatHasJustComeStaysWhenTheTurnEnds) {
  HoldTimes holds;
  holds.keep_all(10'000'000);
  holds.came(7, 1'000'000);
  EXPECT_FALSE(holds.passes(1, message(MessageType::FetchShared, 7), 1'000'010));
  holds.keep_no_more(1'000'020);
  EXPECT_FALSE(holds.take_due(1'000'000 + hold - 1));
  EXPECT_TRUE(holds.take_due(1'000'000 + hold));
}

} // namespace
} // namespace hetmp::dsm
