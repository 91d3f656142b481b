#include "runtime/affinity/affinity_format.hpp"

#include <gtest/gtest.h>

using namespace hetmp::affinity;

namespace {

AffinityFacts facts() {
  AffinityFacts facts;
  facts.nesting_level = "1";
  facts.thread_num = "7";
  facts.num_threads = "12";
  facts.ancestor_tnum = "-1";
  facts.host = "box";
  facts.thread_affinity = "0-3";
  return facts;
}

std::string expand(const char* format) { return expand_affinity_format(format, facts()); }

TEST(AffinityFormat, Fields) {
  EXPECT_EQ(expand("level %L thread %n of %N on %H: {%A}"), "level 1 thread 7 of 12 on box: {0-3}");
  EXPECT_EQ(expand("%{thread_num}/%{num_threads}"), "7/12");
}

TEST(AffinityFormat, Padding) {
  EXPECT_EQ(expand("[%4n]"), "[7   ]");
  EXPECT_EQ(expand("[%.4n]"), "[   7]");
  EXPECT_EQ(expand("[%0.4n]"), "[0007]");
  EXPECT_EQ(expand("[%0.4{ancestor_tnum}]"), "[-001]");
  EXPECT_EQ(expand("[%.1N]"), "[12]") << "a width never cuts";
}

TEST(AffinityFormat, OddText) {
  EXPECT_EQ(expand(""), "");
  EXPECT_EQ(expand("100%%"), "100%");
  EXPECT_EQ(expand("100%"), "100%");
  EXPECT_EQ(expand("%Z"), "undefined");
  EXPECT_EQ(expand("%{nothing}"), "undefined");
  EXPECT_EQ(expand("%{thread_num"), "7") << "a missing brace ends with the text";
}

} // namespace
