// `hetmp run`: from options to environment variables, and what it says of options that make no sense.
#include "runtime/tool/run.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace {

using namespace hetmp::tool;

const Libraries libraries{"/l/libhetmp.so", "/l/libhetmp_dsm.so"};

const char* nothing_set(const char*) {
  return nullptr;
}

const char* something_set(const char* name) {
  if (std::strcmp(name, "LD_PRELOAD") == 0)
    return "/other.so";
  return std::strcmp(name, "GLIBC_TUNABLES") == 0 ? "glibc.malloc.check=1" : nullptr;
}

RunOptions for_program() {
  RunOptions options;
  options.command = {"program"};
  return options;
}

TEST(ToolRun, OneNodeNeedsOnlyTheRuntime) {
  const Environment planned = plan_environment(for_program(), libraries, nothing_set);
  EXPECT_EQ(planned.error, "");
  EXPECT_FALSE(planned.several_nodes);
  EXPECT_EQ(planned.variables, (std::map<std::string, std::string>{{"LD_PRELOAD", "/l/libhetmp.so"}}));
}

TEST(ToolRun, SeveralNodesAddTheDsmBeforeTheRuntime) {
  RunOptions options = for_program();
  options.nodes = "2";
  const Environment planned = plan_environment(options, libraries, nothing_set);
  EXPECT_TRUE(planned.several_nodes);
  EXPECT_EQ(planned.variables, (std::map<std::string, std::string>{
                                   {"HETMP_NODES", "proc:2"},
                                   {"LD_PRELOAD", "/l/libhetmp_dsm.so:/l/libhetmp.so"},
                                   {"HETMP_DSM_PRELOADED", "/l/libhetmp_dsm.so:/l/libhetmp.so"},
                                   {"GLIBC_TUNABLES", "glibc.pthread.rseq=0"},
                               }));
}

TEST(ToolRun, WhatTheUserHadSetIsKept) {
  RunOptions options = for_program();
  options.nodes = "64";
  const Environment planned = plan_environment(options, libraries, something_set);
  EXPECT_EQ(planned.variables.at("LD_PRELOAD"), "/l/libhetmp_dsm.so:/l/libhetmp.so:/other.so");
  EXPECT_EQ(planned.variables.at("GLIBC_TUNABLES"), "glibc.malloc.check=1:glibc.pthread.rseq=0");
  EXPECT_EQ(planned.variables.at("HETMP_DSM_PRELOADED"), "/l/libhetmp_dsm.so:/l/libhetmp.so");
}

TEST(ToolRun, OptionsBecomeVariables) {
  RunOptions options = for_program();
  options.cores = "0-1;2-3";
  options.report = "1";
  options.schedule = "hetprobe,5";
  options.threads = "3";
  const auto variables = plan_environment(options, libraries, nothing_set).variables;
  EXPECT_EQ(variables.at("HETMP_NODES"), "cores:0-1;2-3");
  EXPECT_EQ(variables.at("HETMP_REPORT"), "1");
  EXPECT_EQ(variables.at("OMP_SCHEDULE"), "hetprobe,5");
  EXPECT_EQ(variables.at("OMP_NUM_THREADS"), "3");
}

TEST(ToolRun, EachMistakeIsNamed) {
  const auto error_of = [](auto change) {
    RunOptions options = for_program();
    change(options);
    const Environment planned = plan_environment(options, libraries, nothing_set);
    EXPECT_TRUE(planned.error.empty() || planned.variables.empty());
    return planned.error;
  };
  for (const char* nodes : {"0", "65", "-1", "x", "", "2.5", "2,2"})
    EXPECT_NE(error_of([&](RunOptions& o) { o.nodes = nodes; }).find("--nodes"), std::string::npos) << nodes;
  for (const char* threads : {"0", "x", "-2"})
    EXPECT_NE(error_of([&](RunOptions& o) { o.threads = threads; }).find("--threads"), std::string::npos)
        << threads;
  for (const char* schedule : {"statik", "static,0", "hetprobe,101", "dynamic,"})
    EXPECT_NE(error_of([&](RunOptions& o) { o.schedule = schedule; }).find("--schedule"), std::string::npos)
        << schedule;
  EXPECT_NE(error_of([](RunOptions& o) { o.nodes = "2", o.cores = "0;1"; }).find("exclude"),
            std::string::npos);
  EXPECT_NE(error_of([](RunOptions& o) { o.command.clear(); }).find("no program"), std::string::npos);
}

} // namespace
