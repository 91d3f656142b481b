// The table of policies as hetmp has it.
#include "schedulers/policies/policy_table.hpp"
#include "schedulers/policies/schedule_text.hpp"

#include <gtest/gtest.h>
#include <set>
#include <string>

namespace hetmp::schedulers {
namespace {

TEST(PolicyTable, EveryKindHasOneLine) {
  for (uint8_t number = 0; number <= uint8_t(ScheduleKind::HetProbeI); ++number) {
    const PolicyDescriptor* policy = find_policy(ScheduleKind{number});
    ASSERT_TRUE(policy) << int(number);
    EXPECT_EQ(policy->kind, ScheduleKind{number});
    EXPECT_TRUE(policy->make);
  }
  EXPECT_EQ(policy_table().size(), size_t(ScheduleKind::HetProbeI) + 1);
  EXPECT_FALSE(find_policy(ScheduleKind{200}));
}

TEST(PolicyTable, NamesAndNumbersAreNotUsedTwice) {
  std::set<std::string_view> names;
  std::set<uint32_t> numbers;
  for (const PolicyDescriptor& policy : policy_table()) {
    EXPECT_TRUE(names.insert(policy.name).second) << policy.name;
    for (const std::string_view other : policy.other_names)
      EXPECT_TRUE(other.empty() || names.insert(other).second) << other;
    EXPECT_TRUE(policy.omp_number == 0 || numbers.insert(policy.omp_number).second) << policy.name;
  }
}

TEST(PolicyTable, FindsALineByWhatProgramsAndUsersSay) {
  for (const PolicyDescriptor& policy : policy_table()) {
    if (policy.omp_number == 0)
      continue;
    EXPECT_EQ(find_policy(policy.name), &policy);
    EXPECT_EQ(find_policy_by_number(policy.omp_number), &policy);
    EXPECT_EQ(parse_schedule(policy.name).schedule.value_or(Schedule{ScheduleKind{200}}).kind, policy.kind);
  }
  EXPECT_FALSE(find_policy(""));
  EXPECT_FALSE(find_policy_by_number(0));
  EXPECT_FALSE(find_policy_by_number(99));
}

TEST(PolicyTable, NobodyAsksForAPlacedStaticLoopByName) {
  const PolicyDescriptor& placed = policy_of(ScheduleKind::PlacedStatic);
  EXPECT_FALSE(find_policy(placed.name));
  EXPECT_FALSE(parse_schedule(placed.name).schedule);
}

/// A team on one node executes OpenMP's kinds by itself; it has no history that could need anything.
TEST(PolicyTable, OnlyKindsOfOurOwnLearn) {
  for (const PolicyDescriptor& policy : policy_table()) {
    EXPECT_LE(policy.learns, is_placed(policy.kind)) << policy.name;
    EXPECT_LE(policy.in_node.has_value(), !is_placed(policy.kind)) << policy.name;
  }
}

} // namespace
} // namespace hetmp::schedulers
