// Futex words: a waiter sleeps only while the word holds the expected value, and is woken within and across
// processes.
#include "base/futex.hpp"

#include <gtest/gtest.h>

#include <new>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>

namespace {

using namespace hetmp;

TEST(Futex, WaitReturnsAtOnceWhenTheWordDiffers) {
  FutexWord word{1};
  futex_wait(word, 0); // A sleep here would never end: the test's timeout is the failure.
  EXPECT_EQ(word.load(), 1u);
}

TEST(Futex, WaitEndsAtItsTimeout) {
  FutexWord word{0};
  const timespec soon{0, 1000000};
  futex_wait(word, 0, FutexScope::Process, &soon);
  EXPECT_EQ(word.load(), 0u);
}

TEST(Futex, PingPongBetweenThreads) {
  constexpr uint32_t rounds = 2000;
  FutexWord turn{0};
  const auto play = [&turn](uint32_t mine) {
    for (uint32_t i = mine; i < rounds; i += 2) {
      for (uint32_t seen; (seen = turn.load(std::memory_order_acquire)) != i;) // pairs with the other side's release
        futex_wait(turn, seen);
      turn.store(i + 1, std::memory_order_release);
      futex_wake(turn, 1);
    }
  };
  std::thread other(play, 1);
  play(0);
  other.join();
  EXPECT_EQ(turn.load(), rounds);
}

TEST(Futex, WakesAcrossProcesses) {
  void* page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(page, MAP_FAILED);
  auto& word = *new (page) FutexWord{0};
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    while (word.load(std::memory_order_acquire) == 0) // pairs with the parent's store
      futex_wait(word, 0, FutexScope::Machine);
    word.store(2, std::memory_order_release);
    futex_wake(word, 1, FutexScope::Machine);
    _exit(0);
  }
  word.store(1, std::memory_order_release);
  futex_wake(word, 1, FutexScope::Machine);
  for (uint32_t seen; (seen = word.load(std::memory_order_acquire)) != 2;)
    futex_wait(word, seen, FutexScope::Machine);
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  munmap(page, 4096);
}

} // namespace
