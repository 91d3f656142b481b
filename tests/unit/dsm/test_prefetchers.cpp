// What is fetched ahead, and what is not: streams, visits and pushes over pages that only remember what they were
// asked.
#include "dsm/ahead/witnesses.hpp"
#include "tests/unit/dsm/prefetching_fixture.hpp"

#include <gtest/gtest.h>
#include <set>
#include <utility>
#include <vector>

using namespace hetmp::dsm;

TEST_F(Prefetching, AStreamFetchesWhatComesNext) {
  for (PageNumber page = others; page < others + 3; ++page)
    fault(page);
  ASSERT_EQ(pages.asked.size(), FaultStreams::first_series);
  EXPECT_EQ(pages.asked[0], std::pair(others + 3, false));
}

TEST_F(Prefetching, ABlockThatIsReadHereAndThereComesWhole) {
  const PageNumber block = (others / DenseBlocks::block_pages + 1) * DenseBlocks::block_pages;
  for (const PageNumber page : {7, 52, 23})
    fault(block + page);
  EXPECT_TRUE(pages.asked.empty());
  fault(block + 40);
  std::set<PageNumber> fetched;
  for (const auto& [page, write] : pages.asked) {
    EXPECT_FALSE(write);
    EXPECT_EQ(page / DenseBlocks::block_pages, block / DenseBlocks::block_pages);
    fetched.insert(page);
  }
  EXPECT_EQ(fetched.size(), DenseBlocks::block_pages - 4)
      << "all that is not here, and the page that is waited for too, but one that is left out";
}

TEST_F(Prefetching, ABlockWhoseCopiesAreWrittenHereAndThereIsAskedForButNotWhatIsElsewhere) {
  constexpr PageNumber size = WrittenBlocks::block_pages;
  const PageNumber block = (others / size + 1) * size;
  for (PageNumber page = block; page < block + size - 10; ++page)
    pages.here.insert(page); // copies; the last ten are elsewhere
  pages.writable.insert(block + 1);
  for (uint32_t i = 0; i < WrittenBlocks::first_enough; ++i) {
    ASSERT_TRUE(pages.asked.empty());
    const PageNumber page = block + i * 17 % (size - 10); // in no order
    pages.writable.insert(page);
    prefetcher.streams.fetch(prefetcher.streams.faulted(page, Access::Upgrade, 1, true, pages), page, pages,
                             prefetcher.visits);
  }
  EXPECT_EQ(pages.asked.size(), size - 10 - pages.writable.size());
  for (const auto& [page, write] : pages.asked) {
    EXPECT_TRUE(write);
    EXPECT_TRUE(pages.here.count(page) && !pages.writable.count(page));
  }
  ASSERT_EQ(pages.watched.size(), 1u);
  prefetcher.streams.regretted(pages.watched[0]);
  pages.asked.clear(), pages.under_way.clear();
  for (PageNumber page = block; page < block + size - 12; page += 2) // fewer than all, and no stream
    prefetcher.streams.fetch(prefetcher.streams.faulted(page ^ 5, Access::Upgrade, 1, true, pages), page, pages,
                             prefetcher.visits);
  EXPECT_TRUE(pages.asked.empty());
}

namespace {

constexpr auto all_missing = [](PageNumber) { return true; };
constexpr auto all_here = [](PageNumber) { return false; };

} // namespace

TEST(DenseBlocks, FewerPagesAreEnoughBesideOthers) {
  DenseBlocks blocks;
  const auto needed = [&](PageNumber block) {
    uint32_t faults = 1;
    while (blocks.read(block * DenseBlocks::block_pages + faults * 13 % DenseBlocks::block_pages, all_missing).count ==
           0)
      ++faults;
    return faults;
  };
  PageNumber block = 10 * DenseBlocks::neighbourhood;
  for (const uint32_t expected : {4u, 4u, 2u, 2u, 1u, 1u})
    EXPECT_EQ(needed(block++), expected);
  EXPECT_EQ(needed(11 * DenseBlocks::neighbourhood), DenseBlocks::first_enough) << "not of this neighbourhood";
  blocks.lost((block - 1) * DenseBlocks::block_pages, 1);
  EXPECT_EQ(needed(block), DenseBlocks::first_enough) << "one of these was lost";
}

