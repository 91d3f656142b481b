// The value of OMP_ALLOCATOR.
#include "runtime/settings/allocator_setting.hpp"

#include <gtest/gtest.h>
#include <tuple>
#include <utility>

using namespace hetmp::runtime;

namespace {

AllocatorSetting parsed(std::string_view text) {
  const ParsedAllocator result = parse_allocator(text);
  EXPECT_EQ(result.error, "") << text;
  return result.setting;
}

std::string error(std::string_view text) {
  const ParsedAllocator result = parse_allocator(text);
  EXPECT_EQ(result.setting, AllocatorSetting{}) << text << ": the default is used instead";
  return result.error;
}

TEST(AllocatorSetting, PredefinedAllocators) {
  const char* const names[] = {"omp_default_mem_alloc", "omp_large_cap_mem_alloc", "omp_const_mem_alloc",
                               "omp_high_bw_mem_alloc", "omp_low_lat_mem_alloc",   "omp_cgroup_mem_alloc",
                               "omp_pteam_mem_alloc",   "omp_thread_mem_alloc"};
  for (uintptr_t i = 0; i < std::size(names); ++i) {
    EXPECT_EQ(parsed(names[i]).handle, i + 1) << names[i];
    EXPECT_EQ(parsed(names[i]).text, names[i]);
  }
  EXPECT_EQ(parsed(" OMP_Thread_mem_alloc ").handle, 8u);
}

TEST(AllocatorSetting, PredefinedSpaces) {
  const char* const names[] = {"omp_default_mem_space", "omp_large_cap_mem_space", "omp_const_mem_space",
                               "omp_high_bw_mem_space", "omp_low_lat_mem_space"};
  for (uintptr_t i = 0; i < std::size(names); ++i) {
    EXPECT_EQ(parsed(names[i]).handle, 0u) << names[i];
    EXPECT_EQ(parsed(names[i]).space, i) << names[i];
    EXPECT_TRUE(parsed(names[i]).traits.empty()) << names[i];
  }
}

TEST(AllocatorSetting, SpacesWithTraits) {
  EXPECT_EQ(parsed("omp_large_cap_mem_space:alignment=16,pinned=true").traits,
            (std::vector<AllocatorTrait>{{trait_alignment, 16}, {trait_pinned, 1}}));
  EXPECT_EQ(parsed("omp_high_bw_mem_space : pool_size = 1048576 , fallback=allocator_fb, fb_data=omp_low_lat_mem_alloc")
                .traits,
            (std::vector<AllocatorTrait>{
                {trait_pool_size, 1048576}, {trait_fallback, fallback_allocator}, {trait_fallback_data, 5}}));
}

TEST(AllocatorSetting, EveryValueOfEveryTrait) {
  const std::tuple<const char*, TraitKey, uintptr_t> all[] = {{"sync_hint=contended", trait_sync_hint, 3},
                                                              {"sync_hint=uncontended", trait_sync_hint, 4},
                                                              {"sync_hint=serialized", trait_sync_hint, 5},
                                                              {"sync_hint=private", trait_sync_hint, 6},
                                                              {"alignment=1", trait_alignment, 1},
                                                              {"alignment=4096", trait_alignment, 4096},
                                                              {"access=all", trait_access, 7},
                                                              {"access=thread", trait_access, 8},
                                                              {"access=pteam", trait_access, 9},
                                                              {"access=cgroup", trait_access, 10},
                                                              {"pool_size=1", trait_pool_size, 1},
                                                              {"fallback=default_mem_fb", trait_fallback, 11},
                                                              {"fallback=null_fb", trait_fallback, 12},
                                                              {"fallback=abort_fb", trait_fallback, 13},
                                                              {"fallback=allocator_fb", trait_fallback, 14},
                                                              {"fb_data=omp_const_mem_alloc", trait_fallback_data, 3},
                                                              {"pinned=TRUE", trait_pinned, 1},
                                                              {"pinned=false", trait_pinned, 0},
                                                              {"partition=environment", trait_partition, 15},
                                                              {"partition=nearest", trait_partition, 16},
                                                              {"partition=blocked", trait_partition, 17},
                                                              {"partition=interleaved", trait_partition, 18}};
  for (const auto& [text, key, value] : all)
    EXPECT_EQ(parsed("omp_default_mem_space:" + std::string(text)).traits, (std::vector<AllocatorTrait>{{key, value}}))
        << text;
}

TEST(AllocatorSetting, SaysWhatIsWrong) {
  for (const char* text :
       {"", "111", "omp_default_mem_alloc_xyz", "omp_default_mem_alloc:alignment=16", ":alignment=16", "default"})
    EXPECT_EQ(error(text), "neither an allocator nor a memory space") << text;
  const std::pair<const char*, const char*> traits[] = {
      {"", "there is no allocator trait \"\""},
      {"align=16", "there is no allocator trait \"align\""},
      {"alignment=16,", "there is no allocator trait \"\""},
      {"alignment", "trait alignment wants a power of two"},
      {"alignment=", "trait alignment wants a power of two"},
      {"alignment=24", "trait alignment wants a power of two"},
      {"alignment=0", "trait alignment wants a power of two"},
      {"alignment=8,alignment=8", "trait alignment is named twice"},
      {"pool_size=-1", "trait pool_size wants a number of bytes"},
      {"pool_size=1k", "trait pool_size wants a number of bytes"},
      {"fallback=none", "trait fallback wants default_mem_fb, null_fb, abort_fb or allocator_fb"},
      {"fb_data=5", "trait fb_data wants a predefined allocator"},
      {"pinned=1", "trait pinned wants true or false"},
      {"access=team", "trait access wants all, cgroup, pteam or thread"},
      {"sync_hint=hard", "trait sync_hint wants contended, uncontended, serialized or private"},
      {"partition=far", "trait partition wants environment, nearest, blocked or interleaved"}};
  for (const auto& [text, wrong] : traits)
    EXPECT_EQ(error("omp_default_mem_space:" + std::string(text)), wrong) << text;
}

} // namespace
