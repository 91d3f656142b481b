// What is said of a library that cannot be had beside the runtime's own: which of the reasons it is.
#include "base/plugin.hpp"

#include <gtest/gtest.h>

#include <dlfcn.h>
#include <filesystem>
#include <fstream>

namespace hetmp {
namespace {

constexpr Plugin with{"libhetmp_nothing.so", "Nothing", true};
constexpr Plugin without{"libhetmp_nothing.so", "Nothing", false};

TEST(Plugin, OfABuildWithoutItSaysSo) {
  std::string problem;
  EXPECT_EQ(load_plugin(without, "/nonexistent", RTLD_LOCAL, problem), nullptr);
  EXPECT_EQ(problem, "hetmp was built without Nothing (there is no /nonexistent/libhetmp_nothing.so)");
}

TEST(Plugin, ThatIsMissingIsNamed) {
  std::string problem;
  EXPECT_EQ(load_plugin(with, "/nonexistent", RTLD_LOCAL, problem), nullptr);
  EXPECT_EQ(problem, "there is no /nonexistent/libhetmp_nothing.so, which belongs to this build of hetmp: "
                     "build or install the rest of it");
}

TEST(Plugin, ThatCannotBeLoadedSaysWhy) {
  const std::string folder = testing::TempDir() + "hetmp-plugin-test";
  std::filesystem::create_directories(folder);
  const std::string path = folder + '/' + with.file;
  std::ofstream(path) << "nothing of the kind, and long enough to be asked for what an object begins with ...........";
  for (const Plugin& plugin : {with, without}) { // what is there is what counts
    std::string problem;
    EXPECT_EQ(load_plugin(plugin, folder, RTLD_LOCAL, problem), nullptr);
    EXPECT_EQ(problem.find(path + " cannot be loaded: "), 0u) << problem;
    EXPECT_NE(problem.find("invalid ELF header"), std::string::npos) << problem;
  }
  std::filesystem::remove_all(folder);
}

TEST(Plugin, ThatIsThereIsLoaded) {
  Dl_info libc;
  ASSERT_NE(dladdr(dlsym(RTLD_DEFAULT, "gnu_get_libc_version"), &libc), 0);
  const std::filesystem::path path = libc.dli_fname;
  std::string problem;
  EXPECT_NE(load_plugin({path.filename().c_str(), "C", true}, path.parent_path(), RTLD_LOCAL, problem), nullptr);
  EXPECT_EQ(problem, "");
}

} // namespace
} // namespace hetmp
