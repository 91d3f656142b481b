// Tasks that the coordinator passes from nodes that have some to nodes that wait.
#include "runtime/global/coordinator.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

namespace hetmp::runtime {
namespace {

constexpr uint32_t nodes = 4;

class HandoverTest : public testing::Test {
 protected:
  template <class Content> static Request by(uint32_t node, const Content& content) {
    return {{node, 1000 + node}, content};
  }
  static Request barrier(uint32_t node, uint64_t sequence, uint64_t team = 1) {
    return by(node, Request::Barrier{{team, sequence}, NodeSet::first_of(nodes), 0, 0, 0});
  }

  std::vector<Answer> send(const Request& made) {
    std::vector<Answer> answers;
    EXPECT_TRUE(coordinator.handle(made, answers));
    return answers;
  }

  std::vector<Answer> come(uint32_t node, uint64_t sequence) { return send(barrier(node, sequence)); }

  static Request offer_of(const Handover& tasks) { return by(tasks.origin, Request::OfferTasks{1, tasks}); }

  std::vector<Answer> offer(uint32_t node, uint32_t slot, uint32_t count = 1) {
    Handover tasks;
    tasks.origin = node;
    tasks.count = count;
    for (uint32_t i = 0; i < count; i++)
      tasks.tasks[i].slot = slot + i;
    return send(offer_of(tasks));
  }

  std::vector<Answer> give_back(uint32_t node, uint32_t origin, uint32_t slot, uint64_t nanoseconds) {
    return send(by(node, Request::ReturnTask{origin, slot, nanoseconds}));
  }

  Coordinator coordinator{schedulers::DecisionRules{}, std::vector<uint32_t>(nodes, 1)};
};

TEST_F(HandoverTest, TasksThatNobodyWantsComeBack) {
  const auto answers = offer(2, 17, 3);
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].to.node, 2u);
  const auto* back = std::get_if<Answer::TasksUnwanted>(&answers[0].content);
  ASSERT_TRUE(back);
  ASSERT_EQ(back->tasks.count, 3u);
  EXPECT_EQ(back->tasks.tasks[2].slot, 19u);
}

TEST_F(HandoverTest, WhoWaitsAtABarrierGetsThemAndHasToComeAgain) {
  EXPECT_TRUE(come(3, 1).empty());
  EXPECT_TRUE(come(1, 1).empty());
  const auto given = offer(0, 5);
  ASSERT_EQ(given.size(), 1u);
  EXPECT_EQ(given[0].to.node, 3u) << "it has waited longest";
  EXPECT_EQ(given[0].to.ticket, 1003u);
  const auto* tasks = std::get_if<Answer::Tasks>(&given[0].content);
  ASSERT_TRUE(tasks);
  EXPECT_EQ(tasks->tasks.tasks[0].slot, 5u);

  EXPECT_TRUE(come(2, 1).empty());
  EXPECT_TRUE(come(0, 1).empty()) << "node 3 has not come";
  const auto back = give_back(3, 0, 5, 42);
  ASSERT_EQ(back.size(), 1u);
  EXPECT_EQ(back[0].to.node, 0u);
  const auto* done = std::get_if<Answer::TaskDone>(&back[0].content);
  ASSERT_TRUE(done);
  EXPECT_EQ(done->slot, 5u);
  EXPECT_EQ(done->nanoseconds, 42u);
  EXPECT_EQ(coordinator.report().tasks.offered, 1u);
  EXPECT_EQ(coordinator.report().tasks.executed_elsewhere, 1u);
  EXPECT_EQ(coordinator.report().tasks.elsewhere_us, 0.042);
  const auto over = come(3, 1);
  EXPECT_EQ(over.size(), nodes);
  for (const Answer& answer : over)
    EXPECT_TRUE(std::holds_alternative<Answer::BarrierOver>(answer.content));
}

TEST_F(HandoverTest, WhoAsksLearnsHowManyWaitAtABarrier) {
  const auto idle = [&] {
    const auto answers = send(by(0, Request::AskIdle{1}));
    EXPECT_EQ(answers.size(), 1u);
    EXPECT_EQ(answers[0].to.ticket, 1000u);
    return std::get<Answer::IdleNodes>(answers[0].content).count;
  };
  EXPECT_EQ(idle(), 0u);
  come(3, 1);
  EXPECT_EQ(idle(), 1u);
  come(2, 1);
  EXPECT_EQ(idle(), 2u);
  offer(0, 5);
  EXPECT_EQ(idle(), 1u) << "one has something to do";
  send(barrier(1, 1, 2));
  EXPECT_EQ(idle(), 1u);
  come(3, 1);
  come(1, 1);
  EXPECT_EQ(idle(), 3u);
  come(0, 1);
  EXPECT_EQ(idle(), 0u);
}

