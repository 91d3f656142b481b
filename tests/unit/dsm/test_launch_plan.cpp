// What a process is told that becomes a node: everything survives the way through an environment variable, and what
// does not fit together is nothing.
#include "dsm/launch_plan.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace hetmp::dsm {
namespace {

LaunchPlan local_plan() {
  LaunchPlan plan;
  plan.process = 4711;
  plan.cpus = {{0, 1, 2, 5}, {3}};
  return plan;
}

LaunchPlan launched_plan() {
  LaunchPlan plan;
  plan.process = 12;
  plan.transport = find_transport("tcp");
  plan.cpus = {{0}, {0, 1}, {7, 9}};
  plan.node = 1;
  plan.sockets = {{200, 201}, {-1, -1}, {202, 203}};
  plan.hosts = {"alpha", "user@beta.example", "fe80::1%eth0"};
  return plan;
}

LaunchPlan sealed_plan() {
  LaunchPlan plan = launched_plan();
  plan.sealed = true;
  plan.keys = 204;
  plan.words = 205;
  return plan;
}

void expect_round_trip(const LaunchPlan& plan) {
  const std::string text = format_plan(plan);
  EXPECT_EQ(text.find('\n'), std::string::npos);
  const auto parsed = parse_plan(text);
  ASSERT_TRUE(parsed) << text;
  EXPECT_TRUE(*parsed == plan) << text << "\n" << format_plan(*parsed);
}

TEST(LaunchPlan, SurvivesAsText) {
  expect_round_trip(local_plan());
  LaunchPlan tcp = local_plan();
  tcp.transport = find_transport("tcp");
  expect_round_trip(tcp);
  expect_round_trip(launched_plan());
  tcp.sealed = true;
  expect_round_trip(tcp);
  expect_round_trip(sealed_plan());
  for (LaunchPlan plan : {local_plan(), sealed_plan()})
    for (const uint64_t stack : {uint64_t(0), uint64_t(8) << 20, uint64_t(1) << 62, AddressLayout::unlimited})
      for (const unsigned personality : {0u, 0x200000u, AddressLayout::unknown}) {
        plan.users_layout = AddressLayout{stack, personality};
        expect_round_trip(plan);
      }
}

TEST(LaunchPlan, SaysNothingOfSealingWhereNothingIsSealed) {
  for (const LaunchPlan& plan : {local_plan(), launched_plan()}) {
    EXPECT_EQ(format_plan(plan).find("seal"), std::string::npos);
    EXPECT_EQ(format_plan(plan).find("key"), std::string::npos);
  }
}

TEST(LaunchPlan, HasTwoToSixtyFourNodes) {
  for (const size_t nodes : {0, 1, 2, 3, 63, 64, 65, 1000}) {
    LaunchPlan local = local_plan();
    local.cpus.assign(nodes, {1, 2, 3});
    LaunchPlan launched = launched_plan();
    launched.cpus.assign(nodes, {4095});
    launched.sockets.assign(nodes, {5, 6});
    launched.hosts.assign(nodes, "host");
    if (nodes > 1)
      launched.sockets[launched.node] = {-1, -1};
    if (nodes >= 2 && nodes <= 64) {
      expect_round_trip(local);
      expect_round_trip(launched);
    } else {
      EXPECT_FALSE(parse_plan(format_plan(local))) << nodes;
      EXPECT_FALSE(parse_plan(format_plan(launched))) << nodes;
    }
  }
}

TEST(LaunchPlan, EachNodeCanBeTheOneThatIsMeant) {
  for (uint32_t node = 0; node < 3; ++node) {
    LaunchPlan plan = launched_plan();
    plan.node = node;
    plan.sockets.assign(3, {8, 9});
    plan.sockets[node] = {-1, -1};
    expect_round_trip(plan);
  }
}

struct Change {
  const char* what;
  std::function<void(LaunchPlan&)> make;
};

TEST(LaunchPlan, WhatDoesNotFitTogetherIsRefused) {
  const Change of_local[] = {
      {"no process", [](LaunchPlan& plan) { plan.process = 0; }},
      {"a negative process", [](LaunchPlan& plan) { plan.process = -5; }},
      {"a node that is to make the others and not the first", [](LaunchPlan& plan) { plan.node = 1; }},
      {"a node that is none", [](LaunchPlan& plan) { plan.node = 2; }},
      {"a node without CPUs", [](LaunchPlan& plan) { plan.cpus[1] = {}; }},
      {"a CPU that cannot be", [](LaunchPlan& plan) { plan.cpus[1] = {4096}; }},
      {"sealed memory", [](LaunchPlan& plan) { plan.sealed = true; }},
      {"words for a launcher that is none", [](LaunchPlan& plan) { plan.words = 5; }},
      {"keys for memory", [](LaunchPlan& plan) { plan.keys = 5; }},
  };
  for (const Change& change : of_local) {
    LaunchPlan plan = local_plan();
    change.make(plan);
    EXPECT_FALSE(parse_plan(format_plan(plan))) << change.what << ": " << format_plan(plan);
  }
  const Change of_launched[] = {
      {"a node that is none", [](LaunchPlan& plan) { plan.node = 3; }},
      {"another node's sockets", [](LaunchPlan& plan) { plan.node = 2; }},
      {"sockets, but shared memory", [](LaunchPlan& plan) { plan.transport = find_transport("shared-memory"); }},
      {"too few sockets", [](LaunchPlan& plan) { plan.sockets.pop_back(); }},
      {"too many sockets",
       [](LaunchPlan& plan) {
         plan.sockets.push_back({5, 6});
       }},
      {"too few hosts", [](LaunchPlan& plan) { plan.hosts.pop_back(); }},
      {"too many hosts", [](LaunchPlan& plan) { plan.hosts.push_back("gamma"); }},
      {"a socket to itself",
       [](LaunchPlan& plan) {
         plan.sockets[1] = {7, 8};
       }},
      {"half a socket to itself",
       [](LaunchPlan& plan) {
         plan.sockets[1] = {-1, 8};
       }},
      {"no socket to another",
       [](LaunchPlan& plan) {
         plan.sockets[2] = {-1, -1};
       }},
      {"one socket to another",
       [](LaunchPlan& plan) {
         plan.sockets[2] = {3, -1};
       }},
      {"a descriptor that cannot be",
       [](LaunchPlan& plan) {
         plan.sockets[2] = {3, -2};
       }},
      {"a host without a name", [](LaunchPlan& plan) { plan.hosts[2] = ""; }},
      {"sealed without keys", [](LaunchPlan& plan) { plan.sealed = true; }},
      {"keys and not sealed", [](LaunchPlan& plan) { plan.keys = 204; }},
  };
  for (const Change& change : of_launched) {
    LaunchPlan plan = launched_plan();
    change.make(plan);
    EXPECT_FALSE(parse_plan(format_plan(plan))) << change.what << ": " << format_plan(plan);
  }
}

TEST(LaunchPlan, MalformedTextIsRefused) {
  ASSERT_TRUE(parse_plan("process=5 transport=tcp node=0 cpus=0;1;"));
  for (const char* text : {
           "",
           " ",
           "process=5",
           "cpus=0;1;",
           "process=5  transport=tcp node=0 cpus=0;1;",
           "process= transport=tcp node=0 cpus=0;1;",
           "process=x transport=tcp node=0 cpus=0;1;",
           "process=5x transport=tcp node=0 cpus=0;1;",
           "process=99999999999 transport=tcp node=0 cpus=0;1;",
           "process=5 transport=pigeon node=0 cpus=0;1;",
           "process=5 transport= node=0 cpus=0;1;",
           "process=5 transport=tcp node=-1 cpus=0;1;",
           "process=5 transport=tcp node=0 cpus=0;x;",
           "process=5 transport=tcp node=0 cpus=0;;1;",
           "process=5 transport=tcp node=0 cpus=3-1;1;",
           "process=5 transport=tcp node=0 cpus=",
           "process=5 transport=tcp node=0 cpus",
           "process=5 transport=tcp node=0 cpus=0;1; hosts=a;b;",
           "process=5 transport=tcp node=0 cpus=0;1; sockets=-1,-1;3; hosts=a;b;",
           "process=5 transport=tcp node=0 cpus=0;1; sockets=-1,-1;3,4,5; hosts=a;b;",
           "process=5 transport=tcp node=0 cpus=0;1; sockets=-1,-1;,; hosts=a;b;",
           "process=5 transport=tcp node=0 cpus=0;1; colour=red",
           "process=5 transport=tcp node=0 cpus=0;1; =",
           "process=5 transport=tcp sealed=0 node=0 cpus=0;1;",
           "process=5 transport=tcp sealed=yes node=0 cpus=0;1;",
           "process=5 transport=tcp sealed=1 keys=7 node=0 cpus=0;1;",
           "process=5 transport=tcp sealed=1 keys=-1 node=0 cpus=0;1;",
           // A word that comes twice: which one would count?
           "process=5 process=6 transport=tcp node=0 cpus=0;1;",
           "process=5 transport=tcp transport=tcp node=0 cpus=0;1;",
           "process=5 transport=tcp node=0 cpus=0; cpus=1;",
       })
    EXPECT_FALSE(parse_plan(text)) << text;
}

TEST(LaunchPlan, AnUnfinishedTextIsNotMistakenForAnother) {
  const std::string text = format_plan(launched_plan());
  size_t accepted = 0;
  for (size_t length = 0; length < text.size(); ++length)
    if (const auto plan = parse_plan(text.substr(0, length))) {
      ++accepted; // the end of the last host's name cannot be known
      EXPECT_EQ(plan->sockets, launched_plan().sockets);
      EXPECT_EQ(plan->hosts.size(), 3u);
    }
  EXPECT_EQ(accepted, launched_plan().hosts.back().size());
}

} // namespace
} // namespace hetmp::dsm