TEST(DenseBlocks, ABlockWhoseCopiesWereLostIsDoubted) {
  DenseBlocks blocks;
  constexpr PageNumber first = 100 * DenseBlocks::block_pages;
  uint32_t enough = DenseBlocks::first_enough;
  for (int turn = 0; turn < 8; ++turn) {
    for (uint32_t fault = 1; fault < enough; ++fault)
      ASSERT_EQ(blocks.read(first + fault, all_missing).count, 0u) << turn;
    const PageSeries series = blocks.read(first, all_missing);
    ASSERT_EQ(series.count, DenseBlocks::block_pages - 1) << turn;
    EXPECT_EQ(series.first, first);
    blocks.lost(first + 5, 1);
    enough = std::min(2 * enough, uint32_t(DenseBlocks::block_pages));
  }
}

TEST(DenseBlocks, ABlockThatWasReadAsAWholeComesAsSoonAgain) {
  DenseBlocks blocks;
  constexpr PageNumber first = 100 * DenseBlocks::block_pages, last = first + DenseBlocks::block_pages - 1;
  const auto fetched = [&](uint32_t enough) {
    for (uint32_t fault = 1; fault < enough; ++fault)
      EXPECT_EQ(blocks.read(first + 7 * fault, all_missing).count, 0u);
    return blocks.read(first, all_missing);
  };
  for (int times = 0; times < 3; ++times) {
    const PageSeries series = fetched(times ? DenseBlocks::read_enough : DenseBlocks::first_enough);
    EXPECT_EQ(series.page(0), first);
    EXPECT_EQ(series.page(series.count - 1), last - 1) << "the last one is left out";
    EXPECT_EQ(blocks.read(last, all_missing).count, 0u);
    blocks.lost(first, DenseBlocks::block_pages);
    for (uint32_t time = 0; time < DenseBlocks::trusted + DenseBlocks::trusted_beside; ++time) {
      EXPECT_EQ(fetched(DenseBlocks::read_enough).count, DenseBlocks::block_pages);
      blocks.lost(first, 1);
    }
  }
}

TEST(DenseBlocks, SomeBlocksBesideOneThatWasReadComeWhole) {
  DenseBlocks blocks;
  const PageNumber number = 10 * DenseBlocks::neighbourhood;
  const auto fetch = [&](PageNumber block) {
    PageSeries series;
    for (uint32_t fault = 1; series.count == 0; ++fault)
      series = blocks.read(block * DenseBlocks::block_pages + fault, all_missing);
    return series.count;
  };
  EXPECT_EQ(fetch(number), DenseBlocks::block_pages - 1);
  EXPECT_EQ(blocks.read((number + 1) * DenseBlocks::block_pages - 1, all_missing).count, 0u);
  for (uint32_t i = 1; i <= DenseBlocks::trusted_beside; ++i)
    EXPECT_EQ(fetch(number + i), DenseBlocks::block_pages);
  EXPECT_EQ(fetch(number + DenseBlocks::trusted_beside + 1), DenseBlocks::block_pages - 1);
  EXPECT_EQ(fetch(number + DenseBlocks::neighbourhood), DenseBlocks::block_pages - 1) << "not beside it";
}

TEST(DenseBlocks, ThePageLeftOutIsOneThatIsNotHere) {
  constexpr PageNumber first = 100 * DenseBlocks::block_pages;
  for (const bool here : {false, true}) {
    DenseBlocks blocks;
    const auto is_missing = [here](PageNumber page) { return page == first && !here; };
    PageSeries series;
    for (uint32_t fault = 1; fault <= DenseBlocks::first_enough; ++fault)
      series = blocks.read(first + 3 * fault, is_missing);
    EXPECT_EQ(series.first, first + !here);
    EXPECT_EQ(series.count, DenseBlocks::block_pages - !here);
  }
  DenseBlocks blocks;
  for (int turn = 0; turn < 3; ++turn) { // where none could be left out, it is doubted as if nobody had read it
    for (uint32_t fault = 1; fault < DenseBlocks::first_enough << turn; ++fault)
      ASSERT_EQ(blocks.read(first + fault, all_here).count, 0u);
    EXPECT_EQ(blocks.read(first, all_here).count, DenseBlocks::block_pages);
    blocks.lost(first, 1);
  }
}

