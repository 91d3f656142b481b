// The actions of several pages' events come together as few calls and messages, each page's in its order, and nothing
// gets lost.
#include "dsm/engine/action_batch.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace hetmp::dsm {
namespace {

using protocol::ActionKind;
using protocol::Actions;
using protocol::Message;
using protocol::MessageType;

Message message(MessageType type, PageNumber page, uint8_t requester = 0) {
  return protocol::message_of(type, page, requester);
}

Actions supplies(PageNumber page, MessageType type, bool protect = true) {
  Actions actions;
  if (protect)
    actions.add(ActionKind::Protect, page);
  actions.send(1, message(type, page));
  if (type == MessageType::DataExclusive)
    actions.add(ActionKind::Drop, page);
  return actions;
}

Actions installs(PageNumber page, bool writable, bool done) {
  Actions actions;
  actions.add(writable ? ActionKind::InstallExclusive : ActionKind::InstallShared, page);
  actions.add(ActionKind::Wake, page);
  if (done)
    actions.send(0, message(MessageType::Done, page));
  return actions;
}

Actions asks(PageNumber page, uint32_t of = 0, MessageType type = MessageType::ReadRequest, uint8_t requester = 0) {
  Actions actions;
  actions.send(of, message(type, page, requester));
  return actions;
}

Actions gives_up(PageNumber page) {
  Actions actions;
  actions.add(ActionKind::Drop, page);
  actions.send(0, message(MessageType::InvalidateAck, page));
  return actions;
}

Actions upgrades(PageNumber page) {
  Actions actions;
  actions.add(ActionKind::Unprotect, page);
  actions.add(ActionKind::Wake, page);
  actions.send(0, message(MessageType::Done, page));
  return actions;
}

TEST(ActionBatch, NeighboursAreGivenUpAndUpgradedTogether) {
  ActionBatch batch;
  for (PageNumber page = 100; page < 120; ++page)
    ASSERT_TRUE(batch.add(gives_up(page), nullptr));
  for (PageNumber page = 200; page < 220; ++page)
    ASSERT_TRUE(batch.add(upgrades(page), nullptr));
  ASSERT_EQ(batch.drops_before.size(), 1u) << "before what tells of it is sent";
  EXPECT_EQ(batch.drops_before[0].count, 20u);
  EXPECT_TRUE(batch.drops.empty());
  ASSERT_EQ(batch.upgrades.size(), 1u);
  EXPECT_EQ(batch.upgrades[0].first, 200u);
  EXPECT_EQ(batch.upgrades[0].count, 20u);
  ASSERT_EQ(batch.sendings.size(), 2u);
  EXPECT_EQ(batch.sendings[0].message.count, 20u);
  EXPECT_EQ(batch.sendings[1].message.count, 20u);
  batch.clear();
  EXPECT_TRUE(batch.empty());
}

TEST(ActionBatch, NeighboursAreProtectedSentAndDroppedTogether) {
  ActionBatch batch;
  for (PageNumber page = 100; page < 120; ++page)
    ASSERT_TRUE(batch.add(supplies(page, MessageType::DataExclusive), nullptr));
  ASSERT_EQ(batch.protections.size(), 1u);
  EXPECT_EQ(batch.protections[0].first, 100u);
  EXPECT_EQ(batch.protections[0].count, 20u);
  ASSERT_EQ(batch.sendings.size(), 1u);
  EXPECT_EQ(batch.sendings[0].to, 1u);
  EXPECT_EQ(batch.sendings[0].message.first.page, 100u);
  EXPECT_EQ(batch.sendings[0].message.count, 20u);
  EXPECT_EQ(batch.sendings[0].message.stride, 1);
  ASSERT_EQ(batch.drops.size(), 1u);
  EXPECT_EQ(batch.drops[0].count, 20u);
  EXPECT_FALSE(batch.empty());
  batch.clear();
  EXPECT_TRUE(batch.empty());
}

TEST(ActionBatch, ContentThatLiesTogetherIsInstalledTogether) {
  std::vector<uint8_t> content(8 * page_bytes);
  ActionBatch batch;
  for (PageNumber page = 0; page < 4; ++page)
    ASSERT_TRUE(batch.add(installs(page, false, true), &content[page * page_bytes]));
  ASSERT_TRUE(batch.add(installs(4, false, true), &content[5 * page_bytes])) << "content elsewhere";
  ASSERT_TRUE(batch.add(installs(5, true, true), &content[6 * page_bytes])) << "writable";
  ASSERT_TRUE(batch.add(installs(6, true, true), nullptr)) << "zeros";
  ASSERT_TRUE(batch.add(installs(7, true, true), nullptr));
  ASSERT_TRUE(batch.add(installs(9, true, true), nullptr)) << "not the next page";
  std::vector<uint32_t> counts;
  for (const auto& installation : batch.installations)
    counts.push_back(installation.pages.count);
  EXPECT_EQ(counts, (std::vector<uint32_t>{4, 1, 1, 2, 1}));
  EXPECT_EQ(batch.installations[0].content, content.data());
  EXPECT_EQ(batch.installations[3].content, nullptr);
  ASSERT_EQ(batch.sendings.size(), 2u) << "what is said of pages 0 to 7, and of 9";
  EXPECT_EQ(batch.sendings[0].message.count, 8u);
}

TEST(ActionBatch, RequestsOfAStrideAreOneMessage) {
  ActionBatch batch;
  for (int i = 0; i < 10; ++i)
    ASSERT_TRUE(batch.add(asks(PageNumber(1000 - 3 * i)), nullptr));
  ASSERT_EQ(batch.sendings.size(), 1u);
  EXPECT_EQ(batch.sendings[0].message.stride, -3);
  EXPECT_EQ(batch.sendings[0].message.count, 10u);
  EXPECT_EQ(batch.sendings[0].message.message(9).page, 1000u - 27u);
}

TEST(ActionBatch, WhatDiffersTravelsApart) {
  ActionBatch batch;
  batch.add(asks(1, 0), nullptr);
  batch.add(asks(2, 3), nullptr);                                              // to another node
  batch.add(asks(3, 3, MessageType::WriteRequest), nullptr);                   // of another type
  batch.add(asks(4, 3, MessageType::FetchShared, 1), nullptr);                 // another yet
  batch.add(asks(5, 3, MessageType::FetchShared, 2), nullptr);                 // for another requester
  batch.add(asks(uint64_t(1) << 40, 3, MessageType::FetchShared, 2), nullptr); // too far
  EXPECT_EQ(batch.sendings.size(), 6u);
  batch.clear();
  for (const PageNumber page : {1, 3}) // content travels with its neighbours only
    batch.add(supplies(page, MessageType::DataShared, false), nullptr);
  EXPECT_EQ(batch.sendings.size(), 2u);
  batch.clear();
  for (PageNumber page = 0; page < most_series_pages + 1; ++page)
    batch.add(asks(page), nullptr);
  ASSERT_EQ(batch.sendings.size(), 2u);
  EXPECT_EQ(batch.sendings[0].message.count, most_series_pages);
}

TEST(ActionBatch, AnotherOrderIsNotTaken) {
  const auto refused = [](std::initializer_list<ActionKind> kinds) {
    Actions actions;
    for (const ActionKind kind : kinds)
      if (kind == ActionKind::Send)
        actions.send(1, message(MessageType::InvalidateAck, 7));
      else
        actions.add(kind, 7);
    ActionBatch batch;
    const bool taken = batch.add(actions, nullptr);
    EXPECT_EQ(taken, !batch.empty());
    return !taken;
  };
  EXPECT_FALSE(refused({ActionKind::Drop, ActionKind::Send}));
  EXPECT_FALSE(refused({ActionKind::Send, ActionKind::Drop}));
  EXPECT_TRUE(refused({ActionKind::Drop, ActionKind::Protect}));
  EXPECT_FALSE(refused({ActionKind::Unprotect, ActionKind::Wake}));
  EXPECT_FALSE(refused({ActionKind::Unprotect, ActionKind::Wake, ActionKind::Send}));
  EXPECT_TRUE(refused({ActionKind::Unprotect}));
  EXPECT_TRUE(refused({ActionKind::Send, ActionKind::Unprotect, ActionKind::Wake}));
  EXPECT_FALSE(refused({ActionKind::Send, ActionKind::Send}));
  EXPECT_TRUE(refused({ActionKind::Hold}));
  EXPECT_TRUE(refused({ActionKind::Wake}));
  EXPECT_TRUE(refused({ActionKind::InstallShared}));
  EXPECT_TRUE(refused({ActionKind::InstallShared, ActionKind::Wake, ActionKind::Protect}));
  EXPECT_TRUE(refused({ActionKind::InstallShared, ActionKind::Wake, ActionKind::Hold}));
  EXPECT_FALSE(refused({ActionKind::InstallShared, ActionKind::Wake, ActionKind::Send}));
  EXPECT_FALSE(refused({ActionKind::Protect, ActionKind::Send, ActionKind::Drop}));
  Actions two;
  two.add(ActionKind::Protect, 1);
  two.add(ActionKind::Protect, 2);
  EXPECT_FALSE(ActionBatch().add(two, nullptr)) << "one event is about one page";
}

/// For each page, what is done to it, in order.
std::map<PageNumber, std::string> carried_out(const ActionBatch& batch) {
  std::map<PageNumber, std::string> done;
  for (const PageRange& pages : batch.protections)
    for (uint32_t i = 0; i < pages.count; ++i)
      done[pages.first + i] += "P";
  for (const PageRange& pages : batch.drops_before)
    for (uint32_t i = 0; i < pages.count; ++i)
      done[pages.first + i] += "D";
  for (const auto& installation : batch.installations)
    for (uint32_t i = 0; i < installation.pages.count; ++i)
      done[installation.pages.first + i] += installation.writable ? "X" : "S";
  for (const PageRange& pages : batch.upgrades)
    for (uint32_t i = 0; i < pages.count; ++i)
      done[pages.first + i] += "W";
  for (const auto& sending : batch.sendings)
    for (uint32_t i = 0; i < sending.message.count; ++i)
      done[sending.message.message(i).page] += std::to_string(sending.to) + name_of(sending.message.first.type);
  for (const PageRange& pages : batch.drops)
    for (uint32_t i = 0; i < pages.count; ++i)
      done[pages.first + i] += "D";
  return done;
}

TEST(ActionBatch, WhateverComesTogetherEachPageGetsItsOwn) {
  std::mt19937 random(4);
  for (int round = 0; round < 300; ++round) {
    ActionBatch batch;
    std::map<PageNumber, std::string> expected;
    PageNumber page = 0;
    for (int i = 0; i < 60; ++i) {
      page += 1 + (random() % 4 == 0 ? random() % 5 : 0);
      switch (random() % 6) {
      case 4:
        batch.add(gives_up(page), nullptr);
        expected[page] = "D0InvalidateAck";
        break;
      case 5:
        batch.add(upgrades(page), nullptr);
        expected[page] = "W0Done";
        break;
      case 0:
        batch.add(supplies(page, MessageType::DataShared), nullptr);
        expected[page] = "P1DataShared";
        break;
      case 1:
        batch.add(supplies(page, MessageType::DataExclusive, false), nullptr);
        expected[page] = "1DataExclusiveD";
        break;
      case 2:
        batch.add(installs(page, false, true), nullptr);
        expected[page] = "S0Done";
        break;
      default:
        batch.add(asks(page, 2), nullptr);
        expected[page] = "2ReadRequest";
        break;
      }
    }
    ASSERT_EQ(carried_out(batch), expected) << round;
  }
}

SlotHeader header_of(const PageMessage& message) {
  SlotHeader header;
  header.header_bytes = sizeof message;
  header.data_bytes = uint32_t(message.data_bytes());
  memcpy(header.message, &message, sizeof message);
  return header;
}

TEST(PageMessage, SurvivesItsJourney) {
  PageMessage run;
  run.first = message(MessageType::DataShared, 42);
  run.count = most_data_pages;
  const auto read = read_page_message(header_of(run));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->count, most_data_pages);
  EXPECT_EQ(read->data_bytes(), most_data_bytes);
  run.zeros = 1;
  ASSERT_TRUE(read_page_message(header_of(run)));
  EXPECT_EQ(read_page_message(header_of(run))->data_bytes(), 0u);
}

