// Who touches which pages in a calibration.
#include "runtime/calibration/shares.hpp"

#include <gtest/gtest.h>

namespace {

using namespace hetmp::calibration;

const std::vector<uint32_t> three_nodes = {0, 0, 0, 1, 1, 2};

TEST(CalibrationShares, EqualNodesGetEqualShares) {
  EXPECT_EQ(split_pages(256, 1), (Split{256, 256}));
  EXPECT_EQ(split_pages(256, 1.05), (Split{256, 256}));
  EXPECT_EQ(split_pages(256, 0.95), (Split{256, 256}));
}

TEST(CalibrationShares, TheSlowerNodeGetsThePagesAndTheFasterOneMore) {
  EXPECT_EQ(split_pages(10, 3), (Split{10, 30}));
  EXPECT_EQ(split_pages(10, 0.25), (Split{40, 10}));
  EXPECT_EQ(split_pages(1, 0.4), (Split{3, 1}));
}

/// How often each page is in a share.
std::vector<int> covered(const std::vector<Share>& shares, size_t pages) {
  std::vector<int> times(pages);
  for (const Share& share : shares)
    for (size_t page = share.first; page < share.first + share.count; ++page)
      ++times.at(page);
  return times;
}

TEST(CalibrationShares, EveryPageBelongsToOneThread) {
  for (const uint32_t node : {1u, 2u})
    for (const Split split : {Split{1, 1}, Split{256, 256}, Split{7, 3}, Split{1, 5}}) {
      const size_t pages = count_pages(three_nodes, node, split);
      for (const Workers workers : {Workers::Origin, Workers::Both})
        EXPECT_EQ(covered(deal_pages(workers, three_nodes, node, split), pages), std::vector<int>(pages, 1));
    }
}

TEST(CalibrationShares, TheNodeAloneHasThePagesItHasWithTheOrigin) {
  const auto alone = deal_pages(Workers::Node, three_nodes, 1, {4, 6});
  const auto both = deal_pages(Workers::Both, three_nodes, 1, {4, 6});
  ASSERT_EQ(alone.size(), three_nodes.size());
  for (size_t thread = 0; thread < alone.size(); ++thread)
    if (three_nodes[thread] == 1)
      EXPECT_EQ(alone[thread], both[thread]);
    else
      EXPECT_EQ(alone[thread].count, 0u);
  EXPECT_EQ(alone[3], (Share{12, 6}));
  EXPECT_EQ(alone[4], (Share{18, 6}));
}

TEST(CalibrationShares, OtherNodesAreIdle) {
  for (const Workers workers : {Workers::Origin, Workers::Node, Workers::Both})
    EXPECT_EQ(deal_pages(workers, three_nodes, 1, {4, 4})[5].count, 0u);
}

} // namespace
