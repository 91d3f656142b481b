// What the dynamic linker has loaded: this program, its libraries, the kernel's own object.
#include "base/loaded_object.hpp"

#include <cstdlib>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <link.h>
#include <map>

using namespace hetmp;

namespace {

bool everything(std::string_view) { return true; }
bool is_qsort_or_setenv(std::string_view name) { return name == "qsort" || name == "setenv"; }

bool named(const LoadedObject& object, std::string_view part) {
  return std::string_view(object.path()).find(part) != std::string_view::npos;
}

int compare(const void* a, const void* b) { return *static_cast<const int*>(a) - *static_cast<const int*>(b); }

TEST(LoadedObject, FindsWhatIsDefined) {
  uint32_t defining = 0;
  bool program_seen = false;
  for_each_loaded_object([&](const LoadedObject& object) {
    program_seen |= object.path()[0] == '\0' && !program_seen;
    EXPECT_FALSE(object.defines("hetmp_no_such_symbol")) << object.path();
    EXPECT_FALSE(object.defines("")) << object.path();
    if (named(object, "libc.so")) {
      for (const char* name : {"qsort", "setenv", "malloc", "environ"})
        EXPECT_TRUE(object.defines(name)) << name;
      EXPECT_FALSE(object.defines("qsor"));
      EXPECT_LE(object.begin(), reinterpret_cast<uintptr_t>(&qsort));
      EXPECT_GT(object.end(), reinterpret_cast<uintptr_t>(&qsort));
    }
    defining += object.defines("qsort");
  });
  EXPECT_TRUE(program_seen);
  EXPECT_GE(defining, 1u) << "libc, and a sanitizer if there is one";
}

/// Each symbol that the linker finds in an object by its own tables is found there by ours: all names that this program refers to.
TEST(LoadedObject, AgreesWithTheLinker) {
  std::vector<LoadedObject::Reference> all;
  for_each_loaded_object([&](const LoadedObject& object) {
    if (object.path()[0] == '\0' && all.empty())
      all = object.references(everything);
  });
  ASSERT_GT(all.size(), 50u);
  std::map<std::string, uintptr_t> wanted;
  for (const auto& reference : all)
    if (const void* found = dlsym(RTLD_DEFAULT, reference.name.c_str()))
      wanted[reference.name] = reinterpret_cast<uintptr_t>(found);
  for (const auto& [name, address] : wanted) {
    Dl_info info;
    if (!dladdr(reinterpret_cast<void*>(address), &info) || !info.dli_fname)
      continue;
    bool defined = false;
    for_each_loaded_object([&](const LoadedObject& object) {
      if (address >= object.begin() && address < object.end())
        defined |= object.defines(name.c_str());
    });
    EXPECT_TRUE(defined) << name << " in " << info.dli_fname;
  }
}

TEST(LoadedObject, KnowsWhereReferencesLead) {
  int numbers[] = {3, 1, 2};
  qsort(numbers, 3, sizeof numbers[0], compare);
  setenv("HETMP_TEST_LOADED", "1", 1);
  uint32_t found = 0;
  bool program = true;
  for_each_loaded_object([&](const LoadedObject& object) {
    if (program)
      for (const auto& reference : object.references(is_qsort_or_setenv)) {
        ++found;
        const void* address = reference.name == "qsort" ? dlsym(RTLD_DEFAULT, "qsort") : dlsym(RTLD_DEFAULT, "setenv");
        EXPECT_TRUE(reference.version.starts_with("GLIBC_2.")) << reference.version;
        EXPECT_EQ(reference.target, reinterpret_cast<uintptr_t>(address)) << reference.name << ": called, so bound";
      }
    program = false;
  });
  EXPECT_EQ(found, 2u);
}

} // namespace
