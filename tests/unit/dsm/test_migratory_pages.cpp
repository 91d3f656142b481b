// Pages that are read and then written, time after time: when they are known, and what makes them forgotten.
#include "dsm/ahead/migratory_pages.hpp"

#include <algorithm>
#include <gtest/gtest.h>

namespace hetmp::dsm {
namespace {

constexpr PageNumber border = 5000;

/// A copy comes to be read, is written, and another node takes the page.
void write_a_copy(MigratoryPages& pages, PageNumber which = border) {
  pages.read(which);
  pages.upgraded(which);
  pages.shared(which, 1);
  pages.lost(which, 1);
}

void read_a_copy(MigratoryPages& pages) {
  pages.read(border);
  pages.lost(border, 1);
}

/// How many copies have to be written until the page is known.
uint32_t copies_until_known(MigratoryPages& pages) {
  uint32_t copies = 0;
  while (!pages.is_migratory(border) && copies < 1000)
    ++copies, write_a_copy(pages);
  return copies;
}

TEST(MigratoryPages, APageIsKnownOnceEnoughOfItsCopiesWereWritten) {
  MigratoryPages pages;
  EXPECT_EQ(copies_until_known(pages), MigratoryPages::first_enough);
  EXPECT_FALSE(pages.is_migratory(border + 1));
}

TEST(MigratoryPages, ACopyThatIsTakenUnwrittenCountsAgainstThoseBefore) {
  MigratoryPages pages;
  for (int i = 0; i < 100; ++i) {
    for (uint32_t copy = 1; copy < MigratoryPages::first_enough; ++copy)
      write_a_copy(pages);
    read_a_copy(pages);
    EXPECT_FALSE(pages.is_migratory(border));
  }
}

TEST(MigratoryPages, OnlyTheFirstWriteOfACopyCounts) {
  MigratoryPages pages;
  pages.read(border);
  for (int i = 0; i < 10; ++i) {
    pages.upgraded(border);
    pages.shared(border, 1); // others read it and it stays here
  }
  EXPECT_FALSE(pages.is_migratory(border));
}

TEST(MigratoryPages, ACopyThatCouldBeWrittenTellsNothingWhenItIsTaken) {
  MigratoryPages pages;
  copies_until_known(pages);
  pages.read(border);
  pages.shared(border, 1); // somebody else asked for the right to write it
  pages.lost(border, 1);
  EXPECT_TRUE(pages.is_migratory(border));
}

TEST(MigratoryPages, EachMistakeMakesItTwiceAsHardToLearn) {
  MigratoryPages pages;
  uint32_t enough = MigratoryPages::first_enough;
  for (int i = 0; i < 12; ++i) {
    EXPECT_EQ(copies_until_known(pages), enough);
    pages.regretted(border);
    EXPECT_FALSE(pages.is_migratory(border));
    enough = std::min<uint32_t>(2 * enough, MigratoryPages::most_enough);
  }
}

TEST(MigratoryPages, WhatIsWrittenAgainAndAgainIsTrusted) {
  MigratoryPages pages;
  for (int i = 0; i < 3; ++i) {
    copies_until_known(pages);
    pages.regretted(border);
  }
  copies_until_known(pages);
  for (int i = 0; i < 10; ++i)
    pages.used(border);
  pages.regretted(border);
  EXPECT_EQ(copies_until_known(pages), 2 * MigratoryPages::first_enough);
}

TEST(MigratoryPages, OfTwoWithOnePlaceTheLatestIsKnown) {
  MigratoryPages pages;
  copies_until_known(pages);
  const PageNumber other = border + (PageNumber(1) << 40); // a multiple of any power of two that fits into memory
  for (uint32_t copy = 0; copy < MigratoryPages::first_enough; ++copy)
    write_a_copy(pages, other);
  EXPECT_TRUE(pages.is_migratory(other));
  EXPECT_FALSE(pages.is_migratory(border));
  pages.used(border);
  pages.regretted(border);
  EXPECT_TRUE(pages.is_migratory(other)) << "what is said of the other one changes nothing";
}

} // namespace
} // namespace hetmp::dsm
