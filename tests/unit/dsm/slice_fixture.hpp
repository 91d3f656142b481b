// A node's slice of the address plan, mapped for a test as it is in a node process.
#pragma once

#include "dsm/space/address_plan.hpp"

#include <gtest/gtest.h>

#include <sys/mman.h>

namespace hetmp::dsm {

class SliceFixture : public testing::Test {
 protected:
  /// Not the origin: the address sanitizer keeps its own memory at the beginning of the origin's slice.
  static constexpr uint32_t node = 3;

  void SetUp() override {
#ifdef __SANITIZE_THREAD__
    GTEST_SKIP() << "the thread sanitizer does not know the addresses of the shared memory";
#endif
    map(node);
  }
  void TearDown() override {
    for (uint32_t mapped : mapped_)
      munmap(reinterpret_cast<void*>(AddressPlan::slice(mapped).begin), slice_bytes);
  }

  void map(uint32_t which) {
    void* wanted = reinterpret_cast<void*>(AddressPlan::slice(which).begin);
    void* memory = mmap(wanted, slice_bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    ASSERT_EQ(memory, wanted) << "the address range of node " << which << " is not free in this process";
    mapped_.push_back(which);
  }

 private:
  std::vector<uint32_t> mapped_;
};

} // namespace hetmp::dsm
