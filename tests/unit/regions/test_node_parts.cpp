// What each node is told of a team.
#include "runtime/regions/node_parts.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>

namespace hetmp::runtime {
namespace {

TeamDescription of_nine_threads() {
  TeamDescription whole;
  whole.team = 17;
  whole.nodes = 3;
  whole.participants = NodeSet::of(0).with(2).with(3);
  whole.root = 5;
  whole.threads = 9;
  whole.local_threads = 4;
  whole.level = 2;
  whole.icvs.nthreads = 6;
  whole.microtask = &whole;
  whole.argument_count = 2;
  whole.arguments[0] = whole.arguments;
  whole.arguments[1] = whole.arguments + 1;
  return whole;
}

const std::vector<uint32_t> by_node = {4, 0, 3, 2};

TEST(NodeParts, ThreadsAreNumberedInTheOrderOfNodes) {
  const TeamDescription whole = of_nine_threads();
  const TeamDescription second = part_of_node(whole, by_node, 2), third = part_of_node(whole, by_node, 3);
  EXPECT_EQ(second.node, 2u);
  EXPECT_EQ(second.first_thread, 4u);
  EXPECT_EQ(second.local_threads, 3u);
  EXPECT_EQ(third.node, 3u);
  EXPECT_EQ(third.first_thread, 7u);
  EXPECT_EQ(third.local_threads, 2u);
  EXPECT_EQ(third.first_thread + third.local_threads, whole.threads);
}

TEST(NodeParts, TheRestIsTheSameEverywhere) {
  const TeamDescription whole = of_nine_threads();
  TeamDescription part = part_of_node(whole, by_node, 3);
  EXPECT_EQ(part.arguments[0], whole.arguments[0]);
  EXPECT_EQ(part.arguments[1], whole.arguments[1]);
  part.node = whole.node;
  part.first_thread = whole.first_thread;
  part.local_threads = whole.local_threads;
  EXPECT_EQ(memcmp(&part, &whole, offsetof(TeamDescription, arguments)), 0);
}

TEST(NodeParts, WhatItIsMadeOfStays) {
  const TeamDescription whole = of_nine_threads();
  TeamDescription before;
  memcpy(static_cast<void*>(&before), &whole, offsetof(TeamDescription, arguments));
  part_of_node(whole, by_node, 2);
  EXPECT_EQ(memcmp(&before, &whole, offsetof(TeamDescription, arguments)), 0);
}

TEST(NodeParts, NodeZeroHasTheDescriptionItself) {
  const TeamDescription whole = of_nine_threads();
  const TeamDescription part = part_of_node(whole, by_node, 0);
  EXPECT_EQ(memcmp(&part, &whole, offsetof(TeamDescription, arguments)), 0);
}

TEST(NodeParts, ArgumentsOfThePartAreKept) {
  const TeamDescription from = of_nine_threads();
  TeamDescription to;
  to.arguments[0] = &to;
  copy_all_but_arguments(to, from);
  EXPECT_EQ(to.argument_count, 2u);
  EXPECT_EQ(to.arguments[0], static_cast<void*>(&to));
}

} // namespace
} // namespace hetmp::runtime
