// Writing all of something, whatever the descriptor is like, and signals as something to wait for.
#include "runtime/launch/connection/descriptors.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace hetmp::launch {
namespace {

class Pipe : public testing::Test {
 protected:
  void SetUp() override {
    signal(SIGPIPE, SIG_IGN);
    ASSERT_EQ(pipe(ends), 0);
  }
  void TearDown() override {
    for (const int end : ends)
      if (end >= 0)
        close(end);
  }
  /// Everything until the other end is closed.
  std::string read_all() const {
    std::string text;
    char bytes[10'000];
    for (ssize_t got; (got = read(ends[0], bytes, sizeof bytes)) > 0;)
      text.append(bytes, size_t(got));
    return text;
  }
  void close_end(int end) {
    close(ends[end]);
    ends[end] = -1;
  }
  int ends[2] = {-1, -1};
};

std::string long_text() {
  std::string text(size_t(3) << 20, '\0');
  for (size_t i = 0; i < text.size(); ++i)
    text[i] = char(i * 11 + i / 4096);
  return text;
}

TEST_F(Pipe, TakesMoreThanItHolds) {
  const std::string text = long_text();
  bool written = false;
  std::thread writer([&] {
    written = write_all(ends[1], text);
    close_end(1);
  });
  EXPECT_TRUE(read_all() == text);
  writer.join();
  EXPECT_TRUE(written);
}

TEST_F(Pipe, ThatDoesNotWaitIsWaitedFor) {
  fcntl(ends[1], F_SETFL, O_NONBLOCK); // as another program may have left a terminal
  const std::string text = long_text();
  bool written = false;
  std::thread writer([&] {
    written = write_all(ends[1], text);
    close_end(1);
  });
  EXPECT_TRUE(read_all() == text);
  writer.join();
  EXPECT_TRUE(written);
}

TEST_F(Pipe, WithoutAReaderIsSaid) {
  close_end(0);
  EXPECT_FALSE(write_all(ends[1], "x"));
}

TEST_F(Pipe, WhoseReaderGoesMeanwhileIsSaid) {
  const std::string text = long_text();
  bool written = true;
  std::thread writer([&] { written = write_all(ends[1], text); });
  char bytes[1000];
  EXPECT_GT(read(ends[0], bytes, sizeof bytes), 0);
  close_end(0);
  writer.join();
  EXPECT_FALSE(written);
}

TEST_F(Pipe, NothingIsWrittenAtOnce) {
  EXPECT_TRUE(write_all(ends[1], ""));
  close_end(1);
  EXPECT_EQ(read_all(), "");
}

TEST(NoDescriptor, IsSaid) { EXPECT_FALSE(write_all(-1, "x")); }

bool is_readable(int descriptor) {
  pollfd readable{descriptor, POLLIN, 0};
  return poll(&readable, 1, 0) == 1;
}

TEST(Signals, AreReadOneByOne) {
  sigset_t before;
  sigprocmask(SIG_SETMASK, nullptr, &before);
  static constexpr int signals[] = {SIGUSR1, SIGUSR2, 0};
  const int descriptor = catch_signals(signals);
  ASSERT_GE(descriptor, 0);
  EXPECT_FALSE(is_readable(descriptor));
  EXPECT_EQ(read_signal_from(descriptor), 0);
  kill(getpid(), SIGUSR2);
  EXPECT_TRUE(is_readable(descriptor));
  EXPECT_EQ(read_signal_from(descriptor), SIGUSR2);
  EXPECT_EQ(read_signal_from(descriptor), 0);
  kill(getpid(), SIGUSR1);
  kill(getpid(), SIGUSR1); // one is waiting already
  EXPECT_EQ(read_signal_from(descriptor), SIGUSR1);
  EXPECT_EQ(read_signal_from(descriptor), 0);
  EXPECT_NE(fcntl(descriptor, F_GETFD) & FD_CLOEXEC, 0);
  close(descriptor);
  sigprocmask(SIG_SETMASK, &before, nullptr);
}

TEST(Signals, AreAsUsualForAProgramThatIsExecuted) {
  signal(SIGPIPE, SIG_IGN);
  static constexpr int signals[] = {SIGUSR1, SIGTERM, 0};
  const int descriptor = catch_signals(signals);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    release_signals();
    sigset_t blocked;
    sigprocmask(SIG_SETMASK, nullptr, &blocked);
    struct sigaction of_pipe {};
    sigaction(SIGPIPE, nullptr, &of_pipe);
    const bool usual =
        !sigismember(&blocked, SIGUSR1) && !sigismember(&blocked, SIGTERM) && of_pipe.sa_handler == SIG_DFL;
    _exit(usual ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  close(descriptor);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

} // namespace
} // namespace hetmp::launch
