// Which loaded objects each node keeps for itself: the rule, and what it is asked of.
#include "dsm/objects/private_objects.hpp"

#include <algorithm>
#include <gtest/gtest.h>

using namespace hetmp;
using namespace hetmp::dsm;

namespace {

ObjectFacts object(const char* name, std::vector<std::string> needed = {}) {
  ObjectFacts facts;
  facts.name = name;
  facts.needed = std::move(needed);
  return facts;
}
ObjectFacts ours(const char* name, std::vector<std::string> needed) {
  ObjectFacts facts = object(name, std::move(needed));
  facts.is_ours = true;
  return facts;
}
ObjectFacts of_c_library(const char* name, std::vector<std::string> needed) {
  ObjectFacts facts = object(name, std::move(needed));
  facts.is_of_c_library = true;
  return facts;
}

std::vector<std::string> private_ones(const std::vector<ObjectFacts>& objects) {
  const std::vector<bool> is_private = which_are_private(objects);
  std::vector<std::string> names;
  for (size_t i = 0; i < objects.size(); ++i)
    if (is_private[i])
      names.push_back(objects[i].name);
  return names;
}

using Names = std::vector<std::string>;

TEST(PrivateObjects, WhatOursNeedIsPrivateAndNothingThatNeedsOurs) {
  EXPECT_EQ(
      private_ones({object("program", {"libapp.so", "libhetmp.so", "libcrypt_a.so"}),
                    object("libapp.so", {"libc.so.6"}), ours("libhetmp.so", {"libm.so.6", "libc.so.6"}),
                    object("libcrypt_a.so", {"libcrypt_b.so", "libc.so.6"}), object("libcrypt_b.so", {"libcrypt_a.so"}),
                    object("libc.so.6", {"ld.so"}), object("libm.so.6"), object("ld.so")}),
      (Names{"libhetmp.so", "libc.so.6", "libm.so.6", "ld.so"}));
  EXPECT_EQ(private_ones({object("program", {"liba.so"}), object("liba.so"), object("libb.so", {"libc.so"}),
                          object("libc.so", {"libb.so"}), ours("libhetmp_seal.so", {"libb.so"})}),
            (Names{"libb.so", "libc.so", "libhetmp_seal.so"}))
      << "directly or not, in a circle, whoever was loaded first";
}

TEST(PrivateObjects, OnlyWhatIsWrittenInALanguageCallsItsLibrary) {
  const std::vector<ObjectFacts> objects = {object("program", {"libstdc++.so.6", "libgfortran.so.5"}),
                                            object("libstdc++.so.6"),
                                            object("libgfortran.so.5"),
                                            object("libc++.so.1"),
                                            object("libnuma.so.1"),
                                            object("libgcc_s.so.1"),
                                            object("libapp.so"),
                                            ours("libhetmp_plugin.so", {"libc++.so.1"})};
  EXPECT_EQ(which_only_the_program_calls(objects),
            (std::vector<bool>{false, true, false, false, false, false, false, false}))
      << "a plugin of ours needs one of them, and others count for the process";
}

TEST(PrivateObjects, PartsOfTheCLibraryArePrivateAlsoWhenNobodyOfOursNeedsThem) {
  EXPECT_EQ(private_ones({object("program"), of_c_library("libresolv.so.2", {"libhelper.so"}), object("libhelper.so")}),
            (Names{"libresolv.so.2"}))
      << "what such a part needs serves no faults";
}

TEST(PrivateObjects, ThePreloadedAndTheProgramAreShared) {
  EXPECT_EQ(private_ones({object("program", {"libc.so.6"}), object("libfaketime.so.1", {"libc.so.6"}),
                          object("libjemalloc.so.2"), object("libhetmp_of_the_program.so")}),
            Names{});
  EXPECT_EQ(private_ones({of_c_library("program", {})}), Names{}) << "whatever it asks for";
}

TEST(PrivateObjects, RunTimeLibrariesByName) {
  EXPECT_EQ(
      private_ones({object("libgcc_s.so.1"), object("libstdc++.so.6"), object("libgcc_s.so.1"), object("libgomp.so.1"),
                    object("libstdc++fs_of_mine.so"), object("libpapi.so.7.0"), object("liblibstdc++.so")}),
      (Names{"libstdc++.so.6", "libgcc_s.so.1", "libgomp.so.1", "libpapi.so.7.0"}))
      << "the first is the program, whatever its name is";
}

TEST(PrivateObjects, NearestFirst) {
  const std::vector<ObjectFacts> objects{object("program", {"a", "b"}), object("a", {"c", "b"}), object("b", {"d"}),
                                         object("c"), object("d", {"a", "program"})};
  EXPECT_EQ(needed_by(0, objects), (std::vector<size_t>{1, 2, 3, 4}));
  EXPECT_EQ(needed_by(1, objects), (std::vector<size_t>{3, 2, 4}));
  EXPECT_EQ(needed_by(3, objects), std::vector<size_t>{});
}

/// Of this very process: libc's parts are known as such, the C++ library and this test's own are not.
TEST(PrivateObjects, FactsOfThisProcess) {
  const std::vector<LoadedObject> loaded = loaded_objects();
  const std::vector<ObjectFacts> facts = facts_of(loaded);
  ASSERT_EQ(loaded.size(), facts.size());
  const auto find = [&](std::string_view beginning) {
    const auto found = std::find_if(facts.begin() + 1, facts.end(),
                                    [&](const ObjectFacts& object) { return object.name.starts_with(beginning); });
    EXPECT_NE(found, facts.end()) << beginning;
    return *found;
  };
  EXPECT_FALSE(facts[0].is_of_c_library);
  EXPECT_TRUE(find("libc.so").is_of_c_library);
  EXPECT_TRUE(find("libm.so").is_of_c_library);
  EXPECT_FALSE(find("libstdc++.so").is_of_c_library);
  EXPECT_TRUE(std::none_of(facts.begin(), facts.end(), [](const ObjectFacts& object) { return object.is_ours; }));
  const std::vector<std::string> needed = find("libstdc++.so").needed;
  EXPECT_NE(std::find(needed.begin(), needed.end(), "libc.so.6"), needed.end());
}

} // namespace
