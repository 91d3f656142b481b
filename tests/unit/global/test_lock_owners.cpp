// One lock on several nodes: every state that small worlds can come to, breadth first.
#include "lock_world_steps.hpp"

#include <gtest/gtest.h>
#include <unordered_set>

namespace hetmp::runtime::lock_test {
namespace {

using Programs = std::vector<std::vector<std::string>>; ///< of each node's threads

struct Exploration {
  size_t states = 0;
  std::string problem;
};

Exploration explore(const Programs& programs, uint32_t evictions, Fault fault) {
  Exploration result;
  std::deque<World> open{World(programs, evictions, fault)};
  std::unordered_set<std::string> seen{open.front().fingerprint()};
  while (!open.empty() && result.problem.empty()) {
    const std::vector<World> worlds = open.front().next();
    if (worlds.empty())
      result.problem = open.front().end_problem();
    open.pop_front();
    for (const World& world : worlds) {
      if (result.problem.empty())
        result.problem = world.problem();
      if (seen.insert(world.fingerprint()).second)
        open.push_back(world);
    }
  }
  result.states = seen.size();
  return result;
}

struct Small {
  const char* name;
  Programs programs;
  uint32_t evictions;
};

const Small small_worlds[] = {
    {"two nodes, a thread each", {{"LLL"}, {"LLL"}}, 1},
    {"two nodes, who try", {{"TTL"}, {"TTT"}}, 1},
    {"one locks, one tries", {{"TTT"}, {"LLL"}}, 1},
    {"two threads on the origin", {{"LL", "LT"}, {"LL"}}, 1},
    {"two threads on the other node", {{"LL"}, {"LL", "LT"}}, 1},
    {"three on a node", {{"L"}, {"L", "L", "L"}}, 0},
    {"two threads each", {{"L", "T"}, {"L", "T"}}, 1},
    {"three nodes", {{"LL"}, {"LL"}, {"LL"}}, 0},
    {"three nodes, who lock and try", {{"L"}, {"LT"}, {"TL"}}, 1},
    {"the origin stands by", {{}, {"LTL"}, {"LT"}}, 1},
    {"taken on one node, released on the other", {{"AL"}, {"RL"}}, 1},
    {"left to each other", {{"A", "R"}, {"R", "A"}}, 1},
    {"left to the node that owns it or to another", {{"AT"}, {"R", "LA"}, {"R"}}, 0},
    {"left to the origin", {{"R", "T"}, {"AL"}, {"L"}}, 1},
};

TEST(LockOwners, EveryStateOfSmallWorldsIsRight) {
  for (const Small& world : small_worlds) {
    const Exploration seen = explore(world.programs, world.evictions, Fault::None);
    EXPECT_EQ(seen.problem, "") << world.name;
    EXPECT_GT(seen.states, 50u) << world.name;
    RecordProperty(world.name, int(seen.states));
  }
}

TEST(LockOwners, EverySeededFaultIsFound) {
  for (const Fault fault :
       {Fault::RecallForgotten, Fault::GrantForgetsRecall, Fault::AgainForgotten, Fault::OriginBelievesItself,
        Fault::GivenBackAwaited, Fault::NobodyWoken, Fault::WokenKept, Fault::OriginHearsLate, Fault::TrialsAlike,
        Fault::TrialTakesTime, Fault::HomeUntold, Fault::ReleaseMissent, Fault::ReleaseUntold}) {
    bool found = false;
    for (const Small& world : small_worlds)
      found = found || !explore(world.programs, world.evictions, fault).problem.empty();
    EXPECT_TRUE(found) << "fault " << int(fault);
  }
}

TEST(LockOwners, ARecalledLockIsHandedOnABoundedNumberOfTimes) {
  Word word = named(World::key) | Here | Held | Awaited | Recalled;
  Word turns = 0;
  Step step = released(word);
  for (; step.tell == Tell::Nothing; step = released(word)) {
    ASSERT_LE(++turns, most_local_handovers);
    word = taken_by_sleeper(step.to, false);
  }
  EXPECT_EQ(turns, most_local_handovers);
  EXPECT_EQ(step.tell, Tell::GiveBackAndAsk);
  EXPECT_EQ(step.to, named(World::key) | Asked | Awaited);
}

TEST(LockOwners, WhatTheOriginAloneUsesIsNeverListed) {
  LockOwners owners;
  std::vector<Answer> answers;
  EXPECT_TRUE(owners.lock({0, 1}, 8, answers));
  EXPECT_TRUE(owners.try_lock({0, 1}, 8, answers));
  EXPECT_EQ(answers.size(), 2u);
  EXPECT_EQ(owners.find(8), nullptr);
  EXPECT_FALSE(owners.give_back({1, 0}, 8, false, answers)) << "a node that does not own it";
}

} // namespace
} // namespace hetmp::runtime::lock_test
