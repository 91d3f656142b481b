// Variables as the table has them: names, aliases, values.
#include "base/variables/variable.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <set>
#include <string>

namespace {

using namespace hetmp;

TEST(Variable, ANameIsOneVariables) {
  std::set<std::string> names;
  for (size_t i = 0; i < variable_count; ++i) {
    EXPECT_TRUE(names.insert(name_of(Variable(i))).second) << name_of(Variable(i));
    EXPECT_EQ(variable_named(name_of(Variable(i))), Variable(i));
  }
  for (const char* name : {"", "HETMP_", "HETMP_NODE", "hetmp_nodes", "HETMP_NODES "})
    EXPECT_FALSE(variable_named(name)) << name;
  EXPECT_STREQ(name_of(Variable::OMP_NUM_THREADS), "OMP_NUM_THREADS");
}

TEST(Variable, ValueIsTrimmedAndBlankCountsAsUnset) {
  unsetenv("HETMP_NODES");
  EXPECT_FALSE(environment_value(Variable::HETMP_NODES));
  EXPECT_EQ(environment_text(Variable::HETMP_NODES), nullptr);
  setenv("HETMP_NODES", " \t ", 1);
  EXPECT_FALSE(environment_value(Variable::HETMP_NODES));
  setenv("HETMP_NODES", "  proc:2\n", 1);
  EXPECT_EQ(environment_value(Variable::HETMP_NODES), "proc:2");
  EXPECT_STREQ(environment_text(Variable::HETMP_NODES), "  proc:2\n");
  unsetenv("HETMP_NODES");
}

TEST(Variable, AnAliasWithAValueWinsInTheOrderOfRows) {
  for (const char* name : {"KMP_STACKSIZE", "GOMP_STACKSIZE", "OMP_STACKSIZE"})
    unsetenv(name);
  EXPECT_EQ(name_given(Variable::OMP_STACKSIZE), Variable::OMP_STACKSIZE);
  setenv("GOMP_STACKSIZE", "1", 1);
  EXPECT_EQ(name_given(Variable::OMP_STACKSIZE), Variable::GOMP_STACKSIZE);
  setenv("KMP_STACKSIZE", " ", 1);
  EXPECT_EQ(name_given(Variable::OMP_STACKSIZE), Variable::GOMP_STACKSIZE) << "blank is not set";
  setenv("KMP_STACKSIZE", "1", 1);
  EXPECT_EQ(name_given(Variable::OMP_STACKSIZE), Variable::KMP_STACKSIZE);
  EXPECT_EQ(name_given(Variable::OMP_THREAD_LIMIT), Variable::OMP_THREAD_LIMIT);
  unsetenv("KMP_STACKSIZE");
  unsetenv("GOMP_STACKSIZE");
}

TEST(Variable, WhatOpensSomethingIsBelievedFromTheOwnerOnly) {
  for (const Variable variable :
       {Variable::HETMP_REPORT, Variable::HETMP_TRACE, Variable::HETMP_PROFILE, Variable::HETMP_INTERFACE,
        Variable::HETMP_DSM_PLAN, Variable::HETMP_LAUNCH, Variable::HOME, Variable::XDG_CONFIG_HOME})
    EXPECT_EQ(trust_in(variable), Trust::Owner) << name_of(variable);
  for (const Variable variable : {Variable::OMP_NUM_THREADS, Variable::HETMP_NODES, Variable::KMP_STACKSIZE})
    EXPECT_EQ(trust_in(variable), Trust::Anywhere) << name_of(variable);
}

TEST(Variable, FamiliesAndIgnoredNames) {
  for (const char* name : {"OMP_X", "KMP_X", "GOMP_X", "LIBOMP_X", "HETMP_X"})
    EXPECT_TRUE(is_of_openmp_runtimes(name)) << name;
  for (const char* name : {"", "OMP", "XOMP_X", "omp_x", "PATH"})
    EXPECT_FALSE(is_of_openmp_runtimes(name)) << name;
  EXPECT_TRUE(is_ignored("KMP_LOCK_KIND"));
  EXPECT_FALSE(is_ignored("KMP_AFFINITY"));
}

TEST(Variable, ComplaintNamesIt) {
  testing::internal::CaptureStderr();
  complain(Variable::OMP_SCHEDULE, "statik,4", "not a schedule", "static");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "hetmp: OMP_SCHEDULE=statik,4: not a schedule; using static\n");
}

} // namespace
