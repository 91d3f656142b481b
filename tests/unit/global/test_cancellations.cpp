// Cancellations that other nodes hear of: what the coordinator makes of them, and what late messages do.
#include "runtime/global/coordinator.hpp"
#include "runtime/global/heard_cancellations.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace hetmp::runtime {
namespace {

constexpr uint32_t whole_region = HeardCancellations::whole_region;

TEST(HeardCancellations, NameOneConstructOfOneTeam) {
  HeardCancellations heard;
  EXPECT_FALSE(heard.has_heard(5, whole_region));
  heard.hear(5, 7);
  EXPECT_TRUE(heard.has_heard(5, 7));
  for (const uint32_t other : {whole_region, 2u, 6u, 8u, 23u})
    EXPECT_FALSE(heard.has_heard(5, other));
  EXPECT_FALSE(heard.has_heard(4, 7));
  EXPECT_FALSE(heard.has_heard(6, 7)) << "the next team begins with nothing";
  heard.hear(5, whole_region);
  EXPECT_TRUE(heard.has_heard(5, whole_region));
  EXPECT_FALSE(heard.has_heard(6, whole_region));
}

TEST(HeardCancellations, LateOnesDoNothing) {
  HeardCancellations heard;
  heard.hear(5, 7);
  heard.hear(6, 9);
  EXPECT_FALSE(heard.has_heard(6, 7)) << "another team's";
  heard.hear(5, whole_region);
  heard.hear(5, 9 + 16);
  EXPECT_TRUE(heard.has_heard(6, 9)) << "stays";
  EXPECT_FALSE(heard.has_heard(6, whole_region));
  EXPECT_FALSE(heard.has_heard(5, whole_region));
}

TEST(HeardCancellations, AsAModelHasThem) {
  std::mt19937_64 random(3);
  HeardCancellations heard;
  uint64_t latest = 0;
  std::vector<uint32_t> cancelled; // of the latest
  for (int turn = 0; turn < 100'000; ++turn) {
    const uint64_t of_team = latest + random() % 3 - (latest > 1 ? 1 : 0) + (latest == 0 ? 1 : 0);
    const auto construct = uint32_t(random() % 8) * 2; // fewer than there are places
    heard.hear(of_team, construct);
    if (of_team > latest)
      cancelled.clear();
    latest = std::max(latest, of_team);
    if (of_team == latest)
      cancelled.push_back(construct);
    for (uint32_t asked = 0; asked < 16; asked += 2)
      ASSERT_EQ(heard.has_heard(latest, asked), std::ranges::count(cancelled, asked) != 0);
  }
}

class CancelledByCoordinator : public testing::Test {
 protected:
  static constexpr uint64_t team = 5, region = 0x4000;
  static constexpr NodeSet nodes = NodeSet::first_of(3);
  Coordinator coordinator{{}, std::vector<uint32_t>(3, 2)};

  std::vector<Answer> send(uint32_t node, const decltype(Request::content)& content) {
    std::vector<Answer> answers;
    EXPECT_TRUE(coordinator.handle({{node, 1000 + node}, content}, answers));
    return answers;
  }
  std::vector<Answer> cancel(uint32_t node, uint32_t construct, uint64_t loop = 0) {
    return send(node, Request::Cancel{team, nodes, construct, loop});
  }
  static Request::AskLoop loop(uint64_t sequence, schedulers::ScheduleKind kind = schedulers::ScheduleKind::Dynamic) {
    return {{team, sequence}, nodes, region, 6, 1, {.kind = kind}, 1'000'000, {}, {}};
  }
  /// What the node is answered at once.
  schedulers::Assignment ask(uint32_t node, const Request::AskLoop& about) {
    const auto answers = send(node, about);
    EXPECT_EQ(answers.size(), 1u);
    return answers.empty() ? schedulers::Assignment{} : std::get<Answer::Assigned>(answers[0].content).assignment;
  }
  static void expect_nothing_more(const schedulers::Assignment& assignment) {
    EXPECT_TRUE(assignment.last && !assignment.measured && assignment.size() == 0 && assignment.repeats == 0);
  }
};

TEST_F(CancelledByCoordinator, EveryOtherNodeOfTheTeamHearsOfIt) {
  for (const uint32_t construct : {whole_region, 9u})
    for (const uint32_t by : nodes) {
      const auto answers = cancel(by, construct); // by several, as if at the same time
      NodeSet told;
      for (const Answer& answer : answers) {
        told.add(answer.to.node);
        EXPECT_EQ(answer.to.ticket, 0u) << "no thread waits for it";
        EXPECT_EQ(std::get<Answer::Cancelled>(answer.content).team, team);
        EXPECT_EQ(std::get<Answer::Cancelled>(answer.content).construct, construct);
      }
      EXPECT_EQ(answers.size(), 2u);
      EXPECT_EQ(told, nodes.without(by));
    }
}

TEST_F(CancelledByCoordinator, ALoopIsNotHandedOutAnyMore) {
  EXPECT_GT(ask(0, loop(1)).size(), 0u);
  EXPECT_GT(ask(1, loop(1)).size(), 0u);
  cancel(1, 3, 1);
  for (const uint32_t node : nodes) // one of them comes to it only now
    expect_nothing_more(ask(node, loop(1)));
  EXPECT_GT(ask(0, loop(2)).size(), 0u) << "another loop";
  cancel(0, 5);
  EXPECT_GT(ask(1, loop(2)).size(), 0u) << "what was cancelled is not handed out by anybody";
}

TEST_F(CancelledByCoordinator, NobodyWaitsForNodesThatHaveLeftTheRegion) {
  auto asked = loop(4, schedulers::ScheduleKind::HetProbeI);
  asked.schedule.probe_percent = 1;
  NodeSet waiting;
  schedulers::NodeMeasurement done[3];
  for (int turn = 0; turn < 1000 && waiting.empty(); ++turn) { // until a node is too slow to get more for now
    const uint32_t node = uint32_t(turn) % 3;
    asked.done = done[node];
    waiting.add(node);
    for (const Answer& answer : send(node, asked)) {
      waiting.remove(answer.to.node);
      const schedulers::Assignment& got = std::get<Answer::Assigned>(answer.content).assignment;
      ASSERT_FALSE(got.last);
      done[answer.to.node] = {.threads = 2,
                              .iterations = got.size(),
                              .thread_us = double(got.size()) * (answer.to.node == 2 ? 10'000 : 1),
                              .busy_us = double(got.size()),
                              .read_misses = answer.to.node == 2 ? got.size() * 100 : 0};
    }
  }
  ASSERT_EQ(waiting.size(), 1u);
  const auto answers = cancel(1, whole_region);
  ASSERT_EQ(answers.size(), 3u) << "two hear of it, and one of them is answered";
  EXPECT_EQ(answers.back().to, (Asker{waiting.first(), 1000 + waiting.first()}));
  expect_nothing_more(std::get<Answer::Assigned>(answers.back().content).assignment);
  expect_nothing_more(ask(1, asked));
  EXPECT_TRUE(send(1, Request::ReportLoop{{team, 4}, {}}).empty()) << "is not learned from";
  for (const uint32_t node : nodes)
    send(node, Request::Join{{team, 9}, nodes, region, false, false, 0, false});
  EXPECT_FALSE(ask(1, loop(4)).size() == 0) << "forgotten with the team";
}

} // namespace
} // namespace hetmp::runtime
