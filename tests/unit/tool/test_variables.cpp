// The table of variables, for people: docs/variables.md is what the table says, and each row says something.
#include "runtime/tool/manual/variables.hpp"

#include <gtest/gtest.h>

#include <cctype>
#include <fstream>
#include <iterator>
#include <string>

namespace {

using namespace hetmp;
using namespace hetmp::tool;

size_t count(const std::string& text, const std::string& part) {
  size_t times = 0;
  for (size_t at = 0; (at = text.find(part, at)) != text.npos; at += part.size())
    ++times;
  return times;
}

const char* nothing_set(Variable) { return nullptr; }

TEST(Variables, ThePageIsWhatTheTableSays) {
  std::ifstream file(VARIABLES_PAGE);
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  ASSERT_FALSE(page.empty()) << VARIABLES_PAGE;
  EXPECT_EQ(page, variables_markdown()) << "write it again: hetmp info --variables-markdown >docs/variables.md";
}

TEST(Variables, EachIsThereOnceUnlessItIsOfNoUseToPeople) {
  const std::string page = variables_markdown(), text = '\n' + variables_text(nothing_set);
  for (size_t i = 0; i < variable_count; ++i) {
    const std::string name = name_of(Variable(i));
    const size_t times = section_of(Variable(i)) == Section::Internal ? 0 : 1;
    EXPECT_EQ(count(page, "\n| `" + name + "`"), times) << name;
    EXPECT_EQ(count(text, '\n' + name + '\n'), times) << name;
  }
}

TEST(Variables, EachSaysWhatItMayBeAndWhatItMeans) {
  for (size_t i = 0; i < variable_count; ++i) {
    const Description& description = description_of(Variable(i));
    const std::string name = name_of(Variable(i)), meaning = description.meaning;
    EXPECT_FALSE(std::string(description.grammar).empty()) << name;
    ASSERT_FALSE(meaning.empty()) << name;
    EXPECT_TRUE(std::isupper(static_cast<unsigned char>(meaning.front())) || meaning.starts_with('`') ||
                meaning.starts_with("PAPI"))
        << name;
    EXPECT_EQ(meaning.back(), '.') << name;
    for (const std::string& words : {meaning, std::string(description.grammar), std::string(description.usual)})
      EXPECT_EQ(count(words, "`") % 2, 0) << name << ": " << words;
  }
}

TEST(Variables, AliasesAreNamedWhereTheyLead) {
  EXPECT_EQ(description_of(Variable::KMP_STACKSIZE).of, Variable::OMP_STACKSIZE);
  EXPECT_EQ(description_of(Variable::OMP_STACKSIZE).of, Variable::OMP_STACKSIZE);
  EXPECT_EQ(count(variables_markdown(), "`KMP_STACKSIZE`, `GOMP_STACKSIZE` win over it, in this order."), 1);
}

TEST(Variables, WhatIsSetIsShownAsATerminalMayHaveIt) {
  const auto lookup = [](Variable variable) { return variable == Variable::HETMP_NODES ? "proc:2\033[1m" : nullptr; };
  const std::string text = variables_text(lookup);
  EXPECT_EQ(count(text, "\nHETMP_NODES=proc:2"), 1);
  EXPECT_EQ(count(text, "\033"), 0);
  EXPECT_EQ(count(text, "(set now)"), 1);
  EXPECT_EQ(count(text, "`"), 0);
}

TEST(Variables, OwnNamesAreHetmpsAndFitTheWidth) {
  const std::string lines = own_variable_names(60);
  EXPECT_EQ(count(lines, "HETMP_NODES"), 1);
  EXPECT_EQ(count(lines, "OMP_HET_PTG"), 1);
  EXPECT_EQ(count(lines, "OMP_PLACES") + count(lines, "KMP_") + count(lines, "HETMP_DSM_PLAN"), 0);
  for (size_t at = 0, end; at < lines.size(); at = end + 1) {
    end = lines.find('\n', at);
    ASSERT_NE(end, lines.npos) << "each line ends";
    EXPECT_LE(end - at, 60);
  }
}

} // namespace
