// A real userfaultfd of this process: faults arrive as messages, and each page operation does what it says.
#include "dsm/engine/user_faults.hpp"
#include "dsm/space/address_plan.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <optional>
#include <poll.h>
#include <sys/mman.h>
#include <thread>
#include <vector>

namespace hetmp::dsm {
namespace {

using Waiters = UserFaults::Waiters;

class UserFaultsTest : public testing::Test {
 protected:
  static constexpr size_t pages = 64;

  void SetUp() override {
#ifdef __SANITIZE_THREAD__
    GTEST_SKIP() << "the thread sanitizer cannot see the order that faults impose";
#endif
    if (faults.open() == UserFaults::Access::Refused)
      GTEST_SKIP() << "userfaultfd is refused on this machine";
    memory = static_cast<uint8_t*>(
        mmap(nullptr, pages * page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    ASSERT_NE(memory, MAP_FAILED);
    madvise(memory, pages * page_bytes, MADV_NOHUGEPAGE);
  }
  void TearDown() override {
    if (memory)
      munmap(memory, pages * page_bytes);
  }

  volatile uint8_t& byte(size_t page) { return memory[page * page_bytes + 7]; }
  uintptr_t address(size_t page) { return reinterpret_cast<uintptr_t>(memory) + page * page_bytes; }
  void watch() { faults.watch(address(0), pages * page_bytes); }

  /// The next fault; a thread of the test must be about to cause one.
  PageFault next_fault() {
    PageFault fault;
    while (faults.read(&fault, 1) == 0) {
      pollfd descriptor{faults.descriptor(), POLLIN, 0};
      poll(&descriptor, 1, -1);
    }
    return fault;
  }
  bool no_fault() {
    PageFault fault;
    return faults.read(&fault, 1) == 0;
  }
  static std::vector<uint8_t> page_of(uint8_t value) { return std::vector<uint8_t>(page_bytes, value); }

  UserFaults faults;
  uint8_t* memory = nullptr;
};

TEST_F(UserFaultsTest, ProbingAgreesWithOpening) {
  UserFaults other;
  EXPECT_EQ(probe_user_faults(), other.open());
  EXPECT_GE(other.descriptor(), 0);
}

TEST_F(UserFaultsTest, KindsOfFaults) {
  watch();
  std::thread reader([&] { EXPECT_EQ(byte(0), 11); });
  PageFault fault = next_fault();
  EXPECT_EQ(fault.address, address(0));
  EXPECT_EQ(fault.kind, PageFault::Kind::ReadMissing);
  EXPECT_TRUE(faults.install(address(0), page_of(11).data(), false, Waiters::Wake));
  reader.join();

  std::thread upgrader([&] { byte(0) = 12; });
  fault = next_fault();
  EXPECT_EQ(fault.address, address(0));
  EXPECT_EQ(fault.kind, PageFault::Kind::WriteProtected);
  faults.unprotect(address(0), Waiters::Wake);
  upgrader.join();
  EXPECT_EQ(byte(0), 12);

  std::thread writer([&] { byte(3) = 5; });
  fault = next_fault();
  EXPECT_EQ(fault.address, address(3));
  EXPECT_EQ(fault.kind, PageFault::Kind::WriteMissing);
  EXPECT_TRUE(faults.install_zeros(address(3), true, Waiters::Wake));
  writer.join();
  EXPECT_EQ(byte(3), 5);
  EXPECT_EQ(memory[3 * page_bytes], 0);
  EXPECT_TRUE(no_fault());
}

TEST_F(UserFaultsTest, PresentPagesStayAsTheyAreWhenWatched) {
  byte(1) = 42;
  watch();
  EXPECT_EQ(byte(1), 42);
  byte(1) = 43;
  EXPECT_TRUE(no_fault());
  EXPECT_FALSE(faults.install(address(1), page_of(0).data(), true, Waiters::Wake)) << "it is there already";
  EXPECT_FALSE(faults.install_zeros(address(1), true, Waiters::Wake));
  EXPECT_EQ(byte(1), 43);
}

TEST_F(UserFaultsTest, NeighboursAreInstalledTogetherUpToTheFirstThatIsThere) {
  watch();
  std::vector<uint8_t> content(8 * page_bytes);
  for (size_t page = 0; page < 8; ++page)
    memset(&content[page * page_bytes], int(page + 1), page_bytes);
  EXPECT_TRUE(faults.install(address(10), content.data(), true, Waiters::Wake, 8));
  for (size_t page = 0; page < 8; ++page)
    EXPECT_EQ(byte(10 + page), page + 1);
  ASSERT_TRUE(faults.install_zeros(address(23), true, Waiters::Wake));
  EXPECT_FALSE(faults.install(address(20), content.data(), true, Waiters::Wake, 8));
  for (size_t page = 0; page < 3; ++page)
    EXPECT_EQ(byte(20 + page), page + 1);
  EXPECT_EQ(byte(23), 0) << "what was there stays";
  EXPECT_TRUE(faults.install_zeros(address(30), true, Waiters::Wake, 8));
  EXPECT_EQ(byte(37), 0);
  EXPECT_TRUE(no_fault());
}

TEST_F(UserFaultsTest, ZerosAreMappedUpToTheFirstPageThatIsThereAndBecomeOwnMemoryWithoutAFault) {
  byte(45) = 9;
  watch();
  EXPECT_EQ(faults.map_zeros(address(40), 8), 5u);
  EXPECT_EQ(faults.map_zeros(address(45), 3), 0u);
  EXPECT_EQ(faults.map_zeros(address(46), 2), 2u);
  for (size_t page = 40; page < 48; ++page) {
    EXPECT_EQ(byte(page), page == 45 ? 9 : 0);
    byte(page) = uint8_t(page);
  }
  EXPECT_EQ(byte(40), 40) << "pages share nothing once they are written";
  EXPECT_EQ(byte(47), 47);
  faults.protect(address(46), 2);
  EXPECT_EQ(byte(46), 46);
  EXPECT_TRUE(no_fault());
}

TEST_F(UserFaultsTest, ProtectedPagesOfZerosFaultWhenTheyAreWritten) {
  watch();
  ASSERT_EQ(faults.map_zeros(address(50), 2), 2u);
  faults.protect(address(50), 2);
  EXPECT_EQ(byte(50), 0);
  std::thread writer([&] { byte(50) = 5; });
  const PageFault fault = next_fault();
  EXPECT_EQ(fault.address, address(50));
  EXPECT_EQ(fault.kind, PageFault::Kind::WriteProtected);
  faults.unprotect(address(50), Waiters::Wake);
  writer.join();
  EXPECT_EQ(byte(50), 5);
  EXPECT_EQ(byte(51), 0);
}

TEST_F(UserFaultsTest, NeighboursMayBelongToSeveralMappings) {
  watch();
  // Another protection makes a mapping of its own.
  ASSERT_EQ(mprotect(reinterpret_cast<void*>(address(12)), page_bytes, PROT_READ), 0);
  std::vector<uint8_t> content(6 * page_bytes, 0x5a);
  EXPECT_TRUE(faults.install(address(10), content.data(), false, Waiters::Wake, 6));
  for (size_t page = 10; page < 16; ++page)
    EXPECT_EQ(byte(page), 0x5a);
  faults.protect(address(10), 6);
  faults.drop(address(10), 6);
  EXPECT_TRUE(faults.install_zeros(address(10), false, Waiters::Wake, 6));
  EXPECT_EQ(byte(15), 0);
}

TEST_F(UserFaultsTest, ProtectedPagesCanBeReadAndFaultOnWrite) {
  watch();
  ASSERT_TRUE(faults.install(address(2), page_of(9).data(), true, Waiters::Wake));
  byte(2) = 10;
  faults.protect(address(2));
  EXPECT_EQ(byte(2), 10);
  EXPECT_TRUE(no_fault());
  std::atomic<bool> written{false};
  std::thread writer([&] {
    byte(2) = 11;
    written = true;
  });
  EXPECT_EQ(next_fault().kind, PageFault::Kind::WriteProtected);
  EXPECT_EQ(byte(2), 10);
  EXPECT_FALSE(written);
  faults.unprotect(address(2), Waiters::Keep);
  faults.wake(address(2));
  writer.join();
  EXPECT_EQ(byte(2), 11);
}

TEST_F(UserFaultsTest, DroppedPagesFaultAgain) {
  watch();
  ASSERT_TRUE(faults.install(address(4), page_of(1).data(), true, Waiters::Wake));
  EXPECT_EQ(byte(4), 1);
  faults.drop(address(4));
  std::thread reader([&] { EXPECT_EQ(byte(4), 2); });
  const PageFault fault = next_fault();
  EXPECT_EQ(fault.address, address(4));
  EXPECT_EQ(fault.kind, PageFault::Kind::ReadMissing);
  EXPECT_TRUE(faults.install(address(4), page_of(2).data(), true, Waiters::Wake));
  reader.join();
}

TEST_F(UserFaultsTest, AllWhoWaitForAPageGoOn) {
  watch();
  std::vector<std::thread> team;
  for (int i = 0; i < 4; ++i)
    team.emplace_back([&] { EXPECT_EQ(byte(5), 77); });
  next_fault();
  EXPECT_TRUE(faults.install(address(5), page_of(77).data(), false, Waiters::Keep));
  faults.wake(address(5));
  for (std::thread& thread : team)
    thread.join();
}

/// The whole life of pages under a server that gives, protects and takes them, while two threads count in
/// them.
TEST_F(UserFaultsTest, CountingUnderAServerThatTakesPagesAway) {
  watch();
  constexpr int rounds = 300;
  std::atomic<int> working{2};
  std::vector<std::vector<uint8_t>> kept(pages, page_of(0));
  std::vector<bool> present(pages, false), writable(pages, false);
  std::vector<std::thread> team;
  for (size_t half = 0; half < 2; ++half)
    team.emplace_back([&, half] {
      for (int i = 0; i < rounds; ++i)
        for (size_t page = half; page < pages; page += 2)
          byte(page) = uint8_t(byte(page) + 1);
      working--;
    });
  size_t victim = 0;
  while (working > 0) {
    PageFault fault[16];
    const size_t count = faults.read(fault, 16);
    for (size_t i = 0; i < count; ++i) {
      const size_t page = (fault[i].address - address(0)) / page_bytes;
      if (!present[page]) {
        present[page] = true;
        writable[page] = fault[i].kind == PageFault::Kind::WriteMissing;
        EXPECT_TRUE(faults.install(address(page), kept[page].data(), writable[page], Waiters::Wake));
      } else if (fault[i].kind != PageFault::Kind::ReadMissing) {
        writable[page] = true;
        faults.unprotect(address(page), Waiters::Wake);
      } else {
        faults.wake(address(page));
      }
    }
    victim = (victim + 7) % pages;
    if (count > 0 || !present[victim])
      continue;
    faults.protect(address(victim)); // first nobody may write it, then its content can be kept
    memcpy(kept[victim].data(), memory + victim * page_bytes, page_bytes);
    faults.drop(address(victim));
    present[victim] = false;
  }
  for (std::thread& thread : team)
    thread.join();
  for (size_t page = 0; page < pages; ++page) {
    const uint8_t value = present[page] ? uint8_t(byte(page)) : kept[page][7];
    EXPECT_EQ(value, uint8_t(rounds)) << "page " << page;
  }
}

} // namespace
} // namespace hetmp::dsm
