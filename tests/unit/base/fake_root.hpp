// A tree of files that stands for /proc and /sys.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace hetmp {

class FakeRoot : public testing::Test {
 protected:
  FakeRoot() {
    char name[] = "/tmp/hetmp-test-XXXXXX";
    root = mkdtemp(name);
  }
  ~FakeRoot() override { std::filesystem::remove_all(root); }
  void put(const std::string& path, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(root + path).parent_path());
    std::ofstream(root + path) << text;
  }
  std::string root;
};

} // namespace hetmp
