// Requests for many pages: each piece is served once, in order, and nobody waits for one who has no room.
#include "dsm/engine/waiting_requests.hpp"

#include <gtest/gtest.h>
#include <map>
#include <vector>

using namespace hetmp::dsm;
using protocol::MessageType;

namespace {

PageMessage request(PageNumber first, uint32_t count, uint8_t requester, int32_t stride = 1) {
  PageMessage message;
  message.first = protocol::message_of(MessageType::ReadRequest, first, requester);
  message.count = count;
  message.stride = stride;
  return message;
}

bool always(uint32_t) { return true; }

} // namespace

TEST(WaitingRequests, APieceIsNoLongerThanAMessageOfContent) {
  WaitingRequests waiting;
  EXPECT_FALSE(waiting.take_next(always));
  waiting.add(1, request(100, most_data_pages + 5, 1));
  EXPECT_FALSE(waiting.empty());
  const auto first = waiting.take_next(always), second = waiting.take_next(always);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->begin, 0u);
  EXPECT_EQ(first->end, most_data_pages);
  EXPECT_EQ(second->begin, most_data_pages);
  EXPECT_EQ(second->end, most_data_pages + 5);
  EXPECT_EQ(second->from, 1u);
  EXPECT_TRUE(waiting.empty());
}

TEST(WaitingRequests, EachRequestHasItsTurn) {
  WaitingRequests waiting;
  for (uint8_t node = 1; node <= 3; ++node)
    waiting.add(node, request(node * 1000, 3 * most_data_pages, node));
  std::map<uint32_t, uint32_t> pages;
  for (int piece = 0; piece < 3; ++piece) {
    const auto next = waiting.take_next(always);
    ASSERT_TRUE(next);
    pages[next->from] += next->end - next->begin;
  }
  EXPECT_EQ(pages, (std::map<uint32_t, uint32_t>{{1, most_data_pages}, {2, most_data_pages}, {3, most_data_pages}}));
  uint32_t rest = 0;
  while (const auto next = waiting.take_next(always))
    rest += next->end - next->begin;
  EXPECT_EQ(rest, 6 * most_data_pages);
}

TEST(WaitingRequests, WhoHasNoRoomIsPassedOver) {
  WaitingRequests waiting;
  waiting.add(1, request(100, most_data_pages + 8, 1)); // in two pieces
  waiting.add(3, request(200, 40, 2));                  // forwarded by node 3
  const auto not_two = [](uint32_t node) { return node != 2; };
  EXPECT_EQ(waiting.take_next(not_two)->from, 1u);
  EXPECT_EQ(waiting.take_next(not_two)->from, 1u);
  EXPECT_FALSE(waiting.take_next(not_two));
  EXPECT_EQ(waiting.take_next(always)->from, 3u);
}

TEST(WaitingRequests, WhatOverlapsOnTheSameChannelGoesFirst) {
  WaitingRequests waiting;
  constexpr uint32_t pages = most_data_pages + 8;
  waiting.add(1, request(100, pages, 1));
  waiting.add(2, request(100, pages, 2));
  waiting.add(1, request(300, 40, 1));
  EXPECT_FALSE(waiting.take_overlapping(1, request(100 + pages, 8, 1)));
  EXPECT_FALSE(waiting.take_overlapping(3, request(100, pages, 3)));
  std::vector<uint32_t> ends;
  while (const auto piece = waiting.take_overlapping(1, request(100 + pages - 1, 1, 1))) {
    EXPECT_EQ(piece->from, 1u);
    EXPECT_EQ(piece->message.first.page, 100u);
    ends.push_back(piece->end);
  }
  EXPECT_EQ(ends, (std::vector<uint32_t>{most_data_pages, pages}));
  EXPECT_TRUE(waiting.take_overlapping(1, request(330, 8, 1, -4)));
}
