// Code in memory that nodes have in common: only what the kernel lets this process execute, and only there.
#include "dsm/space/shared_code.hpp"

#include "dsm/space/file_area.hpp"

#include <gtest/gtest.h>

#include <sys/mman.h>

namespace hetmp::dsm {
namespace {

uintptr_t map_at(uintptr_t address, int protection) {
  void* mapped = mmap(reinterpret_cast<void*>(address), page_bytes, protection,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  return mapped == MAP_FAILED ? 0 : reinterpret_cast<uintptr_t>(mapped);
}

class SharedCodeTest : public testing::Test {
 protected:
  void SetUp() override { plan.set(2, {}); }

  AddressPlan plan;
  SharedCode code{plan};
};

TEST_F(SharedCodeTest, IsWhatMayBeExecuted) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer allows no mappings there";
#endif
  const uintptr_t executed = map_at(AddressPlan::large_part(1).begin, PROT_READ | PROT_EXEC),
                  written = map_at(AddressPlan::large_part(0).begin, PROT_READ | PROT_WRITE),
                  of_a_file = map_at(FileArea::begin, PROT_READ | PROT_EXEC);
  ASSERT_TRUE(executed && written && of_a_file);
  for (int twice = 0; twice < 2; ++twice) { // asked, and remembered
    EXPECT_TRUE(code.holds(executed));
    EXPECT_TRUE(code.holds(executed + 16));
    EXPECT_TRUE(code.holds(of_a_file));
    EXPECT_FALSE(code.holds(written));
    EXPECT_FALSE(code.holds(executed + page_bytes)) << "not mapped";
  }
  for (const uintptr_t address : {executed, written, of_a_file})
    munmap(reinterpret_cast<void*>(address), page_bytes);
}

TEST_F(SharedCodeTest, IsNotWhatEachProcessHasOfItsOwn) {
  const auto here = reinterpret_cast<uintptr_t>(&map_at);
  EXPECT_FALSE(code.may_hold(here));
  EXPECT_FALSE(code.holds(here));
  EXPECT_FALSE(code.holds(AddressPlan::slice(2).begin)) << "a node that there is not";
  EXPECT_TRUE(code.may_hold(AddressPlan::slice(1).begin));
}

} // namespace
} // namespace hetmp::dsm
