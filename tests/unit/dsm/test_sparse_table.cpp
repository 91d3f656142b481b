// Tables of which only the used parts take memory: to their users they are arrays.
#include "dsm/ahead/tables/sparse_table.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <random>

namespace hetmp::dsm {
namespace {

constexpr size_t entries = 1024;

struct Counted {
  uint64_t number = 7;
  uint32_t count = 0;
};
using Table = SparseTable<Counted, entries>;

TEST(SparseTable, HasNothingBeforeItIsWrittenTo) {
  Table table;
  for (size_t i = 0; i < entries; ++i)
    EXPECT_EQ(table.find(i), nullptr);
}

TEST(SparseTable, APartBeginsAsItsEntriesDo) {
  Table table;
  table[3 * Table::part_size + 5].number = 9;
  for (size_t i = 0; i < entries; ++i) {
    const Counted* const entry = table.find(i);
    ASSERT_EQ(entry != nullptr, i / Table::part_size == 3) << i;
    if (entry) {
      EXPECT_EQ(entry->number, i == 3 * Table::part_size + 5 ? 9u : 7u);
    }
  }
}

TEST(SparseTable, ShowsWhatIsThere) {
  Table table;
  table[5].count = 2;
  table[entries - 1].count = 3;
  uint32_t sum = 0, looks = 0;
  table.for_each([&](Counted& entry) {
    sum += entry.count;
    ++looks;
    entry.count *= 10;
  });
  EXPECT_EQ(sum, 5u);
  EXPECT_EQ(looks, 2 * Table::part_size);
  EXPECT_EQ(table.find(5)->count, 20u);
}

TEST(SparseTable, IsAnArrayToWhoWritesAndReads) {
  std::mt19937 random(11);
  Table table;
  std::array<uint32_t, entries> model{};
  for (int i = 0; i < 20'000; ++i) {
    const size_t place = random() % (i < 10'000 ? entries / 3 : entries);
    if (random() % 2) {
      ++table[place].count;
      ++model[place];
    }
    const Counted* const entry = table.find(place);
    ASSERT_EQ(entry ? entry->count : 0, model[place]);
  }
}

} // namespace
} // namespace hetmp::dsm
