// Manual pages: text stays text, whatever it begins with; and hetmp(7) has each variable that people set.
#include "runtime/tool/manual/roff.hpp"
#include "runtime/tool/manual/variables.hpp"

#include <gtest/gtest.h>

#include <string>

namespace {

using namespace hetmp;
using namespace hetmp::tool;

TEST(Roff, NothingInATextIsARequest) {
  EXPECT_EQ(roff::text(".so no file"), "\\&.so no file");
  EXPECT_EQ(roff::text("'quoted'\n'again"), "\\&'quoted'\n\\&'again");
  EXPECT_EQ(roff::text("a\\fBb --nodes"), "a\\efBb \\-\\-nodes");
  EXPECT_EQ(roff::text("3.5 .so"), "3.5 .so");
  EXPECT_EQ(roff::text(""), "");
}

TEST(Roff, AnEntryHasANameAndAMeaning) {
  EXPECT_EQ(roff::entry("--cores SPEC", "CPUs"), ".TP\n.B \"\\-\\-cores SPEC\"\nCPUs\n");
  EXPECT_EQ(roff::entry("x", ""), ".TP\n.B \"x\"\n \n");
}

TEST(Roff, ParagraphsAndLinesThatStay) {
  EXPECT_EQ(roff::paragraphs("one\n\ntwo:\n  a b\n  c"), "one\n.PP\ntwo:\n.br\na b\n.br\nc\n");
  EXPECT_EQ(roff::paragraphs(""), "");
  EXPECT_EQ(roff::paragraphs("   "), ".br\n\n");
}

TEST(Roff, ThePageOfVariablesHasEachOnce) {
  const std::string page = variables_manual("1.2.3");
  EXPECT_TRUE(page.starts_with(".TH HETMP 7 \"\" \"hetmp 1.2.3\""));
  for (size_t i = 0; i < variable_count; ++i) {
    const auto variable = Variable(i);
    const std::string entry =
        std::string(".B \"") + name_of(variable) + (trust_in(variable) == Trust::Owner ? " (*)\"" : "\"");
    const bool is_there = page.find(entry) != page.npos;
    EXPECT_EQ(is_there, section_of(variable) != Section::Internal) << name_of(variable);
  }
}

} // namespace
