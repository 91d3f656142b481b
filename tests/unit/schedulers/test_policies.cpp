// What holds for every policy: each iteration exactly once, whatever the team, the loop and the order of
// events. The table has one more line here than hetmp's own: what holds for every policy holds for a new one.
#include "policy_world.hpp"
#include "random_loops.hpp"
#include "schedulers/learning/decision.hpp"
#include "schedulers/learning/loop_history.hpp"
#include "schedulers/policies/schedule_text.hpp"
#include "toy_policy.hpp"

namespace hetmp::schedulers {

std::span<const PolicyDescriptor> policy_table() { return with_toy(); }

namespace {

/// Chunks such that the loop ends after some thousands of them; sometimes none, where that is possible.
uint64_t random_chunk(uint64_t trips, std::mt19937_64& random) {
  if (trips < 3000 && random() % 3 == 0)
    return 0;
  return std::max<uint64_t>(trips / 3000, 1) * (1 + random() % 8);
}

Schedule random_schedule(ScheduleKind kind, uint64_t trips, std::mt19937_64& random) {
  Schedule schedule{kind};
  if (policy_of(kind).parameter != PolicyDescriptor::Parameter::Percentage)
    schedule.chunk = random_chunk(trips, random);
  else
    schedule.probe_percent = random() % 4 == 0 ? 100 : std::uniform_real_distribution<double>(0.01, 50)(random);
  return schedule;
}

std::vector<double> random_speeds(uint32_t nodes, std::mt19937_64& random) {
  std::vector<double> speeds;
  for (uint64_t given = random() % (nodes + 1); given > 0; --given)
    speeds.push_back(random() % 4 == 0 ? 0 : std::uniform_real_distribution<double>(0, 8)(random));
  return speeds;
}

DecisionRules random_rules(const LoopShape& shape, std::mt19937_64& random) {
  const ScheduleKind in_node[] = {ScheduleKind::Static, ScheduleKind::Dynamic, ScheduleKind::Guided};
  DecisionRules rules;
  rules.mode = random() % 2 == 0 ? DecisionMode::Threshold : DecisionMode::Predict;
  rules.most_probes = static_cast<uint32_t>(1 + random() % 10);
  rules.reprobe_percent = random() % 4 == 0 ? 0 : std::uniform_real_distribution<double>(1, 100)(random);
  // When exchanges cost nothing, policies may hand out a few iterations at a time: a long loop would not end.
  rules.exchange_us =
      shape.trips < 3000 && random() % 4 == 0 ? 0 : std::uniform_real_distribution<double>(1, 300)(random);
  rules.in_node = random_schedule(in_node[random() % 3], shape.trips, random);
  rules.speeds = random_speeds(shape.nodes(), random);
  return rules;
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

class EveryPolicy : public testing::TestWithParam<ScheduleKind> {
 protected:
  std::mt19937_64 random_{11};
};

TEST_P(EveryPolicy, DoesEachIterationOnce) {
  for (int repetition = 0; repetition < 400; ++repetition) {
    const LoopShape shape = random_shape(random_);
    const DecisionRules rules = random_rules(shape, random_);
    const Schedule schedule = random_schedule(GetParam(), shape.trips, random_);
    SCOPED_TRACE("repetition " + std::to_string(repetition) + ": " + format_schedule(schedule) + ", " +
                 std::to_string(shape.trips) + " iterations");
    LoopHistory history;
    const std::unique_ptr<LoopPolicy> policy = make_policy(schedule, shape, history, rules);
    PolicyWorld world(shape, *policy, random_());
    world.run();
    world.expect_complete();
    ASSERT_FALSE(HasFatalFailure());
  }
}

/// A few loops that a region's visits share: with the same trips again and again, repeats are announced.
TEST_P(EveryPolicy, DoesEachIterationOnceWhileNodesJoinAndLeave) {
  int joined = 0;
  int left = 0;
  int repeating = 0;
  for (int repetition = 0; repetition < 60; ++repetition) {
    SCOPED_TRACE("repetition " + std::to_string(repetition));
    LoopShape shape{1000, random_team(random_)};
    DecisionRules rules = random_rules(shape, random_);
    rules.speeds.clear();
    const Schedule schedule = random_schedule(GetParam(), shape.trips, random_);
    Drifting nodes(shape.nodes());
    LoopHistory history;
    NodeSet before;
    for (int number = 0; number < 30; ++number) {
      shape.trips = random_() % 4 == 0 ? random_() % 2000 : 1000;
      const std::unique_ptr<LoopPolicy> policy = make_policy(schedule, shape, history, rules);
      PolicyWorld world(shape, *policy, random_());
      world.cost = [&](uint32_t node, Range chunk, double) { return nodes.cost(node, chunk); };
      world.run();
      world.expect_complete();
      ASSERT_FALSE(HasFatalFailure()) << "visit " << number;
      const NodeSet used = history.decision().nodes;
      joined += number > 0 && !before.contains(used);
      left += number > 0 && !used.contains(before);
      repeating += world.repeats() > 0;
      before = used;
      nodes.drift(random_);
      if (policy_of(GetParam()).decides_together && history.decided() && random_() % 16 == 0)
        history.hold(history.decision(), 4);
    }
  }
  if (policy_of(GetParam()).learns) {
    EXPECT_GT(joined, 10);
    EXPECT_GT(left, 10);
  }
  if (policy_of(GetParam()).repeats) {
    EXPECT_GT(repeating, 10);
  }
}

template <class T> void run_loops_of_type(ScheduleKind kind, std::mt19937_64& random) {
  for (int repetition = 0; repetition < 200; ++repetition) {
    const auto loop = RandomLoop<T>::draw(random);
    const LoopShape shape{trip_count(loop.lower, loop.upper, loop.stride), random_team(random)};
    const DecisionRules rules = random_rules(shape, random);
    LoopHistory history;
    const auto policy = make_policy(random_schedule(kind, shape.trips, random), shape, history, rules);
    PolicyWorld world(shape, *policy, random());
    world.run();
    world.expect_complete();
    for (const PolicyWorld::Executed& executed : world.executed())
      loop.expect_within(executed.chunk);
    ASSERT_FALSE(testing::Test::HasFatalFailure()) << "repetition " << repetition;
  }
}

TEST_P(EveryPolicy, TakesLoopsOfAnyTypeBoundsAndStride) {
  run_loops_of_type<int32_t>(GetParam(), random_);
  run_loops_of_type<uint32_t>(GetParam(), random_);
  run_loops_of_type<int64_t>(GetParam(), random_);
  run_loops_of_type<uint64_t>(GetParam(), random_);
}

TEST(NewPolicy, IsReadWrittenAndFoundByItsLine) {
  const ParsedSchedule parsed = parse_schedule("Toy, 7");
  ASSERT_TRUE(parsed.schedule) << parsed.error;
  EXPECT_EQ(*parsed.schedule, (Schedule{toy_line.kind, 7}));
  EXPECT_EQ(format_schedule(*parsed.schedule), "toy,7");
  EXPECT_EQ(find_policy_by_number(toy_line.omp_number), &policy_of(toy_line.kind));
  EXPECT_TRUE(is_placed(toy_line.kind));
  EXPECT_FALSE(parse_in_node_schedule("toy").schedule);
}

std::vector<ScheduleKind> all_kinds() {
  std::vector<ScheduleKind> kinds;
  for (const PolicyDescriptor& policy : policy_table())
    kinds.push_back(policy.kind);
  return kinds;
}

INSTANTIATE_TEST_SUITE_P(Schedules, EveryPolicy, testing::ValuesIn(all_kinds()), [](const auto& instance) {
  std::string name = format_schedule({instance.param});
  std::erase_if(name, [](char c) { return c < 'a' || c > 'z'; }); // no digits, no signs
  return name;
});

} // namespace
} // namespace hetmp::schedulers
