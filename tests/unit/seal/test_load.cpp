// The plugin as it was built, and what stands in its place where it is missing.
#include "base/seal/load.hpp"
#include "base/seal/wanted.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace hetmp::seal {
namespace {

TEST(Plugin, SealsAndOpens) {
  std::string problem;
  const Cipher* cipher = load_cipher(HETMP_PLUGIN_FOLDER, problem);
  ASSERT_NE(cipher, nullptr) << problem;
  EXPECT_EQ(problem, "");
  const Key key{1, 2, 3};
  const char text[] = "what travels";
  uint8_t sealed[sizeof text + tag_bytes], back[sizeof text];
  cipher->seal(key.data(), 7, "head", 4, text, sizeof text, sealed);
  EXPECT_TRUE(cipher->open(key.data(), 7, "head", 4, sealed, sizeof text, back));
  EXPECT_STREQ(reinterpret_cast<char*>(back), text);
  EXPECT_FALSE(cipher->open(key.data(), 7, "heal", 4, sealed, sizeof text, back));
  EXPECT_EQ(load_cipher(HETMP_PLUGIN_FOLDER, problem), cipher) << "again does no harm";
}

TEST(Plugin, ThatIsNotThereIsNamed) {
  std::string problem;
  EXPECT_EQ(load_cipher("/nonexistent", problem), nullptr);
  EXPECT_EQ(
      problem,
      "encryption is not possible: there is no /nonexistent/libhetmp_seal.so, which belongs to this build of hetmp: "
      "build or install the rest of it");
}

TEST(Plugin, ThatIsNoLibraryIsNone) {
  const std::string folder = testing::TempDir() + "hetmp-no-plugin";
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/" + plugin_file) << "nothing of the kind";
  std::string problem;
  EXPECT_EQ(load_cipher(folder, problem), nullptr);
  EXPECT_EQ(problem.find("encryption is not possible: " + folder + "/" + plugin_file + " cannot be loaded: "), 0u)
      << problem;
  std::filesystem::remove_all(folder);
}

TEST(Wanted, OnlyByWhoSaysSo) {
  unsetenv("HETMP_ENCRYPT");
  EXPECT_FALSE(wanted());
  for (const auto& [text, meaning] : {std::pair("1", true), {"yes", true}, {"0", false}, {"off", false}, {"", false}}) {
    setenv("HETMP_ENCRYPT", text, 1);
    EXPECT_EQ(wanted(), meaning) << text;
  }
}

TEST(Wanted, WhatMeansNothingGetsOneLineAndEncryption) {
  setenv("HETMP_ENCRYPT", "maybe", 1);
  testing::internal::CaptureStderr();
  EXPECT_TRUE(wanted());
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "hetmp: HETMP_ENCRYPT=maybe: neither true nor false; using true\n");
  unsetenv("HETMP_ENCRYPT");
}

} // namespace
} // namespace hetmp::seal
