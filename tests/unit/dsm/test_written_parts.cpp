// Where loaded objects keep what they write: this program and its libraries themselves.
#include "dsm/objects/private_objects.hpp"
#include "dsm/objects/written_parts.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace hetmp::dsm {
namespace {

int variable = 1;
/// An address in it makes the dynamic linker write it, before it closes it.
int* const constant[] = {&variable};

uintptr_t address_of(const volatile void* place) { return reinterpret_cast<uintptr_t>(place); }

struct WrittenParts : testing::Test {
  const std::vector<LoadedObject> objects = loaded_objects();
  const std::vector<WrittenPart> parts = find_written_parts(objects, std::vector<bool>(objects.size(), true));
};

TEST_F(WrittenParts, HoldVariablesAndNeitherCodeNorConstants) {
  EXPECT_TRUE(contain(parts, address_of(&variable)));
  EXPECT_FALSE(contain(parts, address_of(reinterpret_cast<const void*>(&address_of))));
  EXPECT_FALSE(contain(parts, address_of(constant)));
}

TEST_F(WrittenParts, LeaveOutWhatTheDynamicLinkerHasClosed) {
  int closed = 0;
  for (const LoadedObject& object : objects) {
    if (object.relro_begin() == object.relro_end())
      continue;
    ++closed;
    for (const WrittenPart& part : parts)
      EXPECT_TRUE(part.end <= object.relro_begin() || part.begin >= object.relro_end()) << object.shared_name();
  }
  EXPECT_NE(closed, 0);
}

TEST_F(WrittenParts, AreThoseOfTheObjectsMarked) {
  EXPECT_TRUE(find_written_parts(objects, std::vector<bool>(objects.size(), false)).empty());
}

} // namespace
} // namespace hetmp::dsm
