#include "runtime/nodes/bouncing_pages.hpp"

#include <gtest/gtest.h>

namespace hetmp::runtime {
namespace {

using Words = perf::BouncingPages::Words;

constexpr uint64_t page = 0x400000;
constexpr double elapsed_us = 1000;

/// A node that got the right to write back so often, and waited 1 us each time.
dsm::PageRecord returns(uint64_t address, uint64_t count, std::initializer_list<uint32_t> words, uint64_t region = 1) {
  dsm::PageRecord record;
  record.address = address;
  record.write_misses = count;
  record.returns = count;
  record.waited_ns = count * 1000;
  record.regions[0] = {region, count};
  for (const uint32_t word : words)
    record.written[word / 64] |= uint64_t(1) << (word % 64);
  return record;
}

std::vector<std::string> no_names(uint64_t, const WrittenWords&) { return {}; }
std::vector<std::string> one_name(uint64_t, const WrittenWords&) { return {"grid"}; }
std::string region_name(uint64_t region) { return region == 0 ? "" : "r" + std::to_string(region); }

std::vector<perf::BouncingPages> bouncing(const PagesOfNodes& pages, const PagesOfNodes::NamesAt& names = no_names) {
  return pages.bouncing(elapsed_us, names, region_name);
}

TEST(BouncingPages, TwoNodesThatTakeAPageFromEachOther) {
  PagesOfNodes pages;
  pages.add(0, returns(page, 40, {0, 1}));
  pages.add(1, returns(page, 39, {2, 3}, 5));
  const auto found = bouncing(pages, one_name);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].address, page);
  EXPECT_EQ(found[0].pages, 1u);
  EXPECT_EQ(found[0].turns, 79u);
  EXPECT_EQ(found[0].faults(), 79u);
  EXPECT_EQ(found[0].waited_us, 79);
  EXPECT_EQ(found[0].words, Words::Different);
  EXPECT_EQ(found[0].holds, std::vector<std::string>{"grid"});
  ASSERT_EQ(found[0].writers.size(), 2u);
  EXPECT_EQ(found[0].writers[0].first, 0u);
  EXPECT_EQ(found[0].writers[0].last, 7u);
  EXPECT_EQ(found[0].writers[1].first, 8u);
  EXPECT_EQ(found[0].writers[1].last, 15u);
  ASSERT_EQ(found[0].regions.size(), 2u);
  EXPECT_EQ(found[0].regions[0].region, "r1");
  EXPECT_EQ(found[0].regions[0].turns, 40u);
}

TEST(BouncingPages, OneNodeAloneDoesNotBounce) {
  PagesOfNodes pages;
  pages.add(0, returns(page, 1000, {0}));
  pages.add(1, returns(page, 0, {}));
  EXPECT_TRUE(bouncing(pages).empty());
}

TEST(BouncingPages, AFewTurnsAreNoBouncing) {
  PagesOfNodes pages;
  pages.add(0, returns(page, PagesOfNodes::fewest_turns / 2, {0}));
  pages.add(1, returns(page, PagesOfNodes::fewest_turns / 2 - 1, {1}));
  EXPECT_TRUE(bouncing(pages).empty());
  pages.add(2, returns(page, 1, {2}));
  EXPECT_EQ(bouncing(pages).size(), 1u);
}

TEST(BouncingPages, WhatCostsNextToNothingIsNotSaid) {
  PagesOfNodes pages;
  pages.add(0, returns(page, 40, {0}));
  pages.add(1, returns(page, 40, {1}));
  EXPECT_EQ(pages.bouncing(40 / PagesOfNodes::least_part * 0.9, no_names, region_name).size(), 1u);
  EXPECT_EQ(pages.bouncing(40 / PagesOfNodes::least_part * 1.1, no_names, region_name).size(), 0u);
}

TEST(BouncingPages, WordsTellFalseSharingFromTrue) {
  PagesOfNodes pages;
  pages.add(0, returns(page, 40, {0, 7}));
  pages.add(1, returns(page, 40, {7}));
  pages.add(0, returns(page + 8192, 40, {0}));
  pages.add(1, returns(page + 8192, 40, {}));
  const auto found = bouncing(pages);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].words, Words::Same);
  EXPECT_EQ(found[1].words, Words::Unknown);
  EXPECT_GT(found[1].writers[1].first, found[1].writers[1].last) << "not known";
}

