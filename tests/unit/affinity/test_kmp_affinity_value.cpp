#include "runtime/affinity/kmp_affinity_value.hpp"

#include <gtest/gtest.h>

namespace hetmp::affinity {
namespace {

KmpAffinity parsed(std::string_view text) {
  const ParsedKmpAffinity result = parse_kmp_affinity(text);
  EXPECT_TRUE(result.value) << text << ": " << result.error;
  EXPECT_EQ(result.error, "");
  return result.value.value_or(KmpAffinity{});
}

std::string error(std::string_view text) {
  const ParsedKmpAffinity result = parse_kmp_affinity(text);
  EXPECT_FALSE(result.value) << text;
  return result.error;
}

TEST(KmpAffinityValue, DefaultsAreLibomps) {
  EXPECT_EQ(format_kmp_affinity({}), "noverbose,warnings,respect,noreset,granularity=core");
}

TEST(KmpAffinityValue, TakesEveryTypeInAnyCase) {
  const std::pair<const char*, AffinityType> types[] = {
      {"none", AffinityType::None},         {"compact", AffinityType::Compact},
      {"SCATTER", AffinityType::Scatter},   {"Balanced", AffinityType::Balanced},
      {"disabled", AffinityType::Disabled}, {"explicit,proclist=[0]", AffinityType::Explicit}};
  for (const auto& [text, type] : types)
    EXPECT_EQ(parsed(text).type, type) << text;
}

TEST(KmpAffinityValue, NoTypeIsNotNone) {
  EXPECT_FALSE(parsed("verbose").type);
  EXPECT_FALSE(parsed("reset,granularity=fine").type);
  EXPECT_EQ(parsed("verbose,none").type, AffinityType::None);
}

TEST(KmpAffinityValue, TakesEveryModifierAndItsOpposite) {
  const std::pair<const char*, bool KmpAffinity::*> switches[] = {{"verbose", &KmpAffinity::verbose},
                                                                  {"warnings", &KmpAffinity::warnings},
                                                                  {"respect", &KmpAffinity::respect},
                                                                  {"reset", &KmpAffinity::reset}};
  for (const auto& [word, member] : switches) {
    EXPECT_TRUE(parsed(word).*member) << word;
    EXPECT_FALSE(parsed("no" + std::string(word)).*member) << word;
    EXPECT_TRUE(parsed("compact, " + std::string(word)).*member) << word;
    EXPECT_EQ(error(std::string(word) + ",no" + word), std::string(word) + " is named twice");
  }
}

TEST(KmpAffinityValue, TakesEveryGranularity) {
  const std::pair<const char*, TopologyLevel> names[] = {
      {"thread", TopologyLevel::Threads},   {"fine", TopologyLevel::Threads},
      {"core", TopologyLevel::Cores},       {"ll_cache", TopologyLevel::LastLevelCaches},
      {"numa", TopologyLevel::NumaDomains}, {"numa_domain", TopologyLevel::NumaDomains},
      {"socket", TopologyLevel::Sockets},   {"package", TopologyLevel::Sockets}};
  for (const auto& [name, level] : names)
    EXPECT_EQ(parsed("compact,granularity=" + std::string(name)).granularity, level) << name;
  for (const char* text : {"granularity=tile", "granularity=", "granularity=die,compact"})
    EXPECT_EQ(error(text), "granularity can be thread, core, ll_cache, numa or socket") << text;
  EXPECT_EQ(error("granularity"), "expected = after granularity");
  EXPECT_EQ(error("granularity=core,granularity=core"), "granularity is named twice");
}

TEST(KmpAffinityValue, TakesPermuteAndOffset) {
  EXPECT_EQ(parsed("compact,1").permute, 1u);
  EXPECT_EQ(parsed("compact,1").offset, 0u);
  const KmpAffinity both = parsed("granularity=thread,scatter,2,3,verbose");
  EXPECT_EQ(both.permute, 2u);
  EXPECT_EQ(both.offset, 3u);
  EXPECT_EQ(error("compact,1,2,3"), "more than two numbers");
  EXPECT_EQ(error("compact,65536"), "expected a number from 0 to 65535");
  for (const char* type : {"none", "balanced", "disabled", "verbose", "explicit,proclist=[0]"})
    EXPECT_EQ(error(std::string(type) + ",1"), "only compact and scatter take numbers") << type;
}

TEST(KmpAffinityValue, TakesListsOfCpus) {
  const auto places = [](std::string_view list) {
    return format_places(parsed("explicit,proclist=[" + std::string(list) + "]").proclist);
  };
  EXPECT_EQ(places("3,0,{1,2},{0,3}"), "{3},{0},{1,2},{0,3}");
  EXPECT_EQ(places(" 4 - 6 , 0"), "{4},{5},{6},{0}");
  EXPECT_EQ(places("0-8:4"), "{0},{4},{8}");
  EXPECT_EQ(places("{2,0-1,2}"), "{0,1,2}") << "ascending, each once";
  EXPECT_EQ(parsed("proclist=[1],verbose,explicit,granularity=fine").type, AffinityType::Explicit);
}

TEST(KmpAffinityValue, SaysWhatIsWrongWithLists) {
  EXPECT_EQ(error("explicit"), "type explicit needs proclist=[CPUs]");
  EXPECT_EQ(error("proclist=[0]"), "proclist needs the type explicit");
  EXPECT_EQ(error("compact,proclist=[0]"), "proclist needs the type explicit");
  EXPECT_EQ(error("explicit,proclist=0"), "expected =[ after proclist");
  EXPECT_EQ(error("explicit,proclist=[]"), "expected a CPU");
  EXPECT_EQ(error("explicit,proclist=[0"), "expected ] after the CPUs of proclist");
  EXPECT_EQ(error("explicit,proclist=[{0]"), "expected } after a place's CPUs");
  EXPECT_EQ(error("explicit,proclist=[4-2]"), "expected the last CPU of a range");
  EXPECT_EQ(error("explicit,proclist=[0-4:0]"), "expected a stride");
  EXPECT_EQ(error("explicit,proclist=[4096]"), "expected a CPU");
  EXPECT_EQ(error("explicit,proclist=[0],proclist=[1]"), "proclist is named twice");
}

TEST(KmpAffinityValue, SaysWhatElseIsWrong) {
  EXPECT_EQ(error("compact,scatter"), "it names two types");
  EXPECT_EQ(error("tight"), "it has neither a type nor a modifier \"tight\"");
  for (const char* text : {"", ",", "compact,", ",compact", "compact,,verbose", "compact,-1", "=", "[0]"})
    EXPECT_EQ(error(text), "a part of it is missing") << text;
  EXPECT_EQ(error("compact verbose"), "expected a comma between its parts");
}

TEST(KmpAffinityValue, WhatIsShownMeansTheSame) {
  for (const char* text :
       {"verbose", "none", "disabled,nowarnings", "compact", "scatter,1,5", "balanced,granularity=socket",
        "norespect,reset,granularity=fine,compact,0,2", "explicit,proclist=[0,{1,2}],granularity=numa"}) {
    const KmpAffinity affinity = parsed(text);
    EXPECT_EQ(parsed(format_kmp_affinity(affinity)), affinity) << text;
  }
}

} // namespace
} // namespace hetmp::affinity
