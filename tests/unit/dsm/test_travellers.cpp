// Messages about travelling threads that cannot be are refused, whoever sent them.
#include "dsm/migration/carriers.hpp"
#include "dsm/migration/deputies.hpp"

#include <gtest/gtest.h>

#include <pthread.h>

#include <set>

namespace hetmp::dsm {
namespace {

struct Sent final : TravelMessages {
  std::vector<HomecomingMessage> home;
  void send_departure(uint32_t, const DepartureMessage&) override {}
  void send_homecoming(const HomecomingMessage& message) override { home.push_back(message); }
  void call_home(uint32_t, uint64_t) override {}
  void invite_home(uint32_t, uint64_t, Invitation) override {}
  void send_guest_call(uint64_t, const GuestCall&) override {}
  void send_guest_answer(uint32_t, uint64_t, uint32_t, const GuestAnswer&) override {}
};

DepartureMessage possible() {
  const Segment stacks = AddressPlan::stack_part(origin);
  return {.deputy = 3,
          .in_task = 0,
          .has_cpu = 0,
          .page_ns = 0,
          .context = stacks.begin + 0x10000,
          .thread_pointer = stacks.begin + 0x20000,
          .guard = stacks.begin,
          .allowance_us = 0,
          .phase = 5};
}

TEST(Travellers, NobodyDepartsToWhereNoCarriersAre) {
  Carriers carriers;
  EXPECT_EQ(carriers.departed(origin, possible()), Carriers::Taken::Impossible);
}

TEST(Travellers, DeparturesLieInTheOriginsStacks) {
  static Gates gates;
  static ClosedMemory closed;
  static MemoryAbroad memory;
  static Sent sent;
  static Carriers& carriers = *new Carriers;
  // Carriers whose threads never begin are busy for ever.
  carriers.set_up(
      gates, closed, memory, sent, [](FaultCounters*) {}, 2, [](void* (*)(void*), void*) {});
  ASSERT_EQ(carriers.departed(origin, possible()), Carriers::Taken::No);
  ASSERT_EQ(sent.home.size(), 1u);
  EXPECT_EQ(sent.home[0].deputy, 3u);
  EXPECT_EQ(sent.home[0].why_and_pages, uint64_t(Homecoming::Refused));
  EXPECT_EQ(carriers.departed(1, possible()), Carriers::Taken::Impossible) << "only the origin's threads travel";
  const Segment stacks = AddressPlan::stack_part(origin);
  const auto refused = [&](auto change) {
    DepartureMessage message = possible();
    change(message);
    return carriers.departed(origin, message) == Carriers::Taken::Impossible;
  };
  for (const uint64_t address : {uint64_t(0), uint64_t(64), stacks.begin - 64, stacks.end, ~uint64_t(0), ~uint64_t(63),
                                 AddressPlan::stack_part(1).begin}) {
    EXPECT_TRUE(refused([&](DepartureMessage& message) { message.context = address; })) << address;
    EXPECT_TRUE(refused([&](DepartureMessage& message) { message.thread_pointer = address; })) << address;
    EXPECT_TRUE(refused([&](DepartureMessage& message) { message.guard = address; })) << address;
  }
  EXPECT_TRUE(refused([](DepartureMessage& message) { message.context += 8; })) << "the kernel wants it aligned";
  EXPECT_TRUE(refused([&](DepartureMessage& message) { message.context = stacks.end - context_room + 64; }))
      << "its end";
  EXPECT_TRUE(refused([](DepartureMessage& message) { message.guard += 64; }));
  EXPECT_EQ(sent.home.size(), 1u);
  EXPECT_TRUE(carriers.call_home(origin, 12345)) << "it has left meanwhile, perhaps";
  EXPECT_FALSE(carriers.call_home(1, 3));
  EXPECT_TRUE(carriers.invite_home(origin, 12345, Invitation::ChangePlaces)) << "likewise";
  EXPECT_FALSE(carriers.invite_home(1, 3, Invitation::FreeCpu));
}

TEST(Travellers, NobodyComesHomeWhoWasNotAway) {
  static Deputies& deputies = *new Deputies;
  for (const uint64_t deputy : {uint64_t(0), Deputies::most - 1, Deputies::most, ~uint64_t(0)})
    EXPECT_FALSE(
        deputies.came_home(1, {.deputy = deputy, .abroad_ns = 0, .computed_ns = 0, .why_and_pages = 0, .fetched = 0}))
        << deputy;
}

TEST(Travellers, HaveToGiveBackWhatTheyTookAndLittleForWhatWasOnlyCopied) {
  FaultCounters node;
  node.bytes_received = 800 * page_bytes;
  EXPECT_EQ(pages_to_give_back(node), 100u);
  node.pages_taken = 50; // some came with their contents, of others only the right to write them
  EXPECT_EQ(pages_to_give_back(node), 150u);
}

TEST(Travellers, TouchFirstWhatIsAroundTheirContextsAndTheirVariables) {
  constexpr uintptr_t stack = 0x100000, room = stack + 5 * page_bytes + 64, variables = 0x200000;
  std::set<uintptr_t> pages;
  for (const uintptr_t address : TravellersPages(room, variables + 8, variables - 8, stack).addresses)
    pages.insert(address);
  const std::set<uintptr_t> expected = {stack + 3 * page_bytes, stack + 4 * page_bytes, stack + 5 * page_bytes,
                                        stack + 6 * page_bytes, variables - page_bytes, variables};
  EXPECT_EQ(pages, expected);
}

TEST(Travellers, DoNotTouchWhatLiesBelowTheirStacks) {
  constexpr uintptr_t guard = 0x100000;
  for (const uintptr_t room : {guard + page_bytes, guard + 2 * page_bytes, guard + 2 * page_bytes + 64})
    for (const uintptr_t address : TravellersPages(room, 0x200000, 0x200000, guard).addresses)
      EXPECT_TRUE(address == 0 || address > guard) << room;
}

} // namespace
} // namespace hetmp::dsm
