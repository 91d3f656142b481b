// What KMP_SETTINGS says: which variables are given, what they come to, which are not followed.
#include "runtime/settings/settings.hpp"

#include "base/variables/description.hpp"

#include <gtest/gtest.h>

#include <set>

using namespace hetmp::runtime;

namespace {

TEST(Settings, FindsTheVariablesOfRuntimes) {
  const char* const environment[] = {
      "PATH=/bin",        "OMP_SCHEDULE=a=b", "KMP_AFFINITY=", "XKMP_SETTINGS=1", "HETMP_NODES=1",
      "GOMP_SPINCOUNT=3", "KMP_AFFINITY=x",   "LIBOMP_X=1",    "KMP_NOTHING",     nullptr};
  EXPECT_EQ(runtime_variables(environment), (std::vector<Setting>{{"GOMP_SPINCOUNT", "3"},
                                                                  {"HETMP_NODES", "1"},
                                                                  {"KMP_AFFINITY", ""},
                                                                  {"LIBOMP_X", "1"},
                                                                  {"OMP_SCHEDULE", "a=b"}}));
  const char* const none[] = {nullptr};
  EXPECT_TRUE(runtime_variables(none).empty());
  EXPECT_TRUE(runtime_variables(nullptr).empty());
}

TEST(Settings, KnowsWhatIsFollowed) {
  for (const char* name : {"KMP_AFFINITY", "KMP_SETTINGS", "KMP_BLOCKTIME", "KMP_HW_SUBSET", "KMP_WARNINGS",
                           "LIBOMP_NUM_HIDDEN_HELPER_THREADS"})
    EXPECT_EQ(following_of(name), Following::Honoured) << name;
  for (const char* name : {"KMP_LOCK_KIND", "KMP_HOT_TEAMS_MODE", "KMP_DISP_NUM_BUFFERS"})
    EXPECT_EQ(following_of(name), Following::Ignored) << name;
  for (const char* name : {"KMP_BLOKTIME", "KMP_", "kmp_affinity", ""})
    EXPECT_EQ(following_of(name), Following::Unknown) << name;
}

TEST(Settings, WhatTheEnvironmentsReadersHonourIsListed) {
  for (const Setting& setting : libomp_settings(ProgramIcvs{}))
    EXPECT_EQ(following_of(setting.name), Following::Honoured) << setting.name;
}

TEST(Settings, EachRowOfTheTableIsShownOrKnownNotToBe) {
  std::set<std::string> shown = {"OMP_AFFINITY_FORMAT",         "OMP_DISPLAY_AFFINITY",
                                 "KMP_DETERMINISTIC_REDUCTION", "OMP_TOOL",
                                 "OMP_TOOL_LIBRARIES",          "OMP_TOOL_VERBOSE_INIT",
                                 "KMP_FORCE_REDUCTION",        // runtime/start adds what higher rooms know
                                 "GOMP_CPU_AFFINITY",          // OMP_PLACES has what it came to
                                 "KMP_HIDDEN_HELPER_AFFINITY", // not read before there is a helper
                                 "KMP_DISP_NUM_BUFFERS"};      // ignored
  for (const auto& settings : {standard_settings(ProgramIcvs{}), libomp_settings(ProgramIcvs{})})
    for (const Setting& setting : settings)
      EXPECT_TRUE(shown.insert(setting.name).second) << setting.name << " twice";
  for (size_t i = 0; i < hetmp::variable_count; ++i) {
    const auto variable = hetmp::Variable(i);
    const hetmp::Description& description = hetmp::description_of(variable);
    const hetmp::Section section = section_of(variable);
    const bool users = section == hetmp::Section::OpenMP || section == hetmp::Section::Libomp;
    if (users && description.of == variable) {
      EXPECT_TRUE(shown.contains(name_of(variable))) << name_of(variable);
    }
  }
}

TEST(Settings, TextHasBlocks) {
  EXPECT_EQ(
      settings_text({{"KMP_LOCK_KIND", "tas"}, {"KMP_OTHER", "1"}, {"KMP_SETTINGS", "1"}, {"OMP_PLACES", "invalid"}},
                    {{"KMP_SETTINGS", "TRUE"}, {"OMP_PLACES", "cores"}}),
      "\nUser settings:\n\n   KMP_LOCK_KIND=tas\n   KMP_OTHER=1\n   KMP_SETTINGS=1\n   OMP_PLACES=invalid\n"
      "\nEffective settings:\n\n   KMP_SETTINGS='TRUE'\n   OMP_PLACES='cores'\n"
      "\nIgnored settings, of parts that hetmp does not have:\n\n   KMP_LOCK_KIND=tas\n"
      "\nUnknown settings:\n\n   KMP_OTHER=1\n\n");
  EXPECT_EQ(settings_text({}, {{"OMP_PLACES", ""}}), "\nEffective settings:\n\n   OMP_PLACES=''\n\n")
      << "no heading over nothing";
}

TEST(Settings, VerboseDisplayTellsToo) {
  const std::string text =
      display_text({{"OMP_DYNAMIC", "FALSE"}}, {{"KMP_LOCK_KIND", "tas"}, {"KMP_OTHER", "1"}, {"KMP_SETTINGS", "0"}});
  EXPECT_NE(text.find("  [host] OMP_DYNAMIC='FALSE'\n  [host] KMP_LOCK_KIND='tas' (ignored)\n"
                      "  [host] KMP_OTHER='1' (unknown)\nOPENMP"),
            std::string::npos)
      << text;
}

} // namespace
