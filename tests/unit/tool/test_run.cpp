// `hetmp run`: from options to environment variables, and what it says of options that make no sense.
#include "base/machine/cpu_list.hpp"
#include "runtime/tool/run.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace {

using namespace hetmp::tool;

const std::string library = "/l/libhetmp.so";

const char* nothing_set(hetmp::Variable) { return nullptr; }

const char* something_preloaded(hetmp::Variable variable) {
  return variable == hetmp::Variable::LD_PRELOAD ? "/other.so" : nullptr;
}

std::string own_cpu() { return std::to_string(hetmp::allowed_cpus().front()); }

RunOptions for_program() {
  RunOptions options;
  options.command = {"program"};
  return options;
}

TEST(ToolRun, TheRuntimeIsPreloadedAndNothingElseChanges) {
  const Environment planned = plan_environment(for_program(), library, nothing_set);
  EXPECT_EQ(planned.error, "");
  EXPECT_FALSE(planned.several_processes);
  EXPECT_EQ(planned.variables, (std::map<std::string, std::string>{{"LD_PRELOAD", "/l/libhetmp.so"}}));
}

TEST(ToolRun, NodesBecomeProcesses) {
  RunOptions options = for_program();
  options.nodes = "64";
  const Environment planned = plan_environment(options, library, nothing_set);
  EXPECT_TRUE(planned.several_processes);
  EXPECT_EQ(planned.variables.at("HETMP_NODES"), "proc:64");
  options.nodes = "1";
  EXPECT_EQ(plan_environment(options, library, nothing_set).variables.at("HETMP_NODES"), "1");
  EXPECT_FALSE(plan_environment(options, library, nothing_set).several_processes);
}

TEST(ToolRun, WhatWasPreloadedStays) {
  const Environment planned = plan_environment(for_program(), library, something_preloaded);
  EXPECT_EQ(planned.variables.at("LD_PRELOAD"), "/l/libhetmp.so:/other.so");
}

TEST(ToolRun, OptionsBecomeVariables) {
  RunOptions options = for_program();
  options.cores = own_cpu();
  options.report = "1";
  options.schedule = "hetprobe,5";
  options.loops = "all";
  options.threads = "3";
  auto variables = plan_environment(options, library, nothing_set).variables;
  EXPECT_EQ(variables.at("HETMP_NODES"), "cores:" + own_cpu());
  EXPECT_FALSE(variables.contains("HETMP_ENCRYPT"));
  EXPECT_FALSE(variables.contains("HETMP_EXPLAIN"));
  EXPECT_EQ(variables.at("HETMP_REPORT"), "1");
  EXPECT_EQ(variables.at("HETMP_SCHEDULE"), "hetprobe,5");
  EXPECT_FALSE(variables.contains("OMP_SCHEDULE"));
  EXPECT_EQ(variables.at("HETMP_LOOPS"), "all");
  EXPECT_EQ(variables.at("OMP_NUM_THREADS"), "3");
  options.cores.reset();
  options.explain = true;
  EXPECT_EQ(plan_environment(options, library, nothing_set).variables.at("HETMP_EXPLAIN"), "true");
  options.encrypt = true;
  EXPECT_EQ(plan_environment(options, library, nothing_set).variables.at("HETMP_ENCRYPT"), "1");
  options.transport = "shared-memory";
  EXPECT_NE(plan_environment(options, library, nothing_set).error.find("--encrypt"), std::string::npos);
}

TEST(ToolRun, EachMistakeIsNamed) {
  const auto error_of = [](auto change) {
    RunOptions options = for_program();
    change(options);
    const Environment planned = plan_environment(options, library, nothing_set);
    EXPECT_TRUE(planned.error.empty() || planned.variables.empty());
    return planned.error;
  };
  for (const char* nodes : {"0", "65", "-1", "x", "", "2.5", "2,2"})
    EXPECT_NE(error_of([&](RunOptions& o) { o.nodes = nodes; }).find("--nodes"), std::string::npos) << nodes;
  for (const char* threads : {"0", "x", "-2"})
    EXPECT_NE(error_of([&](RunOptions& o) { o.threads = threads; }).find("--threads"), std::string::npos) << threads;
  for (const char* schedule : {"statik", "static,0", "hetprobe,101", "dynamic,"})
    EXPECT_NE(error_of([&](RunOptions& o) { o.schedule = schedule; }).find("--schedule"), std::string::npos)
        << schedule;
  EXPECT_NE(error_of([](RunOptions& o) { o.loops = "most"; }).find("--loops"), std::string::npos);
  for (const char* cores : {"", "x", ";", "4095", "0-"})
    EXPECT_NE(error_of([&](RunOptions& o) { o.cores = cores; }).find("--cores"), std::string::npos) << cores;
  EXPECT_NE(error_of([](RunOptions& o) { o.nodes = "2", o.cores = "0;1"; }).find("exclude"), std::string::npos);
  EXPECT_NE(error_of([](RunOptions& o) { o.command.clear(); }).find("no program"), std::string::npos);
}

} // namespace
