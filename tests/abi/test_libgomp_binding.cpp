// Which CPUs a thread had before libgomp bound it.
#include "runtime/process/libgomp_binding.hpp"

#include <gtest/gtest.h>

using namespace hetmp::runtime;
using Cpus = std::vector<int>;

namespace {

TEST(BindingByLibgomp, IsUndoneWhereTheThreadIsBoundToTheFirstPlace) {
  EXPECT_EQ(cpus_before_binding({{0}, {1}}, {0}), (Cpus{0, 1}));
  EXPECT_EQ(cpus_before_binding({{6, 2}, {1}, {5, 1}}, {2, 6}), (Cpus{1, 2, 5, 6}));
  EXPECT_EQ(cpus_before_binding({{3}}, {3}), Cpus{3});
}

TEST(BindingByLibgomp, IsNoneWhereTheThreadHasOtherCpus) {
  EXPECT_EQ(cpus_before_binding({}, {0, 1}), Cpus{});
  EXPECT_EQ(cpus_before_binding({{0}, {1}}, {0, 1}), Cpus{}) << "it binds no threads";
  EXPECT_EQ(cpus_before_binding({{0}, {1}}, {1}), Cpus{}) << "somebody else has bound it since";
  EXPECT_EQ(cpus_before_binding({{}, {1}}, {0}), Cpus{});
}

} // namespace
