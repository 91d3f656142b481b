// Assertions: what each tier looks at, and what a failure says. The tier is read where a check stands, so one program
// has all of them, whatever it is built with.
#include "base/check.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <type_traits>

namespace {

#undef HETMP_CHECKS
#define HETMP_CHECKS 0
void no_checks(int& looks) {
  HETMP_CHECK(++looks > 100);
  HETMP_CHECK_COSTLY(++looks > 100);
}

#undef HETMP_CHECKS
#define HETMP_CHECKS 1
void cheap_checks(int& looks, int limit) {
  HETMP_CHECK(++looks < limit);
  HETMP_CHECK_COSTLY(++looks > 100);
}
constexpr int half(int even) {
  HETMP_CHECK(even % 2 == 0);
  return even / 2;
}

#undef HETMP_CHECKS
#define HETMP_CHECKS 2
void all_checks(int& looks, int limit) {
  HETMP_CHECK(++looks < 100);
  HETMP_CHECK_COSTLY(++looks < limit);
}
template <class First, class Second> void same_type() { HETMP_CHECK((std::is_same_v<First, Second>)); }
template <class First, class Second> void same_type_with_comma() { HETMP_CHECK(std::is_same_v<First, Second>); }

TEST(Check, TierZeroLooksAtNothing) {
  int looks = 0;
  no_checks(looks);
  EXPECT_EQ(looks, 0);
}

TEST(Check, EachTierLooksAtItsOwnAndTheCheaperOnes) {
  int looks = 0;
  cheap_checks(looks, 100);
  EXPECT_EQ(looks, 1);
  all_checks(looks, 100);
  EXPECT_EQ(looks, 3);
}

TEST(Check, WhatHoldsMayBeConstant) {
  static_assert(half(8) == 4);
  same_type<int, int>();
  same_type_with_comma<int, int>();
}

void abort_with_default_handler() { signal(SIGABRT, SIG_DFL); }

TEST(CheckDeathTest, AFailureIsOneLineAndAnAbort) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  int looks = 0;
  const auto aborted = testing::KilledBySignal(SIGABRT);
  EXPECT_EXIT((abort_with_default_handler(), cheap_checks(looks, 0)), aborted,
              "^hetmp: check failed: \\+\\+looks < limit, .*test_check\\.cpp:[0-9]+ \\(cheap_checks\\)\n$");
  EXPECT_EXIT((abort_with_default_handler(), all_checks(looks, 1)), aborted,
              "^hetmp: check failed: \\+\\+looks < limit, .*test_check\\.cpp:[0-9]+ \\(all_checks\\)\n$");
  EXPECT_EXIT((abort_with_default_handler(), same_type_with_comma<int, long>()), aborted,
              "check failed: std::is_same_v<First, Second>, ");
}

} // namespace
