// Sets of nodes against sets of numbers.
#include "base/node_set.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <random>
#include <set>

namespace hetmp {
namespace {

using Numbers = std::set<uint32_t>;

Numbers numbers_of(NodeSet nodes) { return {nodes.begin(), nodes.end()}; }

NodeSet set_of(const Numbers& numbers) {
  NodeSet nodes;
  for (const uint32_t node : numbers)
    nodes.add(node);
  return nodes;
}

Numbers any(std::mt19937& random) {
  Numbers numbers;
  for (uint32_t count = random() % (most_nodes + 1); count != 0; --count)
    numbers.insert(random() % most_nodes);
  return numbers;
}

TEST(NodeSet, HasWhatWasPutIn) {
  EXPECT_TRUE(NodeSet().empty());
  EXPECT_EQ(numbers_of(NodeSet()), Numbers{});
  EXPECT_EQ(numbers_of(NodeSet::of(63)), Numbers{63});
  EXPECT_EQ(numbers_of(NodeSet::of_bits(0b1011)), (Numbers{0, 1, 3}));
  EXPECT_EQ(numbers_of(NodeSet::of(5).with(2).without(5)), Numbers{2});
  for (uint32_t count = 0; count <= most_nodes; ++count) {
    EXPECT_EQ(NodeSet::first_of(count).size(), count);
    EXPECT_FALSE(NodeSet::first_of(count).contains(count));
  }
  EXPECT_EQ(NodeSet::all().size(), most_nodes);
}

TEST(NodeSet, NumbersThatNoNodeHasAreInNone) {
  for (const uint32_t node : {most_nodes, most_nodes + 1, 2 * most_nodes, UINT32_MAX})
    EXPECT_FALSE(NodeSet::all().contains(node)) << node;
}

TEST(NodeSet, DoesWhatSetsOfNumbersDo) {
  std::mt19937 random(5);
  for (int turn = 0; turn < 2000; ++turn) {
    const Numbers one = any(random), two = any(random);
    const NodeSet a = set_of(one), b = set_of(two);
    ASSERT_EQ(numbers_of(a), one);
    ASSERT_TRUE(std::equal(a.begin(), a.end(), one.begin(), one.end())) << "ascending";
    ASSERT_EQ(a.size(), one.size());
    ASSERT_EQ(a == b, one == two);
    ASSERT_EQ(NodeSet::of_bits(a.bits()), a);
    ASSERT_EQ(a.contains(b), std::includes(one.begin(), one.end(), two.begin(), two.end()));
    for (uint32_t node = 0; node < most_nodes; ++node)
      ASSERT_EQ(a.contains(node), one.count(node) == 1);
    Numbers either, both, rest;
    std::set_union(one.begin(), one.end(), two.begin(), two.end(), std::inserter(either, either.end()));
    std::set_intersection(one.begin(), one.end(), two.begin(), two.end(), std::inserter(both, both.end()));
    std::set_difference(one.begin(), one.end(), two.begin(), two.end(), std::inserter(rest, rest.end()));
    ASSERT_EQ(numbers_of(a | b), either);
    ASSERT_EQ(numbers_of(a & b), both);
    ASSERT_EQ(numbers_of(a - b), rest);
    if (!one.empty()) {
      ASSERT_EQ(a.first(), *one.begin());
      ASSERT_EQ(a.last(), *one.rbegin());
      NodeSet fewer = a;
      fewer.remove(a.last());
      ASSERT_EQ(fewer, a.without(*one.rbegin()));
      ASSERT_EQ(fewer.size(), a.size() - 1);
    }
  }
}

TEST(NodeSet, IsReadByPeople) {
  EXPECT_EQ(to_string(NodeSet()), "");
  EXPECT_EQ(to_string(NodeSet::of(7)), "7");
  EXPECT_EQ(to_string(NodeSet::of_bits(0b10110)), "1,2,4");
  EXPECT_EQ(to_string(NodeSet::of_bits(0b11), ", "), "0, 1");
}

} // namespace
} // namespace hetmp
