// Tasks that the coordinator passes from nodes that have some to nodes that wait.
#include "runtime/global/coordinator.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <random>
#include <set>

namespace hetmp::runtime {
namespace {

using Kind = Request::Kind;

constexpr uint32_t nodes = 4;

class HandoverTest : public testing::Test {
 protected:
  Request request(Kind kind, uint32_t node, uint64_t sequence) {
    Request made;
    made.kind = kind;
    made.node = node;
    made.ticket = 1000 + node;
    made.nodes = nodes;
    made.participants = NodeSet::first_of(nodes);
    made.threads = nodes;
    made.team = 1;
    made.sequence = sequence;
    return made;
  }

  std::vector<Answer> send(const Request& made) {
    std::vector<Answer> answers;
    EXPECT_TRUE(coordinator.handle(made, answers));
    return answers;
  }

  std::vector<Answer> come(uint32_t node, uint64_t barrier) { return send(request(Kind::Barrier, node, barrier)); }

  Request offer_of(const Handover& tasks) {
    Request made = request(Kind::OfferTasks, tasks.origin, 0);
    made.payload_length = sizeof tasks;
    memcpy(made.payload, &tasks, sizeof tasks);
    return made;
  }

  std::vector<Answer> offer(uint32_t node, uint32_t slot, uint32_t count = 1) {
    Handover tasks;
    tasks.origin = node;
    tasks.count = count;
    for (uint32_t i = 0; i < count; i++)
      tasks.tasks[i].slot = slot + i;
    return send(offer_of(tasks));
  }

  std::vector<Answer> give_back(uint32_t node, uint32_t origin, uint32_t slot, uint64_t nanoseconds) {
    Request made = request(Kind::ReturnTask, node, origin);
    made.word = slot;
    made.trips = nanoseconds;
    return send(made);
  }

  Coordinator coordinator{schedulers::DecisionRules{}, std::vector<uint32_t>(nodes, 1)};
};

TEST_F(HandoverTest, TasksThatNobodyWantsComeBack) {
  const auto answers = offer(2, 17, 3);
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].kind, Answer::Kind::TasksBack);
  EXPECT_EQ(answers[0].node, 2u);
  EXPECT_EQ(answers[0].word, 0u);
  ASSERT_EQ(answers[0].tasks.count, 3u);
  EXPECT_EQ(answers[0].tasks.tasks[2].slot, 19u);
}

TEST_F(HandoverTest, WhoWaitsAtABarrierGetsThemAndHasToComeAgain) {
  EXPECT_TRUE(come(3, 1).empty());
  EXPECT_TRUE(come(1, 1).empty());
  const auto given = offer(0, 5);
  ASSERT_EQ(given.size(), 1u);
  EXPECT_EQ(given[0].kind, Answer::Kind::Tasks);
  EXPECT_EQ(given[0].node, 3u) << "it has waited longest";
  EXPECT_EQ(given[0].ticket, 1003u);
  EXPECT_EQ(given[0].tasks.tasks[0].slot, 5u);

  EXPECT_TRUE(come(2, 1).empty());
  EXPECT_TRUE(come(0, 1).empty()) << "node 3 has not come";
  const auto back = give_back(3, 0, 5, 42);
  ASSERT_EQ(back.size(), 1u);
  EXPECT_EQ(back[0].kind, Answer::Kind::TasksBack);
  EXPECT_EQ(back[0].node, 0u);
  EXPECT_EQ(back[0].word, 43u);
  EXPECT_EQ(coordinator.report().tasks.offered, 1u);
  EXPECT_EQ(coordinator.report().tasks.executed_elsewhere, 1u);
  EXPECT_EQ(coordinator.report().tasks.elsewhere_us, 0.042);
  EXPECT_EQ(back[0].tasks.tasks[0].slot, 5u);
  const auto over = come(3, 1);
  EXPECT_EQ(over.size(), nodes);
  for (const Answer& answer : over)
    EXPECT_EQ(answer.kind, Answer::Kind::Reply);
}

TEST_F(HandoverTest, WhoAsksLearnsHowManyWaitAtABarrier) {
  const auto idle = [&] {
    const auto answers = send(request(Kind::AskIdle, 0, 0));
    EXPECT_EQ(answers.size(), 1u);
    EXPECT_EQ(answers[0].kind, Answer::Kind::Reply);
    EXPECT_EQ(answers[0].ticket, 1000u);
    return answers[0].word;
  };
  EXPECT_EQ(idle(), 0u);
  come(3, 1);
  EXPECT_EQ(idle(), 1u);
  come(2, 1);
  EXPECT_EQ(idle(), 2u);
  offer(0, 5);
  EXPECT_EQ(idle(), 1u) << "one has something to do";
  Request other = request(Kind::Barrier, 1, 1);
  other.team = 2;
  send(other);
  EXPECT_EQ(idle(), 1u);
  come(3, 1);
  come(1, 1);
  EXPECT_EQ(idle(), 3u);
  come(0, 1);
  EXPECT_EQ(idle(), 0u);
}

TEST_F(HandoverTest, WhoWaitsForTheEndOfTheRegionGetsNone) {
  EXPECT_TRUE(send(request(Kind::Join, 0, 1)).empty());
  EXPECT_EQ(send(request(Kind::AskIdle, 1, 0))[0].word, 0u);
  EXPECT_EQ(offer(1, 0)[0].kind, Answer::Kind::TasksBack);
}

TEST_F(HandoverTest, OtherTeamsGetNone) {
  Request other = request(Kind::Barrier, 3, 1);
  other.team = 2;
  EXPECT_TRUE(send(other).empty());
  EXPECT_EQ(offer(0, 0)[0].kind, Answer::Kind::TasksBack);
}

TEST_F(HandoverTest, WhatNoCorrectNodeSendsIsRefused) {
  std::vector<Answer> answers;
  Handover tasks;
  tasks.origin = 1;
  tasks.count = 1;
  const Request correct = offer_of(tasks);
  EXPECT_TRUE(coordinator.handle(correct, answers));

  Request shorter = correct;
  shorter.payload_length--;
  EXPECT_FALSE(coordinator.handle(shorter, answers));
  Request by_another = correct;
  by_another.node = 2;
  EXPECT_FALSE(coordinator.handle(by_another, answers));
  for (const uint32_t count : {0u, Handover::most + 1}) {
    tasks.count = count;
    EXPECT_FALSE(coordinator.handle(offer_of(tasks), answers)) << count;
  }
  EXPECT_FALSE(coordinator.handle(request(Kind::ReturnTask, 0, nodes), answers)) << "of a node that there is not";
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
        Node& to = node[answer.node];
        if (answer.kind == Answer::Kind::TasksBack) {
          to.away -= answer.tasks.count;
          (answer.word == 0 ? to.ready : executed) += answer.tasks.count;
        } else if (answer.kind == Answer::Kind::Tasks) {
          EXPECT_TRUE(to.waits);
          to.waits = false;
          for (uint32_t i = 0; i < answer.tasks.count; i++)
            to.accepted.push_back({answer.tasks.origin, answer.tasks.tasks[i].slot});
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
