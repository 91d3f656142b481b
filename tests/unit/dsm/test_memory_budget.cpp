// The limit on what the nodes of a machine allocate together: its value, its counting, and the heap that keeps it.
#include "dsm/space/heap.hpp"
#include "dsm/space/memory_budget.hpp"
#include "slice_fixture.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace hetmp::dsm {
namespace {

constexpr size_t MiB = size_t(1) << 20;

TEST(MemoryBudget, AmountsOfMemory) {
  EXPECT_EQ(MemoryBudget::parse("4096"), 4096);
  EXPECT_EQ(MemoryBudget::parse(" 3k "), 3 << 10);
  EXPECT_EQ(MemoryBudget::parse("600M"), 600 << 20);
  EXPECT_EQ(MemoryBudget::parse("8G"), int64_t(8) << 30);
  EXPECT_EQ(MemoryBudget::parse("2t"), int64_t(2) << 40);
  EXPECT_EQ(MemoryBudget::parse("None"), 0);
  for (const char* wrong : {"", "0", "-1", "G", "8GB", "1.5G", "eight", "9999999999G"})
    EXPECT_LT(MemoryBudget::parse(wrong), 0) << wrong;
}

class LimitedTo {
 public:
  explicit LimitedTo(const char* value, uint32_t sharers = 1) {
    setenv("HETMP_MEMORY", value, 1);
    budget.set_up(sharers);
    unsetenv("HETMP_MEMORY");
  }
  MemoryBudget budget;
};

TEST(MemoryBudget, CountsWhatIsTakenAndGivenBack) {
  LimitedTo limited("10M");
  EXPECT_TRUE(limited.budget.take(6 * MiB));
  EXPECT_FALSE(limited.budget.take(5 * MiB));
  EXPECT_TRUE(limited.budget.take(4 * MiB));
  EXPECT_FALSE(limited.budget.take(1));
  limited.budget.give_back(5 * MiB);
  EXPECT_TRUE(limited.budget.take(5 * MiB));
}

/// What is refused to one thread takes nothing from another meanwhile.
TEST(MemoryBudget, WhatThereIsIsGivenWhileMoreIsRefused) {
  LimitedTo limited("10M");
  std::atomic<bool> over{false};
  std::thread greedy([&] {
    while (!over)
      EXPECT_FALSE(limited.budget.take(11 * MiB));
  });
  int refused = 0;
  for (int i = 0; i < 2'000'000; ++i) {
    const bool taken = limited.budget.take(MiB);
    refused += !taken;
    if (taken)
      limited.budget.give_back(MiB);
  }
  over = true;
  greedy.join();
  EXPECT_EQ(refused, 0);
}

TEST(MemoryBudget, IsDividedAmongThoseThatCountForThemselves) {
  LimitedTo limited("12M", 3);
  EXPECT_FALSE(limited.budget.take(5 * MiB));
  EXPECT_TRUE(limited.budget.take(4 * MiB));
}

TEST(MemoryBudget, NoneIsNoLimit) {
  LimitedTo limited("none");
  EXPECT_TRUE(limited.budget.take(~size_t(0) >> 2));
  MemoryBudget unset;
  EXPECT_TRUE(unset.take(~size_t(0) >> 2));
}

TEST(MemoryBudget, WithoutAWordItIsWhatTheMachineHas) {
  unsetenv("HETMP_MEMORY");
  MemoryBudget budget;
  budget.set_up(1);
  EXPECT_TRUE(budget.take(MiB));
  EXPECT_FALSE(budget.take(size_t(1) << 50));
}

/// A control group of its own with a memory limit, version 1 or 2, where the machine allows one; gone with its last
/// process.
class LimitedGroup {
 public:
  explicit LimitedGroup(const std::string& limit) {
    const bool first_version = std::filesystem::exists("/sys/fs/cgroup/memory/memory.limit_in_bytes");
    const std::string mount = first_version ? "/sys/fs/cgroup/memory" : "/sys/fs/cgroup";
    folder_ = mount + "/hetmp-test-" + std::to_string(getpid());
    std::error_code error;
    std::filesystem::create_directory(folder_, error);
    made_ = !error && write(first_version ? "memory.limit_in_bytes" : "memory.max", limit);
  }
  ~LimitedGroup() { rmdir(folder_.c_str()); }
  bool made() const { return made_; }
  bool enter() const { return write("cgroup.procs", std::to_string(getpid())); }

 private:
  bool write(const char* file, const std::string& text) const {
    std::ofstream out(folder_ + '/' + file);
    return bool(out << text << std::flush);
  }
  std::string folder_;
  bool made_ = false;
};

TEST(MemoryBudget, AControlGroupCounts) {
  unsetenv("HETMP_MEMORY");
  const LimitedGroup group("268435456");
  if (!group.made())
    GTEST_SKIP() << "no control groups for memory can be made here";
  enum Outcome { Kept = 0, TooMuchAllowed, TooMuchRefused, NotEntered };
  const pid_t child = fork();
  if (child == 0) {
    if (!group.enter())
      _exit(NotEntered);
    MemoryBudget budget;
    budget.set_up(1);
    _exit(budget.take(257 * MiB) ? TooMuchAllowed : budget.take(100 * MiB) ? Kept : TooMuchRefused);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), Kept);
}

TEST(MemoryBudget, CopiesBeyondItEndTheProgram) {
  LimitedTo limited("4M");
  ASSERT_TRUE(limited.budget.take(2 * MiB));
  limited.budget.pages_moved(1, -512);
  limited.budget.pages_moved(1, 1000);
  EXPECT_EXIT(limited.budget.pages_moved(1, 300), testing::ExitedWithCode(70), "node 1 has no memory left");
}

class LimitedHeap : public SliceFixture {};

TEST_F(LimitedHeap, RefusesAndRecovers) {
  LimitedTo limited("8M");
  Heap heap;
  heap.become(node, nullptr);
  heap.set_budget(&limited.budget);
  EXPECT_EQ(heap.allocate(9 * MiB), nullptr);
  EXPECT_EQ(heap.map(9 * MiB), nullptr);
  void* reserved = heap.map(900 * MiB, Heap::Purpose::Reserve);
  EXPECT_NE(reserved, nullptr);
  for (int round = 0; round < 100; ++round) {
    std::vector<void*> blocks;
    while (void* block = heap.allocate(MiB))
      blocks.push_back(block);
    EXPECT_EQ(blocks.size(), 7u); // each has a page before it
    for (void* block : blocks)
      heap.free(block);
    char* mapping = static_cast<char*>(heap.map(8 * MiB));
    ASSERT_NE(mapping, nullptr);
    EXPECT_EQ(heap.map(page_bytes), nullptr);
    heap.unmap(mapping + MiB, MiB); // in parts, one of them by another node
    EXPECT_TRUE(heap.try_unmap({uintptr_t(mapping + 2 * MiB), uintptr_t(mapping + 8 * MiB)}));
    heap.unmap(mapping, MiB);
    if (round == 50)
      heap.unmap(static_cast<char*>(reserved) + 10 * MiB, 100 * MiB); // gives back what was never counted
  }
  size_t small = 0;
  while (heap.allocate(1000))
    small += 1024;
  EXPECT_GT(small, 7 * MiB);
  EXPECT_LE(small, 8 * MiB);
}

} // namespace
} // namespace hetmp::dsm