TEST(BouncingPages, NeighboursThatHoldTheSameAreOne) {
  PagesOfNodes pages;
  for (uint64_t i = 0; i < 4; ++i)
    for (uint32_t node : {0u, 1u})
      pages.add(node, returns(page + i * page_bytes, 20 + i, {node + 1}, 1 + i / 2));
  pages.add(0, returns(page + 5 * page_bytes, 30, {0})); // a gap before
  pages.add(1, returns(page + 5 * page_bytes, 30, {1}));
  const auto found = bouncing(pages, one_name);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].address, page);
  EXPECT_EQ(found[0].pages, 4u);
  EXPECT_EQ(found[0].turns, 2u * (20 + 21 + 22 + 23));
  EXPECT_EQ(found[0].words, Words::Different);
  EXPECT_EQ(found[0].writers[1].first, 8u);
  EXPECT_EQ(found[0].writers[1].last, 3 * page_bytes + 11);
  ASSERT_EQ(found[0].regions.size(), 2u);
  EXPECT_EQ(found[0].regions[0].region, "r2");
  EXPECT_EQ(found[0].regions[0].turns, 2u * (22 + 23));
  EXPECT_EQ(bouncing(pages, no_names).size(), 5u) << "what has no name is not known to be the same";
}

TEST(BouncingPages, OnlyWhatBouncesIsLookedUp) {
  PagesOfNodes pages;
  for (uint64_t i = 0; i < 1000; ++i)
    pages.add(0, returns(page + i * page_bytes, 50, {0}));
  pages.add(1, returns(page + 3 * page_bytes, 50, {1}));
  uint64_t asked = 0;
  const auto names = [&](uint64_t address, const WrittenWords& words) -> std::vector<std::string> {
    ++asked;
    EXPECT_EQ(address, page + 3 * page_bytes);
    EXPECT_EQ(words.addresses(0), (std::vector<uint64_t>{0, 4}));
    return {};
  };
  EXPECT_EQ(bouncing(pages, names).size(), 1u);
  EXPECT_EQ(asked, 1u);
}

TEST(BouncingPages, TheDearestAreShownWhenThereAreTooMany) {
  PagesOfNodes pages;
  constexpr uint64_t count = PagesOfNodes::most_shown + 100;
  for (uint64_t i = 0; i < count; ++i)
    for (uint32_t node : {0u, 1u})
      pages.add(node, returns(page + 2 * i * page_bytes, 20 + i, {node}));
  const auto found = bouncing(pages);
  ASSERT_EQ(found.size(), PagesOfNodes::most_shown);
  EXPECT_EQ(found.front().turns, 2 * (20 + count - 1));
  EXPECT_EQ(found.back().turns, 2u * (20 + 100));
}

TEST(HotPages, SumsOfAllNodesInTheOrderOfAddresses) {
  PagesOfNodes pages;
  pages.add(1, returns(page + page_bytes, 3, {}));
  pages.add(0, returns(page, 5, {}));
  pages.add(1, returns(page, 6, {}));
  const auto found = pages.hottest();
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].address, page);
  EXPECT_EQ(found[0].write_misses, 11u);
  EXPECT_EQ(found[0].turns, 11u);
  EXPECT_EQ(found[0].waited_us, 11);
  EXPECT_EQ(found[1].faults(), 3u);
}

TEST(HotPages, ThoseWithMostFaults) {
  PagesOfNodes pages;
  for (uint64_t i = 0; i < 2 * PagesOfNodes::most_shown; ++i)
    pages.add(0, returns(page + i * page_bytes, i % 2 ? 100 : 1, {}));
  const auto found = pages.hottest();
  ASSERT_EQ(found.size(), PagesOfNodes::most_shown);
  for (const perf::HotPage& hot : found)
    EXPECT_EQ(hot.faults(), 100u);
}

TEST(WrittenWords, AllWordsIfItIsNotKnownWhich) {
  WrittenWords words;
  EXPECT_FALSE(words.known());
  EXPECT_EQ(words.addresses(page).size(), page_bytes / 4);
  EXPECT_EQ(words.addresses(page).back(), page + page_bytes - 4);
}

} // namespace
} // namespace hetmp::runtime