TEST(DenseBlocks, WhereMostAreLostFewAreFetched) {
  DenseBlocks blocks;
  constexpr uint32_t count = 1000;
  uint32_t fetched = 0;
  for (PageNumber block = 1; block <= count; ++block)
    for (uint32_t fault = 0; fault < DenseBlocks::first_enough; ++fault)
      if (blocks.read(block * DenseBlocks::block_pages * DenseBlocks::neighbourhood + fault, all_missing).count != 0) {
        ++fetched;
        blocks.lost(block * DenseBlocks::block_pages * DenseBlocks::neighbourhood, 1);
      }
  EXPECT_GT(fetched, count / DenseBlocks::now_and_then / 2);
  EXPECT_LT(fetched, 2 * DenseBlocks::doubted + count / DenseBlocks::now_and_then + 2);
}

TEST_F(Prefetching, OneOfWhatIsFetchedForWritingIsAWitness) {
  const auto write = [&](PageNumber page) {
    const PageSeries series = prefetcher.streams.faulted(page, Access::Write, 1, true, pages);
    prefetcher.streams.fetch(series, page, pages, prefetcher.visits);
  };
  PageNumber page = others;
  for (; pages.asked.empty(); ++page)
    write(page);
  ASSERT_EQ(pages.watched.size(), 1u);
  const PageNumber witness = pages.watched[0];
  const size_t asked = pages.asked.size();
  prefetcher.streams.fetch(prefetcher.streams.used(witness, pages), witness, pages, prefetcher.visits);
  EXPECT_GT(pages.asked.size(), asked) << "the next series";
  EXPECT_EQ(pages.watched.size(), 2u);
}

TEST_F(Prefetching, WhereItWasRegrettedNothingIsFetchedForWriting) {
  prefetcher.streams.regretted(others + FaultStreams::first_written_length + 1);
  for (PageNumber page = others; page <= others + FaultStreams::first_written_length; ++page)
    prefetcher.streams.fetch(prefetcher.streams.faulted(page, Access::Upgrade, 1, true, pages), page, pages,
                             prefetcher.visits);
  for (const auto& [page, write] : pages.asked)
    EXPECT_TRUE(!write || page / WriteDoubts::block_pages !=
                              (others + FaultStreams::first_written_length + 1) / WriteDoubts::block_pages);
}

TEST(WriteDoubts, LastLongerEachTimeUntilAWrite) {
  WriteDoubts doubts;
  const auto refused = [&] {
    uint32_t count = 0;
    while (!doubts.allow(100))
      ++count;
    return count;
  };
  EXPECT_EQ(refused(), 0u);
  doubts.regretted(100);
  EXPECT_TRUE(doubts.allow(100 + WriteDoubts::block_pages));
  EXPECT_EQ(refused(), WriteDoubts::first_rest);
  doubts.regretted(100);
  EXPECT_EQ(refused(), 2 * WriteDoubts::first_rest);
  doubts.regretted(100);
  doubts.used(101);
  EXPECT_EQ(refused(), 0u);
}

TEST(Witnesses, AreKeptUntilTheyAreHeard) {
  Witnesses witnesses;
  EXPECT_FALSE(witnesses.remove(7));
  witnesses.add(7);
  EXPECT_TRUE(witnesses.has(7));
  EXPECT_FALSE(witnesses.has(8));
  EXPECT_TRUE(witnesses.remove(7));
  EXPECT_FALSE(witnesses.has(7));
}

TEST_F(Prefetching, NeverFromAStack) {
  for (PageNumber page = stack; page < stack + 3; ++page)
    fault(page);
  EXPECT_TRUE(pages.asked.empty());
}

TEST_F(Prefetching, NothingWhenMemoryMayBeUnreadable) {
  pages.readable = false;
  for (PageNumber page = others; page < others + 3; ++page)
    fault(page);
  EXPECT_TRUE(pages.asked.empty());
  prefetcher.pusher.push(AddressPlan::large_part(0).begin, 1, pages);
  EXPECT_TRUE(pages.pushed.empty());
}