TEST(PageMessage, WhatCannotBeIsRefused) {
  PageMessage good;
  good.first = message(MessageType::ReadRequest, 1000);
  good.stride = -10;
  good.count = 101;
  ASSERT_TRUE(read_page_message(header_of(good)));
  const auto refused = [&](auto change) {
    PageMessage bad = good;
    change(bad);
    return !read_page_message(header_of(bad));
  };
  EXPECT_TRUE(refused([](PageMessage& m) { m.count = 0; }));
  EXPECT_TRUE(refused([](PageMessage& m) { m.stride = 0; }));
  EXPECT_TRUE(refused([](PageMessage& m) { m.count = most_series_pages + 1; }));
  EXPECT_TRUE(refused([](PageMessage& m) { m.count = 102; })) << "before the first page there is";
  EXPECT_TRUE(refused([](PageMessage& m) { m.first.page = UINT64_MAX - 5, m.stride = 1; }));
  EXPECT_TRUE(refused([](PageMessage& m) { m.zeros = 1; })) << "a request has no content";
  EXPECT_TRUE(refused([](PageMessage& m) { m.first.type = MessageType::DataShared; }))
      << "content's pages are neighbours";
  EXPECT_TRUE(refused([](PageMessage& m) {
    m.first.type = MessageType::DataShared;
    m.stride = 1;
    m.count = most_data_pages + 1;
  }));
  SlotHeader header = header_of(good);
  header.data_bytes = page_bytes;
  EXPECT_FALSE(read_page_message(header)) << "content that nobody announced";
  header = header_of(good);
  header.header_bytes = sizeof(protocol::Message);
  EXPECT_FALSE(read_page_message(header));
}

TEST(PageMessage, OverlapsWithWhatSharesItsPages) {
  PageMessage a, b;
  a.first = message(MessageType::ReadRequest, 100);
  a.stride = 2;
  a.count = 10; // up to 118
  b.first = message(MessageType::Invalidate, 118);
  EXPECT_TRUE(a.may_overlap(b));
  EXPECT_TRUE(b.may_overlap(a));
  b.first.page = 119;
  EXPECT_FALSE(a.may_overlap(b));
  b.stride = -1;
  b.count = 2;
  EXPECT_TRUE(a.may_overlap(b));
  b.first.page = 99;
  EXPECT_FALSE(a.may_overlap(b));
}

} // namespace
} // namespace hetmp::dsm
