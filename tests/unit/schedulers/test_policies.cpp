// What holds for every policy: each iteration exactly once, whatever the team, the loop and the order of
// events.
#include "policy_world.hpp"
#include "random_loops.hpp"
#include "schedulers/hetprobe.hpp"
#include "schedulers/hierarchical_dynamic.hpp"
#include "schedulers/hierarchical_static.hpp"

namespace hetmp::schedulers {
namespace {

using MakePolicy = std::function<std::unique_ptr<LoopPolicy>(const LoopShape&)>;

void visit(const LoopShape& shape, const MakePolicy& make, uint64_t seed) {
  const std::unique_ptr<LoopPolicy> policy = make(shape);
  PolicyWorld world(shape, *policy, seed);
  world.run();
  world.expect_complete();
}

/// Chunks such that the loop ends after some thousands of them, sometimes none where that is possible.
uint64_t random_chunk(uint64_t trips, std::mt19937_64& random) {
  if (trips < 3000 && random() % 3 == 0)
    return 0;
  return std::max<uint64_t>(trips / 3000, 1) * (1 + random() % 8);
}

Schedule random_in_node(uint64_t trips, std::mt19937_64& random) {
  switch (random() % 3) {
  case 0:
    return {};
  case 1:
    return {ScheduleKind::Dynamic, random_chunk(trips, random)};
  default:
    return {ScheduleKind::Guided, random_chunk(trips, random)};
  }
}

CoreSpeeds random_speeds(uint32_t nodes, std::mt19937_64& random) {
  CoreSpeeds speeds;
  for (uint64_t given = random() % (nodes + 1); given > 0; --given)
    speeds.of_node.push_back(random() % 4 == 0 ? 0 : std::uniform_real_distribution<double>(0, 8)(random));
  return speeds;
}

DecisionRules random_rules(uint64_t trips, std::mt19937_64& random) {
  DecisionRules rules;
  rules.mode = random() % 2 == 0 ? DecisionMode::Threshold : DecisionMode::Predict;
  rules.most_probes = static_cast<uint32_t>(1 + random() % 10);
  // When exchanges cost nothing, policies may hand out a few iterations at a time: a long loop would not end.
  rules.exchange_us =
      trips < 3000 && random() % 4 == 0 ? 0 : std::uniform_real_distribution<double>(1, 300)(random);
  rules.in_node = random_in_node(trips, random);
  return rules;
}

class EveryPolicy : public testing::Test {
 protected:
  void run(int repetitions) {
    for (int repetition = 0; repetition < repetitions; ++repetition) {
      SCOPED_TRACE("repetition " + std::to_string(repetition));
      const LoopShape shape = random_shape(random_);
      visit(shape, make_(shape), random_());
      ASSERT_FALSE(HasFatalFailure());
    }
  }

  std::mt19937_64 random_{11};
  std::function<MakePolicy(const LoopShape&)> make_; ///< draws a policy's parameters
  RegionHistory history_;
  DecisionRules rules_;
};

TEST_F(EveryPolicy, HierarchicalStaticDoesEachIterationOnce) {
  make_ = [this](const LoopShape& shape) -> MakePolicy {
    const CoreSpeeds speeds = random_speeds(shape.nodes(), random_);
    const Schedule in_node = random_in_node(shape.trips, random_);
    return [=](const LoopShape& loop) { return std::make_unique<HierarchicalStatic>(loop, speeds, in_node); };
  };
  run(400);
}

TEST_F(EveryPolicy, HierarchicalDynamicDoesEachIterationOnce) {
  make_ = [this](const LoopShape& shape) -> MakePolicy {
    const Schedule schedule{random_() % 2 ? ScheduleKind::Dynamic : ScheduleKind::Guided,
                            random_chunk(shape.trips, random_)};
    const DecisionRules rules = random_rules(shape.trips, random_);
    return
        [=](const LoopShape& loop) { return std::make_unique<HierarchicalDynamic>(schedule, loop, rules); };
  };
  run(400);
}

TEST_F(EveryPolicy, HetProbeDoesEachIterationOnce) {
  make_ = [this](const LoopShape& shape) -> MakePolicy {
    const DecisionRules rules = random_rules(shape.trips, random_);
    const double percent =
        random_() % 4 == 0 ? 100 : std::uniform_real_distribution<double>(0.01, 50)(random_);
    return [this, rules, percent](const LoopShape& loop) {
      history_ = {};
      rules_ = rules;
      return std::make_unique<HetProbePolicy>(loop, percent, history_, rules_);
    };
  };
  run(400);
}

/// Speeds and faults of nodes that change from visit to visit.
struct Drifting {
  explicit Drifting(uint32_t nodes) : us_per_iteration(nodes, 1), faults_per_iteration(nodes, 0) {}

