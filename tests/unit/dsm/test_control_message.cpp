// Control messages: each comes as it was sent, and what cannot be one is none.
#include "dsm/process/control_message.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace hetmp::dsm {
namespace {

template <class M> SlotHeader header_of(const M& message, uint32_t data_bytes = 0) {
  const control::Encoded<M> encoded(message);
  SlotHeader header;
  header.channel = Channel::Control;
  header.header_bytes = uint16_t(encoded.bytes.size());
  header.data_bytes = data_bytes;
  std::copy(encoded.bytes.begin(), encoded.bytes.end(), header.message);
  return header;
}

template <class M> M read_back(const M& message) {
  const auto read = control::read(header_of(message));
  EXPECT_TRUE(read && std::holds_alternative<M>(*read));
  return read && std::holds_alternative<M>(*read) ? std::get<M>(*read) : M{};
}

TEST(ControlMessage, FieldsArrive) {
  EXPECT_EQ(read_back(control::Free{0x1234'5678'9abc}).block, 0x1234'5678'9abcu);
  EXPECT_EQ(read_back(control::Exit{-3}).code, -3);
  const auto unmap = read_back(control::Unmap{0x7000, uint64_t(1) << 33});
  EXPECT_EQ(unmap.begin, 0x7000u);
  EXPECT_EQ(unmap.pages, uint64_t(1) << 33);
  const auto changed = read_back(control::Changed{12, ~uint64_t(0)});
  EXPECT_EQ(changed.error, 12);
  EXPECT_EQ(changed.result, ~uint64_t(0));
  EXPECT_EQ(read_back(control::Lost{5}).node, 5u);
  const auto push = read_back(control::Push{0x1000, 63});
  EXPECT_EQ(push.address, 0x1000u);
  EXPECT_EQ(push.reader, 63u);
  EXPECT_EQ(read_back(control::Turn{2}).step, 2u);
  const auto depart = read_back(control::Depart{{.deputy = 1,
                                                 .in_task = 1,
                                                 .has_cpu = 1,
                                                 .page_ns = 6,
                                                 .context = 2,
                                                 .thread_pointer = 3,
                                                 .guard = 4,
                                                 .allowance_us = -5,
                                                 .phase = 7}});
  EXPECT_EQ(depart.departure.deputy, 1u);
  EXPECT_EQ(depart.departure.in_task, 1u);
  EXPECT_EQ(depart.departure.has_cpu, 1u);
  EXPECT_EQ(depart.departure.guard, 4u);
  EXPECT_EQ(depart.departure.allowance_us, -5);
  EXPECT_EQ(depart.departure.phase, 7u);
  EXPECT_EQ(depart.departure.page_ns, 6);
  const auto home =
      read_back(control::ComeHome{{.deputy = 1, .abroad_ns = 2, .computed_ns = 3, .why_and_pages = 4, .fetched = 5}});
  EXPECT_EQ(home.homecoming.computed_ns, 3);
  EXPECT_EQ(home.homecoming.why_and_pages, 4u);
  EXPECT_EQ(home.homecoming.fetched, 5u);
  EXPECT_EQ(read_back(control::CallHome{77}).deputy, 77u);
  const auto invited = read_back(control::InviteHome{.deputy = 78, .invitation = 1});
  EXPECT_EQ(invited.deputy, 78u);
  EXPECT_EQ(invited.invitation, 1u);
  read_back(control::End{});
  read_back(control::Joined{});
  read_back(control::Offer{});
  read_back(control::Visit{});
}

TEST(ControlMessage, OnlyWhatCarriesDataHasSome) {
  EXPECT_TRUE(control::read(header_of(control::Fact{}, 100)));
  EXPECT_TRUE(control::read(header_of(control::Lost{1}, 100)));
  EXPECT_TRUE(control::read(header_of(control::Observe{}, 0)));
  EXPECT_FALSE(control::read(header_of(control::End{}, 1)));
  EXPECT_FALSE(control::read(header_of(control::Free{8}, 1)));
}

TEST(ControlMessage, AnotherLengthIsNoMessage) {
  const SlotHeader right = header_of(control::Unmap{1, 2});
  for (uint32_t bytes = 0; bytes <= UINT16_MAX; ++bytes) {
    SlotHeader header = right;
    header.header_bytes = uint16_t(bytes);
    EXPECT_EQ(control::read(header).has_value(), bytes == right.header_bytes) << bytes;
  }
}

TEST(ControlMessage, AnUnknownNumberIsNoMessage) {
  for (const uint64_t number : {uint64_t(std::variant_size_v<control::Message>), uint64_t(1) << 32, ~uint64_t(0)}) {
    SlotHeader header = header_of(control::End{});
    memcpy(header.message, &number, sizeof number);
    EXPECT_FALSE(control::read(header)) << number;
  }
}

} // namespace
} // namespace hetmp::dsm
