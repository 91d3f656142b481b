#include "runtime/launch/connection/descriptors.hpp"

#include <cerrno>
#include <csignal>
#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

namespace hetmp::launch {

bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EAGAIN) { // whoever has it too may have made it so: a terminal, for example
      pollfd room{descriptor, POLLOUT, 0};
      poll(&room, 1, -1);
    } else if (written < 0 && errno != EINTR) {
      return false;
    }
    if (written > 0)
      bytes.remove_prefix(size_t(written));
  }
  return true;
}

int catch_signals(const int* signals) {
  sigset_t set;
  sigemptyset(&set);
  for (; *signals != 0; ++signals)
    sigaddset(&set, *signals);
  sigprocmask(SIG_BLOCK, &set, nullptr);
  return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

int read_signal_from(int descriptor) {
  signalfd_siginfo info;
  return read(descriptor, &info, sizeof info) == ssize_t(sizeof info) ? int(info.ssi_signo) : 0;
}

void release_signals() {
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  signal(SIGPIPE, SIG_DFL);
}

} // namespace hetmp::launch