TEST_F(Prefetching, NothingWhenItIsNotWanted) {
  prefetcher.enable({false, false, true});
  for (PageNumber page = others; page < others + 3; ++page)
    fault(page);
  prefetcher.visits.begin(0x1000);
  EXPECT_FALSE(prefetcher.visits.ask_for_remembered(pages));
  EXPECT_TRUE(pages.asked.empty());
}

TEST_F(Prefetching, AVisitAsksForWhatTheLastOneFetched) {
  prefetcher.enable({false, true, true});
  constexpr uint64_t loop = 0x1000;
  EXPECT_FALSE(prefetcher.visits.begin(loop)); // nothing is known of it
  for (PageNumber i = 0; i < 40; ++i)
    fault(others + 100 * i);
  prefetcher.visits.end();
  EXPECT_FALSE(prefetcher.visits.ask_for_remembered(pages));
  for (const PageNumber page : std::set(pages.here)) {
    pages.here.erase(page);
    prefetcher.visits.lost(page, 1, pages);
  }
  EXPECT_TRUE(prefetcher.visits.begin(loop));
  EXPECT_FALSE(prefetcher.visits.begin(loop)) << "another thread has begun it";
  EXPECT_TRUE(prefetcher.visits.ask_for_remembered(pages));
  EXPECT_EQ(pages.asked.size(), 16u) << "so many at a time";
  EXPECT_FALSE(prefetcher.visits.ask_for_remembered(pages)) << "none of them has come";
  for (int round = 0; round < 3; ++round) {
    pages.come();
    prefetcher.visits.ask_for_remembered(pages);
  }
  EXPECT_GE(pages.asked.size(), 30u);
  EXPECT_LE(pages.asked.size(), 40u) << "some are left out to see whether they are still wanted";
}

TEST_F(Prefetching, PagesThatAreAskedForAgainAndAgainArePushed) {
  const uintptr_t address = AddressPlan::stack_part(origin).begin + 100 * page_bytes;
  const void* const offered[] = {reinterpret_cast<const void*>(address), reinterpret_cast<const void*>(address + 8)};
  constexpr uint64_t purpose = 0x4000;
  EXPECT_FALSE(prefetcher.pusher.offer(purpose, hetmp::NodeSet::of(1), offered, 2));
  for (uint32_t i = 0; i < PushMemory::first_needed; ++i)
    prefetcher.pusher.asked(plan.page_of(address), 1);
  prefetcher.pusher.asked(plan.page_of(address) + 1, 1); // not offered
  EXPECT_TRUE(prefetcher.pusher.offer(purpose, hetmp::NodeSet::of(1), offered, 2));
  prefetcher.pusher.push_offer(pages);
  ASSERT_EQ(pages.pushed.size(), 1u) << "both addresses are of one page";
  EXPECT_EQ(pages.pushed[0], std::pair(plan.page_of(address), 1u));
  prefetcher.pusher.offer_again(purpose + 1, pages);
  EXPECT_EQ(pages.pushed.size(), 1u) << "nobody has asked for it for that purpose";
}

TEST_F(Prefetching, WhatMainWritesAfterARegionIsTakenBackAtItsEnd) {
  const uintptr_t address = AddressPlan::stack_part(origin).begin + 100 * page_bytes;
  const PageNumber page = plan.page_of(address);
  const void* const offered[] = {reinterpret_cast<const void*>(address)};
  Pusher& pusher = prefetcher.pusher;
  pages.here = {page, page + 1};
  pusher.offer(0x4000, hetmp::NodeSet::of(1), offered, 1);
  for (uint32_t i = 0; i < WrittenAfter::enough; ++i) {
    pusher.wrote(page);
    pusher.wrote(page + 1); // not offered
  }
  pages.writable = {page};
  pusher.offer_is_over(false, pages);
  EXPECT_TRUE(pages.asked.empty()) << "nobody else has it";
  pages.writable.clear();
  pages.readable = false;
  pusher.offer_is_over(false, pages);
  EXPECT_TRUE(pages.asked.empty());
  pages.readable = true;
  pusher.offer_is_over(false, pages);
  EXPECT_EQ(pages.asked, (std::vector{std::pair(page, true)})) << "the others are not at the end";
  pusher.asked(page, 1); // and one of them reads the page again
  pusher.offer_is_over(true, pages);
  EXPECT_EQ(pages.asked.size(), 1u) << "it is under way";
  pages.under_way.clear();
  pusher.offer_is_over(false, pages);
  EXPECT_EQ(pages.asked.size(), 1u) << "not early any more";
  pusher.offer_is_over(true, pages);
  EXPECT_EQ(pages.asked.size(), 2u);
}

