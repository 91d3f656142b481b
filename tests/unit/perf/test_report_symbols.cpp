#include "perf/report/report_symbols.hpp"

#include <cerrno>
#include <gnu/libc-version.h>
#include <gtest/gtest.h>
#include <memory>

namespace hetmp::perf::symbols_test {

long counters[8] = {1};
alignas(4096) char whole_page[8192];
static int hidden = 3;

__attribute__((noinline)) int some_function(int x) {
  asm volatile("" : "+r"(hidden));
  return x + hidden;
}

namespace {

uint64_t address_of(const void* object) { return reinterpret_cast<uint64_t>(object); }

std::vector<std::string> names_in(uint64_t begin, uint64_t end) {
  std::vector<std::string> names;
  for (const Variable& variable : variables_in(begin, end))
    names.push_back(variable.name);
  return names;
}

TEST(Symbols, NamesTheVariableAtAnAddress) {
  const auto found = variables_in(address_of(&counters[3]), address_of(&counters[3]) + 4);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0], (Variable{"hetmp::perf::symbols_test::counters", address_of(counters), sizeof counters}));
}

TEST(Symbols, NamesAllVariablesOfARange) {
  const auto names = names_in(address_of(whole_page) + 4096, address_of(whole_page) + 8192);
  EXPECT_EQ(names, std::vector<std::string>{"hetmp::perf::symbols_test::whole_page"});
  static int local_static = 5;
  asm volatile("" : "+m"(local_static));
  const auto local = names_in(address_of(&local_static), address_of(&local_static) + 1);
  ASSERT_EQ(local.size(), 1u);
  EXPECT_NE(local[0].find("local_static"), std::string::npos) << local[0];
}

TEST(Symbols, WhatBelongsToNoFileHasNoName) {
  const auto heap = std::make_unique<int[]>(100);
  EXPECT_TRUE(variables_in(address_of(heap.get()), address_of(heap.get()) + 400).empty());
  EXPECT_TRUE(variables_in(0, 4096).empty());
  EXPECT_EQ(code_at(address_of(heap.get())).object, "");
}

TEST(Symbols, NamesCode) {
  EXPECT_EQ(some_function(1), 4);
  const CodePlace place = code_at(reinterpret_cast<uint64_t>(&some_function) + 1);
  EXPECT_EQ(place.function, "hetmp::perf::symbols_test::some_function(int)");
  EXPECT_EQ(place.object, program_invocation_short_name);
  EXPECT_GT(place.offset, 0u);
}

TEST(Symbols, NamesCodeOfSharedObjects) {
  const CodePlace place = code_at(reinterpret_cast<uint64_t>(&::gnu_get_libc_version));
  EXPECT_EQ(place.object.substr(0, 4), "libc") << place.object;
}

} // namespace
} // namespace hetmp::perf::symbols_test
