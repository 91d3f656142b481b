// Memory that nobody reaches while guests are there.
#include "base/page.hpp"
#include "dsm/migration/closed_memory.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

namespace hetmp::dsm {
namespace {

struct ClosedMemoryOfOnePage : testing::Test {
  void SetUp() override {
    page = mmap(nullptr, page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(page, MAP_FAILED);
    begin = uintptr_t(page);
    closed.consist_of({{begin, begin + page_bytes}});
  }
  void TearDown() override { munmap(page, page_bytes); }

  /// As the kernel finds it.
  bool is_open() const {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    const bool read = write(ends[1], page, 1) == 1, written = read && ::read(ends[0], page, 1) == 1;
    close(ends[0]);
    close(ends[1]);
    return written;
  }

  ClosedMemory closed;
  void* page = nullptr;
  uintptr_t begin = 0;
};

TEST_F(ClosedMemoryOfOnePage, IsClosedFromTheFirstGuestToTheLast) {
  EXPECT_TRUE(is_open());
  closed.guest_comes();
  EXPECT_FALSE(is_open());
  closed.guest_comes();
  closed.guest_has_gone();
  EXPECT_FALSE(is_open()) << "one is there yet";
  closed.guest_has_gone();
  EXPECT_TRUE(is_open());
}

TEST_F(ClosedMemoryOfOnePage, KnowsItsAddresses) {
  EXPECT_TRUE(closed.contains(begin));
  EXPECT_TRUE(closed.contains(begin + page_bytes - 1));
  EXPECT_FALSE(closed.contains(begin - 1));
  EXPECT_FALSE(closed.contains(begin + page_bytes));
}

TEST_F(ClosedMemoryOfOnePage, WhoeverWaitsFindsItOpen) {
  closed.wait_until_open();
  for (int round = 0; round < 200; ++round) {
    closed.guest_comes();
    std::atomic<bool> goes{false};
    std::thread waiting([&] {
      closed.wait_until_open();
      EXPECT_TRUE(goes);
      EXPECT_TRUE(is_open());
    });
    goes = true;
    closed.guest_has_gone();
    waiting.join();
  }
}

} // namespace
} // namespace hetmp::dsm