TEST_F(Prefetching, MigratoryPagesAreAskedForToBeWritten) {
  StreamPrefetcher& streams = prefetcher.streams;
  for (uint32_t copy = 0; copy < MigratoryPages::first_enough; ++copy) {
    EXPECT_FALSE(streams.comes_for_writing(others));
    streams.faulted(others, Access::Upgrade, 1, true, pages);
    streams.shared(others, 1);
    streams.lost(others, 1);
  }
  EXPECT_TRUE(streams.comes_for_writing(others));
  streams.used(others, pages);
  EXPECT_TRUE(streams.comes_for_writing(others));
  streams.regretted(others);
  EXPECT_FALSE(streams.comes_for_writing(others));
}

TEST_F(Prefetching, NoPageIsMigratoryWhereNothingIsFetchedAhead) {
  prefetcher.enable({false, true, true});
  for (uint32_t copy = 0; copy < 2 * MigratoryPages::first_enough; ++copy) {
    EXPECT_FALSE(prefetcher.streams.comes_for_writing(others));
    prefetcher.streams.faulted(others, Access::Upgrade, 1, true, pages);
  }
}

TEST_F(Prefetching, LentPagesComeBackTogetherWhenTheyAreWanted) {
  LentPages& lent = prefetcher.lent;
  lent.lost(others, 5);
  lent.lend(true);
  lent.lost(others + 50, 30);
  lent.lost(others + 10, 30);
  lent.lost(others + 12, 2); // it had come back meanwhile
  lent.lost(stack, 1);
  pages.here.insert(others + 11); // it has come by itself
  EXPECT_FALSE(lent.ask_for_wanted(pages)) << "nobody wants them";
  lent.want_back();
  lent.lend(false);
  EXPECT_TRUE(lent.ask_for_wanted(pages));
  EXPECT_EQ(pages.asked.size(), 32u) << "so many at a time";
  EXPECT_FALSE(lent.ask_for_wanted(pages)) << "none of them has come";
  pages.come();
  EXPECT_TRUE(lent.ask_for_wanted(pages));
  pages.come();
  EXPECT_FALSE(lent.ask_for_wanted(pages));
  std::vector<std::pair<PageNumber, bool>> wanted;
  for (PageNumber page = others + 10; page < others + 80; ++page)
    if (page != others + 11 && (page < others + 40 || page >= others + 50))
      wanted.emplace_back(page, true);
  EXPECT_EQ(pages.asked, wanted) << "in their order, each once, and only what was lent";
  lent.want_back();
  EXPECT_FALSE(lent.ask_for_wanted(pages)) << "they are forgotten";
}

TEST_F(Prefetching, LentPagesComeByThemselvesWhereNothingIsFetchedAhead) {
  LentPages& lent = prefetcher.lent;
  prefetcher.enable({false, false, true});
  lent.lend(true);
  lent.lost(others, 5);
  lent.lend(false);
  lent.want_back();
  EXPECT_FALSE(lent.ask_for_wanted(pages));
  EXPECT_TRUE(pages.asked.empty());
}

TEST_F(Prefetching, LentPagesAreLeftToWhoHasGoneThereAgain) {
  LentPages& lent = prefetcher.lent;
  lent.lend(true);
  lent.lost(others, 100);
  lent.want_back();
  EXPECT_FALSE(lent.ask_for_wanted(pages));
  lent.lend(false);
  EXPECT_FALSE(lent.ask_for_wanted(pages));
  EXPECT_TRUE(pages.asked.empty());
}

TEST_F(Prefetching, LentPagesAreBoundedAndNoneComesThatMayBeUnreadable) {
  LentPages& lent = prefetcher.lent;
  lent.lend(true);
  for (uint32_t i = 0; i < 3; ++i)
    lent.lost(others, LentPages::most);
  lent.lend(false);
  lent.want_back();
  pages.readable = false;
  EXPECT_FALSE(lent.ask_for_wanted(pages));
  EXPECT_TRUE(pages.asked.empty());
}
