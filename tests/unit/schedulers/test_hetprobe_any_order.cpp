#include "hetprobe_visits.hpp"
#include "random_loops.hpp"
#include "schedulers/learning/probe.hpp"

namespace hetmp::schedulers {
namespace {

/// Random orders of questions and random measurements. Returns all answers, in order.
std::vector<Reply> run_at_random(const LoopShape& shape, double percent, LoopHistory& history,
                                 const DecisionRules& rules, uint64_t seed) {
  std::mt19937_64 random(seed);
  HetProbePolicy policy(shape, percent, history, rules);
  std::vector<Reply> all;
  std::vector<uint32_t> free; // nodes that may ask
  std::vector<NodeMeasurement> done(shape.nodes());
  for (uint32_t i = 0; i < shape.nodes(); ++i)
    if (shape.threads[i] > 0)
      free.push_back(i);
  while (!free.empty()) {
    std::swap(free[random() % free.size()], free.back());
    const uint32_t asking = free.back();
    free.pop_back();
    EXPECT_FALSE(policy.finished());
    std::vector<Reply> replies;
    policy.ask(asking, done[asking], replies);
    for (const Reply& reply : replies) {
      const uint32_t threads = shape.threads[reply.node];
      done[reply.node] = reply.assignment.measured
                             ? took(reply.assignment, threads, static_cast<double>(random() % 1000), random() % 100)
                             : NodeMeasurement{};
      if (!reply.assignment.last)
        free.push_back(reply.node);
      else if (reply.assignment.measured)
        policy.report(reply.node, done[reply.node]);
      all.push_back(reply);
    }
  }
  EXPECT_TRUE(policy.finished());
  return all;
}

TEST_F(HetProbe, TilesTheLoopInAnyOrderOfQuestions) {
  std::mt19937_64 random(17);
  uint64_t several_answers = 0;
  for (int repetition = 0; repetition < 3000; ++repetition) {
    SCOPED_TRACE(repetition);
    const LoopShape team = random_shape(random);
    rules.mode = repetition % 2 ? DecisionMode::Predict : DecisionMode::Threshold;
    rules.threshold_us = static_cast<double>(random() % 100000);
    rules.most_probes = 1 + repetition % 4;
    const double percent = repetition % 5 == 0 ? 100 : 0.5 + static_cast<double>(random() % 50);
    history = {};
    for (int number = 0; number < 4; ++number) {
      const std::vector<Reply> replies = run_at_random(team, percent, history, rules, random());
      std::vector<Range> given;
      std::vector<uint32_t> lasts(team.nodes(), 0);
      for (const Reply& reply : replies) {
        for (const Range& piece : pieces(reply.assignment))
          given.push_back(piece);
        lasts[reply.node] += reply.assignment.last;
        several_answers += reply.assignment.piece_count == Assignment::most_pieces && !reply.assignment.last;
      }
      expect_tiles(given, {0, team.trips});
      for (uint32_t i = 0; i < team.nodes(); ++i)
        EXPECT_EQ(lasts[i], team.threads[i] > 0 ? 1u : 0u);
      ASSERT_FALSE(HasFailure());
    }
  }
  EXPECT_GT(several_answers, 10u);
}

TEST_F(HetProbe, AnswersTheSameQuestionsAlike) {
  std::mt19937_64 random(19);
  for (int repetition = 0; repetition < 200; ++repetition) {
    const LoopShape team = random_shape(random);
    LoopHistory one, other;
    for (int number = 0; number < 5; ++number) {
      const uint64_t seed = random();
      const std::vector<Reply> a = run_at_random(team, 10, one, rules, seed);
      const std::vector<Reply> b = run_at_random(team, 10, other, rules, seed);
      ASSERT_EQ(a.size(), b.size());
      for (size_t i = 0; i < a.size(); ++i) {
        ASSERT_EQ(a[i].node, b[i].node);
        ASSERT_EQ(a[i].assignment, b[i].assignment);
      }
    }
  }
}

TEST_F(HetProbe, ProbesTheSameIterationsOnEveryVisitWhateverHappens) {
  std::mt19937_64 random(29);
  for (int repetition = 0; repetition < 200; ++repetition) {
    LoopShape team = random_shape(random);
    team.trips += team.trips < 1000 ? 2 * team.total_threads() : 0;
    history = {};
    for (int number = 0; number < 12; ++number) {
      std::vector<bool> came(team.nodes(), false);
      for (const Reply& reply : run_at_random(team, 10, history, rules, random())) {
        const bool first_answer = !came[reply.node];
        came[reply.node] = true;
        if (!first_answer || !reply.assignment.measured)
          continue;
        uint32_t first = 0; // in the order of nodes, node 0 last
        for (uint32_t i = 1; i < (reply.node == 0 ? team.nodes() : reply.node); ++i)
          first += team.threads[i];
        const uint32_t total = team.total_threads();
        const Range expected{probe_share(team.trips, total, 10, first).begin,
                             probe_share(team.trips, total, 10, first + team.threads[reply.node] - 1).end};
        ASSERT_EQ(pieces(reply.assignment), std::vector<Range>{expected});
      }
    }
  }
}

} // namespace
} // namespace hetmp::schedulers
