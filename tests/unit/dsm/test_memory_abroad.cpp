// Allocations of threads that are executed on this node: the thread of this test is host and guest.
#include "dsm/migration/memory_abroad.hpp"

#include "dsm/migration/contexts/context.hpp"
#include "dsm/migration/this_process.hpp"
#include "slice_fixture.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace hetmp::dsm {
namespace {

MemoryAbroad memory;
Host* host = nullptr;
bool worked = false; ///< the host had been told that it works when another node's block was given back
void* given_back = nullptr;
std::vector<const char*> called; ///< at home, in this order

void come_home() { called.push_back("home"); }
void* malloc_at_home(size_t) {
  called.push_back("malloc");
  return nullptr;
}
void* new_at_home(size_t bytes) {
  called.push_back("new");
  return reinterpret_cast<void*>(bytes);
}
void delete_at_home(void*, size_t) { called.push_back("delete"); }

template <class Signature> Signature* stand_in(const char* name, Signature* function) {
  return reinterpret_cast<Signature*>(memory.stand_in(name, reinterpret_cast<uintptr_t>(function)));
}

class StandIns : public SliceFixture {
 protected:
  void SetUp() override {
    SliceFixture::SetUp();
    if (IsSkipped())
      return;
    static Heap node_heap;
    static const bool once = [] {
      this_process.memory = &memory;
      memory.set_way_home(come_home);
      EXPECT_EQ(memory.add_host(), nullptr) << "no heap yet";
      memory.serve(node_heap, node, [](void* block) {
        given_back = block;
        worked = host->works;
      });
      host = memory.add_host();
      return true;
    }();
    ASSERT_TRUE(once && host);
    delete host->blocks; // of the test before
    node_heap.become(node, nullptr);
    host->blocks = new BlockCache(node_heap, node);
    host->own = thread_pointer();
    host->guest = thread_pointer();
    called.clear();
  }
};

TEST_F(StandIns, GiveAGuestBlocksOfThisNode) {
  auto* const allocate = stand_in("malloc", malloc_at_home);
  auto* const make = stand_in("_Znwm", new_at_home);
  for (const size_t bytes : {size_t(0), size_t(1), size_t(100), size_t(100'000)})
    for (auto* const function : {allocate, make}) {
      void* const block = function(bytes);
      ASSERT_TRUE(block);
      EXPECT_EQ(Heap::owner(block), node);
      EXPECT_GE(Heap::usable_bytes(block), bytes);
      memset(block, 1, bytes);
    }
  EXPECT_TRUE(called.empty());
  EXPECT_FALSE(host->works);
}

TEST_F(StandIns, TakeThemBack) {
  auto* const make = stand_in("_Znwm", new_at_home);
  auto* const destroy = stand_in("_ZdlPvm", delete_at_home);
  void* const first = make(40);
  destroy(first, 40);
  EXPECT_EQ(make(40), first) << "the heap has it again";
  EXPECT_TRUE(called.empty());
}

TEST_F(StandIns, SendOthersBlocksToTheirNodes) {
  auto* const destroy = stand_in("_ZdlPvm", delete_at_home);
  auto* const block = reinterpret_cast<void*>(AddressPlan::small_part(1).begin + 64);
  destroy(block, 16);
  EXPECT_EQ(given_back, block);
  EXPECT_TRUE(worked) << "nobody may send the guest home meanwhile";
  EXPECT_FALSE(host->works);
  EXPECT_TRUE(called.empty());
}

TEST_F(StandIns, LeaveTheRestToTheFunctionAtHome) {
  auto* const allocate = stand_in("malloc", malloc_at_home);
  auto* const make = stand_in("_Znwm", new_at_home);
  auto* const destroy = stand_in("_ZdlPvm", delete_at_home);
  EXPECT_EQ(allocate(size_t(1) << 60), nullptr);
  int on_the_stack = 0;
  destroy(&on_the_stack, 4);
  destroy(nullptr, 4);
  EXPECT_EQ(called, (std::vector{"home", "malloc", "home", "delete"}));
  called.clear();
  host->guest = 0; // the caller is at home
  EXPECT_EQ(make(77), reinterpret_cast<void*>(77));
  EXPECT_EQ(called, (std::vector{"home", "new"}));
}

void* realloc_at_home(void*, size_t bytes) {
  called.push_back("realloc");
  return reinterpret_cast<void*>(bytes);
}
void* aligned_alloc_at_home(size_t, size_t) {
  called.push_back("aligned_alloc");
  return nullptr;
}
int posix_memalign_at_home(void**, size_t, size_t) {
  called.push_back("posix_memalign");
  return 22;
}

TEST_F(StandIns, ResizeBlocks) {
  auto* const resize = stand_in("realloc", realloc_at_home);
  auto* block = static_cast<unsigned char*>(resize(nullptr, 100));
  ASSERT_TRUE(block);
  EXPECT_EQ(Heap::owner(block), node);
  for (unsigned i = 0; i < 100; ++i)
    block[i] = (unsigned char)i;
  for (const size_t bytes : {size_t(101), size_t(5000), size_t(300'000), size_t(100)}) {
    block = static_cast<unsigned char*>(resize(block, bytes));
    ASSERT_TRUE(block);
    EXPECT_GE(Heap::usable_bytes(block), bytes);
    for (unsigned i = 0; i < 100; ++i)
      ASSERT_EQ(block[i], i) << bytes;
  }
  EXPECT_TRUE(called.empty());
  EXPECT_EQ(resize(block, 0), nullptr) << "the function frees it";
  EXPECT_EQ(resize(block, size_t(1) << 60), reinterpret_cast<void*>(size_t(1) << 60));
  int on_the_stack = 0;
  EXPECT_EQ(resize(&on_the_stack, 8), reinterpret_cast<void*>(8));
  EXPECT_EQ(called, (std::vector{"home", "realloc", "home", "realloc", "home", "realloc"}));
}

TEST_F(StandIns, ResizeOthersBlocksByNewOnes) {
  map(1);
  auto* const resize = stand_in("realloc", realloc_at_home);
  auto* const others = reinterpret_cast<unsigned char*>(AddressPlan::small_part(1).begin + 64); // of 16 bytes
  ASSERT_EQ(Heap::usable_bytes(others), 16u);
  EXPECT_EQ(resize(others, 16), others) << "it stays where it is";
  others[15] = 5;
  auto* const moved = static_cast<unsigned char*>(resize(others, 400));
  ASSERT_NE(moved, others);
  EXPECT_EQ(Heap::owner(moved), node);
  EXPECT_EQ(moved[15], 5);
  EXPECT_EQ(given_back, others);
  EXPECT_TRUE(called.empty());
}

TEST_F(StandIns, AlignBlocks) {
  auto* const align = stand_in("aligned_alloc", aligned_alloc_at_home);
  auto* const align_by = stand_in("posix_memalign", posix_memalign_at_home);
  for (const size_t alignment : {size_t(8), size_t(16), size_t(64), size_t(4096), size_t(1) << 20}) {
    EXPECT_EQ(reinterpret_cast<uintptr_t>(align(alignment, 40)) % alignment, 0u);
    void* block = nullptr;
    EXPECT_EQ(align_by(&block, alignment, 40), 0);
    EXPECT_TRUE(block);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % alignment, 0u);
  }
  EXPECT_TRUE(called.empty());
  for (const size_t alignment : {size_t(0), size_t(4), size_t(24), size_t(1) << 40}) {
    void* block = nullptr;
    EXPECT_EQ(align_by(&block, alignment, 40), 22) << alignment;
  }
  EXPECT_EQ(called.size(), 8u);
}

TEST_F(StandIns, AreKnownByNameAndPlace) {
  for (const char* name : {"malloc",
                           "calloc",
                           "free",
                           "_Znwm",
                           "_Znam",
                           "_ZnwmRKSt9nothrow_t",
                           "_ZnamRKSt9nothrow_t",
                           "_ZdlPv",
                           "_ZdaPv",
                           "_ZdlPvm",
                           "_ZdaPvm",
                           "realloc",
                           "memalign",
                           "aligned_alloc",
                           "posix_memalign",
                           "_ZnwmSt11align_val_t",
                           "_ZnamSt11align_val_t",
                           "_ZdlPvSt11align_val_t",
                           "_ZdaPvSt11align_val_t",
                           "_ZdlPvmSt11align_val_t",
                           "_ZdaPvmSt11align_val_t"}) {
    const uintptr_t function = memory.stand_in(name, 1);
    EXPECT_TRUE(MemoryAbroad::is_stand_in(function)) << name;
  }
  for (const char* name : {"", "reallocarray", "mmap", "valloc"})
    EXPECT_EQ(memory.stand_in(name, 1), 0u) << name;
  EXPECT_FALSE(MemoryAbroad::is_stand_in(0));
  EXPECT_FALSE(MemoryAbroad::is_stand_in(reinterpret_cast<uintptr_t>(&malloc_at_home)));
  EXPECT_TRUE(MemoryAbroad::is_of_cxx("_ZdaPv"));
  EXPECT_FALSE(MemoryAbroad::is_of_cxx("calloc"));
}

} // namespace
} // namespace hetmp::dsm