  void drift(std::mt19937_64& random) {
    std::uniform_real_distribution<double> real(0, 1);
    for (double& us : us_per_iteration)
      us = std::clamp(us * std::exp2(2 * real(random) - 1), 0.05, 20.0);
    for (double& faults : faults_per_iteration)
      if (random() % 6 == 0)
        faults = random() % 2 == 0 ? 0 : real(random);
  }
  ChunkCost cost(uint32_t node, Range chunk) const {
    const auto size = static_cast<double>(chunk.size());
    const double busy_us = size * us_per_iteration[node];
    const auto faults = static_cast<uint64_t>(size * faults_per_iteration[node]);
    return {busy_us + 60 * static_cast<double>(faults), busy_us, faults, 1000 * chunk.size(), chunk.size()};
  }

  std::vector<double> us_per_iteration;
  std::vector<double> faults_per_iteration;
};

TEST_F(EveryPolicy, HetProbeLetsNodesJoinAndLeaveByDecision) {
  int joined = 0;
  int left = 0;
  int repeating = 0;
  for (int repetition = 0; repetition < 60; ++repetition) {
    SCOPED_TRACE("repetition " + std::to_string(repetition));
    const std::vector<uint32_t> team = random_team(random_);
    const DecisionRules rules = random_rules(1000, random_);
    Drifting nodes(static_cast<uint32_t>(team.size()));
    RegionHistory history;
    uint64_t before = 0;
    for (int number = 0; number < 30; ++number) {
      const LoopShape shape{random_() % 4 == 0 ? random_() % 2000 : 1000, team};
      HetProbePolicy policy(shape, 10, history, rules);
      PolicyWorld world(shape, policy, random_());
      world.cost = [&](uint32_t node, Range chunk, double) { return nodes.cost(node, chunk); };
      world.run();
      world.expect_complete();
      ASSERT_FALSE(HasFatalFailure()) << "visit " << number;
      const uint64_t used = history.decision().nodes;
      joined += number > 0 && (used & ~before) != 0;
      left += number > 0 && (before & ~used) != 0;
      repeating += world.repeats() > 0;
      before = used;
      nodes.drift(random_);
    }
  }
  EXPECT_GT(joined, 10);
  EXPECT_GT(left, 10);
  EXPECT_GT(repeating, 10);
}

template <class T>
class LoopsOfType : public testing::Test {};
using LoopTypes = testing::Types<int32_t, uint32_t, int64_t, uint64_t>;
TYPED_TEST_SUITE(LoopsOfType, LoopTypes);

TYPED_TEST(LoopsOfType, AreDoneOnceWithAnyBoundsAndStride) {
  std::mt19937_64 random(23);
  for (int repetition = 0; repetition < 300; ++repetition) {
    const auto loop = RandomLoop<TypeParam>::draw(random);
    LoopShape shape = random_shape(random);
    shape.trips = trip_count(loop.lower, loop.upper, loop.stride);
    const DecisionRules rules = random_rules(shape.trips, random);
    RegionHistory history;
    HierarchicalStatic shares(shape, random_speeds(shape.nodes(), random), rules.in_node);
    HierarchicalDynamic batches({ScheduleKind::Dynamic, std::max<uint64_t>(shape.trips / 1000, 1)}, shape,
                                rules);
    HetProbePolicy probes(shape, 10, history, rules);
    for (LoopPolicy* policy : {static_cast<LoopPolicy*>(&shares), static_cast<LoopPolicy*>(&batches),
                               static_cast<LoopPolicy*>(&probes)}) {
      PolicyWorld world(shape, *policy, random());
      world.run();
      world.expect_complete();
      for (const PolicyWorld::Executed& executed : world.executed())
        loop.expect_within(executed.chunk);
      ASSERT_FALSE(this->HasFatalFailure()) << "repetition " << repetition;
    }
  }
}

} // namespace
} // namespace hetmp::schedulers