TEST_F(HandoverTest, WhoWaitsForTheEndOfTheRegionGetsNone) {
  EXPECT_TRUE(send(by(0, Request::Join{{1, 1}, NodeSet::first_of(nodes), 0, false, false, 0, false})).empty());
  EXPECT_EQ(std::get<Answer::IdleNodes>(send(by(1, Request::AskIdle{1}))[0].content).count, 0u);
  EXPECT_TRUE(std::holds_alternative<Answer::TasksUnwanted>(offer(1, 0)[0].content));
}

TEST_F(HandoverTest, OtherTeamsGetNone) {
  EXPECT_TRUE(send(barrier(3, 1, 2)).empty());
  EXPECT_TRUE(std::holds_alternative<Answer::TasksUnwanted>(offer(0, 0)[0].content));
}

TEST_F(HandoverTest, WhatNoCorrectNodeSendsIsRefused) {
  std::vector<Answer> answers;
  Handover tasks;
  tasks.origin = 1;
  tasks.count = 1;
  const Request correct = offer_of(tasks);
  EXPECT_TRUE(coordinator.handle(correct, answers));

  Request by_another = correct;
  by_another.from.node = 2;
  EXPECT_FALSE(coordinator.handle(by_another, answers));
  EXPECT_FALSE(coordinator.handle(by(0, Request::ReturnTask{nodes, 0, 0}), answers)) << "of a node that there is not";
}

/// Nodes generate and execute tasks at random, those of others as well, and each barrier is over only when all tasks
/// are complete at home and every node waits.
TEST_F(HandoverTest, NoBarrierEndsBeforeTheTasksThatWereHandedOver) {
  std::mt19937 random{3};
  for (uint64_t barrier = 1; barrier <= 300; barrier++) {
    struct Node {
      uint32_t ready = 0, away = 0;                        ///< own tasks
      std::vector<std::pair<uint32_t, uint32_t>> accepted; ///< origin, slot
      bool waits = false;
    };
    Node node[nodes];
    uint32_t next_slot = 0, generated = 0, executed = 0;
    for (Node& one : node)
      generated += one.ready = random() % 12;
    bool over = false;
    const auto take = [&](const std::vector<Answer>& answers) {
      for (const Answer& answer : answers) {
        Node& to = node[answer.to.node];
        if (const auto* back = std::get_if<Answer::TasksUnwanted>(&answer.content)) {
          to.away -= back->tasks.count;
          to.ready += back->tasks.count;
        } else if (std::holds_alternative<Answer::TaskDone>(answer.content)) {
          to.away--;
          executed++;
        } else if (const auto* given = std::get_if<Answer::Tasks>(&answer.content)) {
          EXPECT_TRUE(to.waits);
          to.waits = false;
          for (uint32_t i = 0; i < given->tasks.count; i++)
            to.accepted.push_back({given->tasks.origin, given->tasks.tasks[i].slot});
        } else {
          EXPECT_TRUE(to.waits);
          over = true;
        }
      }
    };
    while (!over) {
      const uint32_t chosen = random() % nodes;
      Node& one = node[chosen];
      if (one.waits)
        continue;
      if (!one.accepted.empty() && random() % 2) {
        const auto [origin, slot] = one.accepted.back();
        one.accepted.pop_back();
        take(give_back(chosen, origin, slot, random() % 100));
      } else if (one.ready != 0 && random() % 2) {
        const uint32_t count = 1 + random() % std::min(one.ready, Handover::most);
        one.ready -= count;
        one.away += count;
        take(offer(chosen, next_slot, count));
        next_slot += count;
      } else if (one.ready != 0) {
        one.ready--;
        executed++;
      } else if (one.away == 0 && one.accepted.empty()) {
        one.waits = true;
        take(come(chosen, barrier));
      }
    }
    EXPECT_EQ(executed, generated) << "barrier " << barrier;
    for (const Node& one : node)
      EXPECT_TRUE(one.waits && one.ready == 0 && one.away == 0 && one.accepted.empty());
  }
}

} // namespace
} // namespace hetmp::runtime
