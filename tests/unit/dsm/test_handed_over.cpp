// What passes between the service thread and others: nothing half-written is read, nothing counted is lost.
#include "dsm/space/handed_over.hpp"

#include <gtest/gtest.h>
#include <thread>
#include <vector>

using namespace hetmp::dsm;

TEST(HandedOver, AHintHoldsTheLatestValue) {
  Hint<int> hint(3);
  EXPECT_EQ(hint.get(), 3);
  hint.set(4);
  EXPECT_EQ(hint.get(), 4);
  EXPECT_FALSE(hint.change(3, 5));
  EXPECT_EQ(hint.get(), 4);
  EXPECT_TRUE(hint.change(4, 5));
  EXPECT_EQ(hint.get(), 5);
}

TEST(HandedOver, OneOfManyChangesAHint) {
  for (int round = 0; round < 200; ++round) {
    Hint<uint64_t> hint;
    std::atomic<int> changed{0};
    std::vector<std::thread> threads;
    for (uint64_t i = 1; i <= 3; ++i)
      threads.emplace_back([&, i] { changed += hint.change(0, i); });
    for (std::thread& thread : threads)
      thread.join();
    EXPECT_EQ(changed, 1);
    EXPECT_NE(hint.get(), 0u);
  }
}

TEST(HandedOver, ATallyOnlyGrowsToWhoeverReads) {
  Tally tally;
  std::thread reader([&] {
    for (uint64_t seen = 0; seen < 20'000;) {
      const uint64_t now = tally.get();
      ASSERT_GE(now, seen);
      seen = now;
    }
  });
  for (int i = 0; i < 10'000; ++i)
    tally.add(2);
  reader.join();
  EXPECT_EQ(tally.get(), 20'000u);
}

TEST(HandedOver, WhatIsPublishedIsWhole) {
  for (int round = 0; round < 100; ++round) {
    Published<std::vector<int>> answer;
    EXPECT_EQ(answer.read(), nullptr);
    std::thread reader([&] {
      const std::vector<int>* seen;
      while (!(seen = answer.read()))
        std::this_thread::yield();
      ASSERT_EQ(seen->size(), 1000u);
      EXPECT_EQ(seen->back(), 999);
    });
    for (int i = 0; i < 1000; ++i)
      answer.draft().push_back(i);
    EXPECT_FALSE(answer.is_published());
    answer.publish();
    EXPECT_TRUE(answer.is_published());
    reader.join();
  }
}
