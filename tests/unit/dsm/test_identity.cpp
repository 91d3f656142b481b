// What has to be alike in two processes: all of it is found here, and a difference is named.
#include "dsm/objects/identity.hpp"
#include "dsm/objects/private_objects.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <dlfcn.h>
#include <unistd.h>

namespace hetmp::dsm {
namespace {

using Facts = std::vector<std::string>;

size_t count_beginning_with(const Facts& facts, const std::string& beginning) {
  return size_t(
      std::count_if(facts.begin(), facts.end(), [&](const std::string& fact) { return fact.starts_with(beginning); }));
}

TEST(Identity, HasThePageSizeTheProgramAndItsLibraries) {
  const Facts facts = own_identity();
  ASSERT_GE(facts.size(), 4u);
  EXPECT_EQ(facts[0], "page size " + std::to_string(sysconf(_SC_PAGESIZE)));
  EXPECT_EQ(facts[1].find("program ("), 0u);
  EXPECT_EQ(count_beginning_with(facts, "program ("), 1u);
  EXPECT_EQ(count_beginning_with(facts, "libc.so.6 ("), 1u);
  EXPECT_EQ(count_beginning_with(facts, "ld-linux"), 1u);
}

TEST(Identity, LeavesOutWhatTheKernelBrings) {
  for (const std::string& fact : own_identity()) {
    EXPECT_EQ(fact.find("vdso"), std::string::npos) << fact;
    EXPECT_EQ(fact.find("linux-gate"), std::string::npos) << fact;
  }
}

/// The first fact is the page size, the last one where objects go that are loaded later; files are between them.
TEST(Identity, EachFileHasContentAndPlaceOnOneLine) {
  const Facts facts = own_identity();
  EXPECT_EQ(facts.back().find("room for later objects"), 0u);
  for (size_t i = 1; i + 1 < facts.size(); ++i) {
    EXPECT_TRUE(facts[i].find(" (build id ") != std::string::npos || facts[i].find(" (sizes ") != std::string::npos)
        << facts[i];
    EXPECT_NE(facts[i].find(" at 0"), std::string::npos) << facts[i];
    EXPECT_EQ(facts[i].find('\n'), std::string::npos);
    EXPECT_EQ(facts[i].find('/'), std::string::npos) << "where a file lies on its host says nothing: " << facts[i];
  }
}

TEST(Identity, IsTheSameEachTime) { EXPECT_EQ(own_identity(), own_identity()); }

/// Like the libraries of RDMA devices, of which each machine has its own. A part of the C library's package stands for
/// them.
TEST(Identity, WhatIsLoadedForHetmpItselfIsPrivateAndNobodyElsesBusiness) {
  const char* const library = "libutil.so.1";
  ASSERT_EQ(dlopen(library, RTLD_NOW | RTLD_NOLOAD), nullptr);
  const Facts before = own_identity();
  load_for_ourselves([&] { ASSERT_NE(dlopen(library, RTLD_NOW), nullptr); });
  EXPECT_EQ(own_identity(), before);
  const std::vector<uintptr_t> private_objects = find_private_objects();
  EXPECT_TRUE(std::any_of(private_objects.begin(), private_objects.end(), was_loaded_for_ourselves));
  load_for_ourselves([&] { ASSERT_NE(dlopen("libanl.so.1", RTLD_NOW), nullptr); });
  EXPECT_EQ(own_identity(), before) << "more than once";
}

TEST(Identity, NoDifferenceIsNoText) {
  EXPECT_EQ(first_difference({}, {}, "b"), "");
  EXPECT_EQ(first_difference({"page size 4096", "x (1)"}, {"page size 4096", "x (1)"}, "b"), "");
  EXPECT_EQ(first_difference(own_identity(), own_identity(), "b"), "");
}

TEST(Identity, TheFirstDifferenceIsNamedWithBothSides) {
  EXPECT_EQ(first_difference({"page size 4096", "program (build id 01)", "libm (1)"},
                             {"page size 4096", "program (build id 02)", "libm (2)"}, "node 1 (host b)"),
            "node 1 (host b) has program (build id 02), the origin program (build id 01)");
  EXPECT_EQ(first_difference({"page size 4096"}, {"page size 65536"}, "b"),
            "b has page size 65536, the origin page size 4096");
}

TEST(Identity, WhatOnlyOneHasIsADifference) {
  EXPECT_EQ(first_difference({"a", "libm (1)"}, {"a"}, "b"), "b has nothing in its place, the origin libm (1)");
  EXPECT_EQ(first_difference({"a"}, {"a", "libz (3)"}, "b"), "b has libz (3), the origin nothing in its place");
  EXPECT_EQ(first_difference({"a"}, {}, "b"), "b has nothing in its place, the origin a");
}

} // namespace
} // namespace hetmp::dsm
