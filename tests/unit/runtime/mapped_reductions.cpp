// Tables of reduction variables, laid out as gcc lays them out.
#include "runtime/sync/mapped_reductions.hpp"

#include <cstring>
#include <gtest/gtest.h>
#include <vector>

namespace hetmp::runtime {
namespace {

/// Of variables of 8 bytes each, at offsets 0, 8, ..
std::vector<uintptr_t> table_of(std::vector<long*> variables, size_t alignment = 64) {
  std::vector<uintptr_t> words = {variables.size(), 128, alignment, uintptr_t(-1), 0, 0, 0};
  for (size_t i = 0; i < variables.size(); i++)
    words.insert(words.end(), {reinterpret_cast<uintptr_t>(variables[i]), 8 * i, 0});
  return words;
}

void attach(std::vector<uintptr_t>& table, uint32_t threads, uintptr_t* outer = nullptr) {
  attach_chunks(table.data(), allocate_chunks(table.data(), threads), threads, outer);
}

long* copy_of(std::vector<uintptr_t>& table, uint32_t thread, long* variable) {
  void* pointers[1] = {variable};
  return find_copies(table.data(), thread, 1, 0, pointers) == 1 ? static_cast<long*>(pointers[0]) : nullptr;
}

TEST(MappedReductions, EachThreadHasItsOwnZeros) {
  long a = 1, b = 2;
  auto table = table_of({&a, &b});
  attach(table, 3);
  EXPECT_EQ(table[2] % 64, 0u);
  EXPECT_EQ(table[6] - table[2], 3 * 128u);
  for (uint32_t thread = 0; thread < 3; thread++) {
    EXPECT_EQ(reinterpret_cast<uintptr_t>(copy_of(table, thread, &a)), table[2] + thread * 128);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(copy_of(table, thread, &b)), table[2] + thread * 128 + 8);
    EXPECT_EQ(*copy_of(table, thread, &a), 0);
  }
  free_chunks(table.data());
}

TEST(MappedReductions, CopiesOfCopiesAreThoseOfTheVariable) {
  long a = 0, b = 0, other = 0;
  auto table = table_of({&a, &b});
  attach(table, 4);
  void* pointers[6] = {copy_of(table, 2, &b), &a, copy_of(table, 0, &a)};
  ASSERT_EQ(find_copies(table.data(), 3, 3, 3, pointers), 3u);
  EXPECT_EQ(pointers[0], copy_of(table, 3, &b));
  EXPECT_EQ(pointers[1], copy_of(table, 3, &a));
  EXPECT_EQ(pointers[2], copy_of(table, 3, &a));
  EXPECT_EQ(pointers[3], &b);
  EXPECT_EQ(pointers[4], &a);
  EXPECT_EQ(pointers[5], &a);
  void* unknown[2] = {&a, &other};
  EXPECT_EQ(find_copies(table.data(), 0, 2, 0, unknown), 1u);
  free_chunks(table.data());
}

TEST(MappedReductions, TheInnermostTableCounts) {
  long a = 0, b = 0;
  auto outer = table_of({&a, &b}), inner = table_of({&a}), beside = table_of({&b}, 256);
  attach(outer, 2);
  inner[4] = reinterpret_cast<uintptr_t>(beside.data()); // two tables of one construct
  attach(inner, 2, outer.data());
  EXPECT_EQ(beside[4], reinterpret_cast<uintptr_t>(outer.data()));
  EXPECT_EQ(beside[2] % 256, 0u);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(copy_of(inner, 1, &a)), inner[2] + 128);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(copy_of(inner, 1, &b)), beside[2] + 128);
  // A copy of the outer construct's is no variable of the inner one.
  EXPECT_EQ(copy_of(inner, 0, copy_of(outer, 1, &a)), copy_of(outer, 0, &a));
  free_chunks(inner.data());
  free_chunks(outer.data());
}

} // namespace
} // namespace hetmp::runtime
