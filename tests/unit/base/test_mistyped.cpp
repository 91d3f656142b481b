// Names that were meant to be one of hetmp's variables, and names that were not.
#include "base/variables/mistyped.hpp"

#include <gtest/gtest.h>

#include <string>

namespace {

using namespace hetmp;

TEST(Mistyped, ALetterOrTwo) {
  EXPECT_EQ(probably_meant("HETMP_NODE"), Variable::HETMP_NODES);
  EXPECT_EQ(probably_meant("HETMP_NODSE"), Variable::HETMP_NODES) << "two letters exchanged";
  EXPECT_EQ(probably_meant("HETMP_nodes"), Variable::HETMP_NODES) << "not the case";
  EXPECT_EQ(probably_meant("HETMP_SHEDULE"), Variable::HETMP_SCHEDULE);
  EXPECT_EQ(probably_meant("HETMP_SCHEDULING"), std::nullopt);
  EXPECT_EQ(probably_meant("HETMP_LOOP"), Variable::HETMP_LOOPS);
  EXPECT_EQ(probably_meant("HETMP_CRS"), Variable::HETMP_CSR);
  EXPECT_EQ(probably_meant("HETMP_FAULT_PERIOD"), std::nullopt) << "three letters";
  EXPECT_EQ(probably_meant("HETMP_NODE_SCHEDUL"), Variable::HETMP_NODE_SCHEDULE);
}

TEST(Mistyped, TheNearestOne) {
  EXPECT_EQ(probably_meant("HETMP_PROBE"), Variable::HETMP_PROBES);
  EXPECT_EQ(probably_meant("HETMP_PROFIL"), Variable::HETMP_PROFILE);
}

TEST(Mistyped, EachNameWithoutALetterOfItsOwnIsFound) {
  for (size_t i = 0; i < variable_count; ++i) {
    const std::string name = name_of(Variable(i));
    if (name.starts_with("HETMP_") && section_of(Variable(i)) != Section::Internal) {
      EXPECT_EQ(probably_meant(name.substr(0, name.size() - 1)), Variable(i)) << name;
      EXPECT_EQ(probably_meant(name + "S"), Variable(i)) << name;
      EXPECT_FALSE(probably_meant(name)) << name;
    }
  }
}

TEST(Mistyped, NamesOfOthersAreNoMatter) {
  for (const char* name : {"HETMP_ROOT", "HETMP_HOME", "HETMP_DIR", "HETMP_LIB", "HETMP_PATH", "HETMP_MODE",
                           "HETMP_VERSION", "HETMP_INCLUDE", "HETMP_BUILD_TESTS", "HETMP_EXPLORE", "HETMP_", "HETMP",
                           "", "XHETMP_NODE", "OMP_NUM_THREAD", "HETMP_LAUNCHES", "HETMP_DSM_PLANS"})
    EXPECT_FALSE(probably_meant(name)) << name;
  EXPECT_FALSE(probably_meant("HETMP_NODE\033"));
  EXPECT_FALSE(probably_meant("HETMP_" + std::string(1000, 'N')));
}

} // namespace
