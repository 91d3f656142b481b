// What is read of /proc: files as they are, and processes as they stand.
#include "base/machine/process_status.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace hetmp {
namespace {

TEST(ProcessStatus, TheStateStandsBehindTheLastParenthesis) {
  EXPECT_TRUE(stat_says_stopped("12 (a) T 1 2"));
  EXPECT_TRUE(stat_says_stopped("12 (a) R (b) t 1 2"));
  EXPECT_FALSE(stat_says_stopped("12 (T) T) S 1 2"));
  for (const char* text : {"", "12", "12 (a)", "12 (a) "})
    EXPECT_FALSE(stat_says_stopped(text)) << text;
}

TEST(ProcessStatus, ThreadsAreTheTwentiethField) {
  EXPECT_EQ(stat_says_threads("7 (a b) c) S 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 33 21"), 33u);
  for (const char* text : {"", "7", "7 (a)", "7 (a) S 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19"})
    EXPECT_EQ(stat_says_threads(text), 0u) << text;
  std::atomic<bool> over{false};
  const auto wait = [&over] { over.wait(false); };
  std::thread first(wait); // ThreadSanitizer starts a thread of its own with it
  const uint32_t before = threads_of_process();
  std::thread second(wait);
  EXPECT_EQ(threads_of_process(), before + 1);
  over = true;
  over.notify_all();
  first.join();
  second.join();
}

TEST(ProcessStatus, ATracerIsANumberOtherThanZero) {
  EXPECT_TRUE(status_says_traced("Name:\tx\nTracerPid:\t77\nUid:\t0\n"));
  EXPECT_FALSE(status_says_traced("Name:\tx\nTracerPid:\t0\nUid:\t0\n"));
  EXPECT_FALSE(status_says_traced("Name:\tTracerPid: 7\n"));
  EXPECT_FALSE(status_says_traced(""));
}

TEST(ProcessStatus, WhatIsResidentIsTheSecondNumber) {
  EXPECT_EQ(statm_says_resident_pages("5000 123 45 6 0 78 0\n"), 123u);
  EXPECT_EQ(statm_says_resident_pages("5000"), 0u);
  EXPECT_EQ(statm_says_resident_pages(""), 0u);
  EXPECT_GT(resident_bytes(), 100'000u); // this test
}

TEST(ProcessStatus, FilesAreReadUpToALength) {
  EXPECT_EQ(text_of_file("/nowhere/at/all"), "");
  EXPECT_EQ(text_of_file("/proc/self/stat", 3).size(), 3u);
  EXPECT_TRUE(text_of_file("/proc/self/stat").starts_with(std::to_string(getpid()) + " ("));
}

TEST(ProcessStatus, AStoppedProcessIsOne) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0)
    while (true)
      pause();
  EXPECT_FALSE(is_stopped(child));
  kill(child, SIGSTOP);
  int status;
  EXPECT_EQ(waitpid(child, &status, WUNTRACED), child);
  EXPECT_TRUE(is_stopped(child));
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  EXPECT_FALSE(is_stopped(child));
}

} // namespace
} // namespace hetmp
