// Offered pages are pushed to those who turn out to read them, as long as they do.
#include "dsm/ahead/push_memory.hpp"

#include <gtest/gtest.h>

namespace hetmp::dsm {
namespace {

constexpr uint64_t purpose = 0x401000;
constexpr PageNumber page = 77;
constexpr NodeSet everybody = NodeSet::first_of(4).without(0);

/// Offers the page many times; node 1 reads it as long as `reads`.
struct Offers {
  PushMemory memory;
  uint64_t requests = 0, pushes = 0;

  void repeat(uint32_t times, bool reads) {
    for (uint32_t i = 0; i < times; ++i) {
      const NodeSet to = memory.worth(purpose, page) ? memory.choose(purpose, page, everybody) : NodeSet();
      EXPECT_TRUE(to.without(1).empty()) << "others do not read it";
      pushes += !to.empty();
      if (to.empty() && reads) {
        ++requests;
        memory.asked(purpose, page, 1);
      }
    }
  }
};

TEST(PushMemory, PushesToThoseWhoRead) {
  Offers offers;
  EXPECT_FALSE(offers.memory.worth(purpose, page));
  offers.repeat(1000, true);
  EXPECT_LT(offers.requests, 20u);
  EXPECT_EQ(offers.requests + offers.pushes, 1000u);
}

TEST(PushMemory, EndsWhenNobodyReads) {
  Offers offers;
  offers.repeat(100, true);
  const uint64_t before = offers.pushes;
  offers.repeat(10000, false);
  EXPECT_LE(offers.pushes - before, PushMemory::longest_period);
  EXPECT_FALSE(offers.memory.worth(purpose, page));
}

TEST(PushMemory, BeginsAgainButLater) {
  Offers offers;
  offers.repeat(100, true);
  offers.repeat(1000, false);
  const uint64_t before = offers.requests;
  offers.repeat(1000, true);
  EXPECT_GT(offers.requests - before, PushMemory::first_needed);
  EXPECT_TRUE(offers.memory.worth(purpose, page));
}

TEST(PushMemory, PushesOnlyToThoseAddressed) {
  PushMemory memory;
  for (uint32_t i = 0; i < PushMemory::first_needed; ++i)
    memory.asked(purpose, page, 3);
  EXPECT_EQ(memory.choose(purpose, page, NodeSet::of(1).with(2)), NodeSet());
  EXPECT_EQ(memory.choose(purpose, page, everybody), NodeSet::of(3));
}

TEST(PushMemory, PurposesAndPagesAreToldApart) {
  PushMemory memory;
  for (uint32_t i = 0; i < PushMemory::first_needed; ++i)
    memory.asked(purpose, page, 1);
  EXPECT_EQ(memory.choose(purpose + 64, page, everybody), NodeSet());
  EXPECT_EQ(memory.choose(purpose, page + 1, everybody), NodeSet());
}

TEST(Offer, HoldsSoManyPages) {
  Offer offer;
  EXPECT_FALSE(offer.has(0));
  const PageNumber pages[] = {5, 6};
  offer.make(purpose, everybody, pages, 2);
  EXPECT_TRUE(offer.has(5) && offer.has(6));
  EXPECT_EQ(offer.page(2), Offer::none);
  offer.make(purpose, everybody, pages, 1);
  EXPECT_FALSE(offer.has(6));
}

} // namespace
} // namespace hetmp::dsm
