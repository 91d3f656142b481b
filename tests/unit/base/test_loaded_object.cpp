// What the dynamic linker has loaded: this program, its libraries, the kernel's own object.
#include "base/loaded_object.hpp"

#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <gtest/gtest.h>
#include <link.h>
#include <map>
#include <unistd.h>

using namespace hetmp;

namespace {

bool everything(std::string_view) { return true; }

/// Functions of libc that no sanitizer puts its own in front of.
bool is_one_of_two(std::string_view name) { return name == "gnu_get_libc_version" || name == "getpagesize"; }

bool named(const LoadedObject& object, std::string_view part) {
  return std::string_view(object.path()).find(part) != std::string_view::npos;
}

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
      EXPECT_LE(object.begin(), reinterpret_cast<uintptr_t>(&gnu_get_libc_version));
      EXPECT_GT(object.end(), reinterpret_cast<uintptr_t>(&gnu_get_libc_version));
    }
    defining += object.defines("gnu_get_libc_version");
  });
  EXPECT_TRUE(program_seen);
  EXPECT_EQ(defining, 1u) << "libc and nobody else";
}

/// Each symbol that the linker finds in an object by its own tables is found there by ours: all names that this program
/// refers to.
thread_local int own_variable = 5;

TEST(LoadedObject, KnowsWhoHasVariablesOfEachThread) {
  EXPECT_EQ(own_variable, 5); // it is used
  for_each_loaded_object([](const LoadedObject& object) {
    const std::string_view path = object.path();
    if (path.empty() || named(object, "libc.so")) {
      EXPECT_TRUE(object.has_thread_variables()) << path;
    } else if (named(object, "vdso")) {
      EXPECT_FALSE(object.has_thread_variables());
    }
  });
}

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
  for (const auto& each : wanted) {
    const std::string& name = each.first; // not a binding: clang 14's closures take none
    const uintptr_t address = each.second;
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
  EXPECT_TRUE(*gnu_get_libc_version() != '\0' && getpagesize() > 0);
  uint32_t found = 0;
  bool program = true;
  for_each_loaded_object([&](const LoadedObject& object) {
    if (program)
      for (const auto& reference : object.references(is_one_of_two)) {
        ++found;
        const void* address = dlsym(RTLD_DEFAULT, reference.name.c_str());
        EXPECT_TRUE(reference.version.starts_with("GLIBC_2.")) << reference.version;
        EXPECT_EQ(reference.target, reinterpret_cast<uintptr_t>(address)) << reference.name << ": called, so bound";
      }
    program = false;
  });
  EXPECT_EQ(found, 2u);
}

/// What the C library's parts answer for themselves is what the dynamic linker finds in them, version by version: also
/// old ones, and functions of which there are several, one for each kind of processor.
TEST(LoadedObject, FindsFunctionsAsTheLinkerDoes) {
  std::vector<LoadedObject> objects;
  for_each_loaded_object([&](const LoadedObject& object) { objects.push_back(object); });
  uint32_t found = 0;
  for (const LoadedObject& user : objects)
    for (const LoadedObject::Reference& reference : user.references(everything))
      for (const LoadedObject& library : objects) {
        if (reference.version.empty() || !(named(library, "/libc.so") || named(library, "/libm.so")))
          continue;
        void* const handle = dlopen(library.path(), RTLD_NOW | RTLD_NOLOAD);
        ASSERT_NE(handle, nullptr);
        const auto expected =
            reinterpret_cast<uintptr_t>(dlvsym(handle, reference.name.c_str(), reference.version.c_str()));
        const uintptr_t address = library.find_function(reference.name.c_str(), reference.version.c_str());
        if (address) {
          EXPECT_EQ(address, expected) << reference.name << " of " << library.path();
          ++found;
        } else if (library.begin() <= expected && expected < library.end()) {
          ElfW(Sym)* symbol = nullptr;
          Dl_info info;
          ASSERT_NE(
              dladdr1(reinterpret_cast<void*>(expected), &info, reinterpret_cast<void**>(&symbol), RTLD_DL_SYMENT), 0);
          EXPECT_TRUE(!symbol || ELF64_ST_TYPE(symbol->st_info) == STT_OBJECT) << reference.name << " is a function";
        }
        dlclose(handle);
      }
  EXPECT_GT(found, 100u);
}

TEST(LoadedObject, FindsTodaysVersionWhereNoneIsAskedFor) {
  uint32_t libraries = 0;
  for_each_loaded_object([&](const LoadedObject& object) {
    EXPECT_EQ(object.find_function("hetmp_no_such_symbol", ""), 0u);
    if (!named(object, "/libc.so"))
      return;
    ++libraries;
    EXPECT_STREQ(object.shared_name(), "libc.so.6");
    EXPECT_TRUE(object.wants_version("GLIBC_PRIVATE"));
    EXPECT_FALSE(object.wants_version("GLIBC_PRIVAT"));
    EXPECT_EQ(object.find_function("gnu_get_libc_version", ""), reinterpret_cast<uintptr_t>(&gnu_get_libc_version));
    EXPECT_NE(object.find_function("realpath", "GLIBC_2.2.5"), object.find_function("realpath", ""));
    EXPECT_EQ(object.find_function("realpath", "GLIBC_2.3"), object.find_function("realpath", ""));
    EXPECT_EQ(object.find_function("realpath", "GLIBC_2.4"), 0u);
    EXPECT_EQ(object.find_function("environ", ""), 0u) << "data";
  });
  EXPECT_EQ(libraries, 1u);
}

} // namespace
