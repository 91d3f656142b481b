// The library's only words on standard error: whole lines, cut when too long, once when asked for once.
#include "base/message.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

namespace {

using testing::internal::CaptureStderr;
using testing::internal::GetCapturedStderr;

TEST(Message, SayPrefixesAndEndsTheLine) {
  CaptureStderr();
  hetmp::say("node %d is %s", 3, "gone");
  EXPECT_EQ(GetCapturedStderr(), "hetmp: node 3 is gone\n");
}

TEST(Message, LongLinesAreCutAndStillEnd) {
  const std::string text(5000, 'x');
  CaptureStderr();
  hetmp::say("%s", text.c_str());
  const std::string line = GetCapturedStderr();
  EXPECT_LE(line.size(), 1024u);
  EXPECT_GT(line.size(), 1000u);
  EXPECT_EQ(line.back(), '\n');
  EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1);
  EXPECT_EQ(line.find('\0'), std::string::npos);
}

TEST(Message, WhateverIsInItIsOneLineThatNoTerminalObeys) {
  CaptureStderr();
  hetmp::say("NAME=%s: no number", "a\x1b[2J\nhetmp: forged\r\x7f|\xc2\x9b"
                                   "31m|\xc3\xa4\xe2\x82\xac\xc2\xa0");
  EXPECT_EQ(GetCapturedStderr(), "hetmp: NAME=a?[2J?hetmp: forged??|??31m|\xc3\xa4\xe2\x82\xac\xc2\xa0: no number\n");
}

TEST(Message, WarningsInLibompsForm) {
  CaptureStderr();
  hetmp::warn_as_libomp(42, "no %s", "more");
  EXPECT_EQ(GetCapturedStderr(), "OMP: Warning #42: hetmp: no more\n");
  CaptureStderr();
  hetmp::warn_as_libomp(7, "%s", std::string(5000, 'x').c_str());
  const std::string line = GetCapturedStderr();
  EXPECT_LE(line.size(), 1024u);
  EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1);
}

TEST(Message, OnceMeansOnce) {
  CaptureStderr();
  static bool said = false;
  for (int i = 0; i < 3; ++i)
    hetmp::say_once(said, "only %d", i);
  EXPECT_EQ(GetCapturedStderr(), "hetmp: only 0\n");
}

TEST(Message, OnceHoldsAcrossThreads) {
  CaptureStderr();
  static bool said = false;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([] { hetmp::say_once(said, "word"); });
  for (auto& thread : threads)
    thread.join();
  EXPECT_EQ(GetCapturedStderr(), "hetmp: word\n");
}

TEST(MessageDeathTest, DieEndsWithTheCodeAndRunsNoExitHandlers) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        atexit([] { hetmp::say("exit handler ran"); });
        hetmp::die(41, "cannot %s", "go on");
      },
      testing::ExitedWithCode(41), "^hetmp: cannot go on\n$");
}

} // namespace
