// Code by name: what one process calls its code, another with the same objects finds, wherever it has put them; and
// what nobody calls so is found nowhere.
#include "base/elf/code_map.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>

namespace hetmp {
namespace {

constexpr uintptr_t program = 0x400000, library = 0x7f0000000000;

/// The program with two pieces of code, a library, and once more one that is alike.
std::vector<ObjectCode> objects(uintptr_t moved = 0) {
  return {{"program", program, {{program + 0x1000, program + 0x2000}, {program + 0x8000, program + 0x9000}}},
          {"library", library + moved, {{library + moved + 0x1000, library + moved + 0x5000}}},
          {"library", library + moved + 0x100000, {{library + moved + 0x101000, library + moved + 0x105000}}}};
}

TEST(CodeMap, NamesLeadBack) {
  const CodeMap map(objects());
  for (const uintptr_t address :
       {program + 0x1000, program + 0x1fff, program + 0x8000, program + 0x8fff, library + 0x1234, library + 0x104fff}) {
    EXPECT_TRUE(map.id_of(address));
    EXPECT_EQ(map.address_of(map.id_of(address)), address);
  }
}

TEST(CodeMap, NamesMeanTheSameWhereObjectsLieElsewhere) {
  const CodeMap here(objects()), there(objects(0x7000));
  EXPECT_EQ(there.address_of(here.id_of(library + 0x1234)), library + 0x7000 + 0x1234);
  EXPECT_EQ(there.address_of(here.id_of(library + 0x101234)), library + 0x7000 + 0x101234) << "the second of its kind";
  EXPECT_EQ(there.address_of(here.id_of(program + 0x8000)), program + 0x8000);
}

TEST(CodeMap, WhatIsLoadedBesidesLaterChangesNoName) {
  std::vector<ObjectCode> more = objects();
  more.push_back({"a plugin of one process", 0x600000, {{0x601000, 0x602000}}});
  const CodeMap before{objects()}, after(more);
  for (const uintptr_t address : {program + 0x1000, library + 0x1000, library + 0x101000})
    EXPECT_EQ(before.id_of(address), after.id_of(address));
  EXPECT_EQ(before.address_of(after.id_of(0x601000)), 0u) << "an object that is not loaded here";
}

TEST(CodeMap, WhatIsNoCodeHasNoName) {
  const CodeMap map(objects());
  for (const uintptr_t address : {uintptr_t(0), program, program + 0xfff, program + 0x2000, program + 0x9000, library,
                                  library + 0x5000, UINTPTR_MAX})
    EXPECT_FALSE(map.id_of(address)) << address;
}

TEST(CodeMap, OffsetsOutsideCodeAreRefused) {
  const CodeMap map(objects());
  const CodeId in_program = map.id_of(program + 0x1000), in_library = map.id_of(library + 0x1000);
  for (const uint32_t offset : {0u, 0xfffu, 0x2000u, 0x7fffu, 0x9000u, UINT32_MAX})
    EXPECT_EQ(map.address_of({in_program.object, offset}), 0u) << offset;
  for (const uint32_t offset : {0u, 0x5000u, 0x101000u}) // the last is code, but of another object
    EXPECT_EQ(map.address_of({in_library.object, offset}), 0u) << offset;
}

TEST(CodeMap, NumbersOfNoObjectAreRefused) {
  const CodeMap map(objects());
  const CodeId known = map.id_of(program + 0x1000);
  EXPECT_EQ(map.address_of({}), 0u);
  for (const uint32_t object : {known.object + 1, known.object ^ CodeId::shared_memory, UINT32_MAX, 1u})
    EXPECT_EQ(map.address_of({object, known.offset}), 0u) << object;
  EXPECT_EQ(CodeMap({}).address_of(known), 0u);
}

TEST(CodeMap, KnowsThisProcess) {
  const CodeMap map(loaded_code());
  const auto here = reinterpret_cast<uintptr_t>(&objects);
  const auto in_c_library = reinterpret_cast<uintptr_t>(dlsym(RTLD_DEFAULT, "qsort"));
  static const int data = 7;
  int on_stack = 0;
  ASSERT_NE(in_c_library, 0u);
  EXPECT_EQ(map.address_of(map.id_of(here)), here);
  EXPECT_EQ(map.address_of(map.id_of(in_c_library)), in_c_library);
  EXPECT_NE(map.id_of(here).object, map.id_of(in_c_library).object);
  EXPECT_FALSE(map.id_of(reinterpret_cast<uintptr_t>(&data)));
  EXPECT_FALSE(map.id_of(reinterpret_cast<uintptr_t>(&on_stack)));
}

TEST(CodeId, AddressesInSharedMemoryAreKept) {
  constexpr uintptr_t address = 0x2f1234567890;
  constexpr CodeId id = CodeId::in_shared_memory(address);
  static_assert(id && id.is_in_shared_memory() && id.shared_address() == address);
  EXPECT_FALSE(CodeMap(objects()).id_of(program + 0x1000).is_in_shared_memory());
}

} // namespace
} // namespace hetmp
