#include "runtime/launch/agent.hpp"

#include "base/machine/cpu_list.hpp"
#include "base/message.hpp"
#include "runtime/launch/connection/descriptors.hpp"
#include "runtime/launch/connection/frame_stream.hpp"
#include "runtime/launch/node_program.hpp"
#include "runtime/launch/orders.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace hetmp::launch {
namespace {

constexpr int bad_launcher = 76; // EX_PROTOCOL of sysexits.h
constexpr const char* not_understood = "the launcher sent what an agent does not understand";
constexpr size_t piece_bytes = size_t(64) << 10;
constexpr int from_launcher = 0, to_launcher = 1;

class Agent {
 public:
  Agent(const std::string& library, Ready ready) : library_(library), ready_(std::move(ready)) {}

  int run() {
    signal(SIGPIPE, SIG_IGN);
    static constexpr int signals[] = {SIGCHLD, SIGTERM, SIGHUP, SIGINT, 0};
    signals_ = catch_signals(signals);
    if (!write_all(to_launcher, agent_greeting) || !tell(FrameKind::Ready, to_json(ready_)))
      return 0;
    while (!done_)
      wait();
    end_node();
    return exit_code_;
  }

 private:
  struct Output {
    int descriptor = -1;
    FrameKind kind;
  };

  bool tell(FrameKind kind, std::string_view bytes) {
    const bool told = write_all(to_launcher, stream_.encode(kind, bytes));
    done_ |= !told; // the launcher is gone
    return told;
  }

  void wait() {
    pollfd polled[] = {{from_launcher, POLLIN, 0},
                       {signals_, POLLIN, 0},
                       {outputs_[0].descriptor, POLLIN, 0},
                       {outputs_[1].descriptor, POLLIN, 0},
                       {outputs_[2].descriptor, POLLIN, 0},
                       // Input the program has no room for yet.
                       {waiting_input_.empty() ? -1 : input_, POLLOUT, 0}};
    poll(polled, 6, -1);
    for (size_t i = 0; i < 3; ++i)
      if (polled[2 + i].revents)
        pass_output(outputs_[i]);
    if (polled[5].revents)
      pass_input();
    if (polled[0].revents)
      hear_launcher();
    if (polled[1].revents)
      hear_signals();
  }

  void hear_launcher() {
    char bytes[piece_bytes];
    const ssize_t got = read(from_launcher, bytes, sizeof bytes);
    if (got < 0 && errno == EINTR)
      return;
    if (got <= 0) { // the launcher is gone: nobody is left to run for
      done_ = true;
      return;
    }
    stream_.add({bytes, size_t(got)});
    while (auto frame = stream_.next())
      obey(*frame);
    if (stream_.changed())
      refuse("what came from the launcher was changed on the way");
    else if (stream_.broken())
      refuse(not_understood);
  }

  void refuse(const char* why) {
    say("%s", why);
    exit_code_ = bad_launcher;
    done_ = true;
  }

  void obey(const Frame& frame) {
    switch (frame.kind) {
    case FrameKind::Seal:
      if (const auto sealing = read_sealing(frame.bytes); sealing && !order_ && stream_.seal_with(sealing->secret))
        return;
      break;
    case FrameKind::Order:
      if (auto order = read_order(frame.bytes))
        return prepare(std::move(*order));
      break;
    case FrameKind::Start:
      if (const auto start = read_start(frame.bytes);
          start && order_ && node_ < 0 && order_->node < start->hosts.size())
        return start_node(*start);
      break;
    case FrameKind::Input:
      if (frame.bytes.empty())
        end_of_input_ = true;
      waiting_input_ += frame.bytes;
      return pass_input();
    case FrameKind::Signal:
      if (const auto number = read_signal(frame.bytes)) {
        if (node_ > 0)
          kill(node_, *number);
        return;
      }
      break;
    default:
      break;
    }
    refuse(not_understood);
  }

  void prepare(Order order) {
    order_ = std::move(order);
    if (const std::string wrong = listening_.open(order_->host); !wrong.empty()) {
      say("host %s: %s", order_->host.c_str(), wrong.c_str());
      tell(FrameKind::Exit, to_json(Exit{1, 0}));
      done_ = true;
      return;
    }
    tell(FrameKind::Card, to_json(listening_.endpoint()));
  }

  void start_node(const Start& start) {
    int in[2], out[2], error[2], words[2];
    if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0 || pipe2(error, O_CLOEXEC) != 0 ||
        pipe2(words, O_CLOEXEC) != 0) {
      say("host %s: no pipes: %s", order_->host.c_str(), strerrordesc_np(errno));
      done_ = true;
      return;
    }
    const pid_t agent = getpid();
    node_ = fork();
    if (node_ == 0) {
      setpgid(0, 0);
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() != agent)
        _exit(1);
      dup2(in[0], 0);
      dup2(out[1], 1);
      dup2(error[1], 2);
      release_signals();
      _exit(become_node(*order_, start, listening_, library_, order_->node == 0 ? words[1] : -1));
    }
    close(in[0]);
    close(out[1]);
    close(error[1]);
    close(words[1]);
    listening_.close();
    input_ = in[1];
    fcntl(input_, F_SETFL, O_NONBLOCK);
    outputs_[0] = {out[0], FrameKind::Output};
    outputs_[1] = {error[0], FrameKind::Error};
    outputs_[2] = {words[0], FrameKind::Words};
    if (node_ < 0) {
      say("host %s: no process: %s", order_->host.c_str(), strerrordesc_np(errno));
      done_ = true;
    }
    pass_input(); // what may have come before
  }

  void pass_output(Output& output) {
    char bytes[piece_bytes];
    const ssize_t got = read(output.descriptor, bytes, sizeof bytes);
    if (got > 0) {
      tell(output.kind, {bytes, size_t(got)});
    } else if (got == 0 || errno != EINTR) {
      close(output.descriptor);
      output.descriptor = -1;
    }
  }

  void pass_input() {
    const bool waiting = !waiting_input_.empty();
    while (input_ >= 0 && !waiting_input_.empty()) {
      const ssize_t written = write(input_, waiting_input_.data(), waiting_input_.size());
      if (written < 0 && errno == EAGAIN)
        return;
      if (written < 0 && errno != EINTR)
        waiting_input_.clear(); // the program has closed it
      if (written > 0)
        waiting_input_.erase(0, size_t(written));
    }
    if (waiting && waiting_input_.empty())
      tell(FrameKind::Taken, {});
    if (input_ >= 0 && end_of_input_ && waiting_input_.empty()) {
      close(input_);
      input_ = -1;
    }
  }

  void hear_signals() {
    while (const int number = read_signal_from(signals_)) {
      if (number != SIGCHLD) {
        done_ = true; // asked to end, and the node with it
        continue;
      }
      int status = 0;
      if (node_ > 0 && waitpid(node_, &status, WNOHANG) == node_)
        node_has_ended(status);
    }
  }

  void node_has_ended(int status) {
    for (Output& output : outputs_) // what it wrote last is still in the pipes
      for (pollfd readable{output.descriptor, POLLIN, 0}; output.descriptor >= 0 && poll(&readable, 1, 0) == 1;)
        pass_output(output);
    const bool by_signal = WIFSIGNALED(status);
    tell(FrameKind::Exit, to_json(Exit{by_signal ? 0 : WEXITSTATUS(status), by_signal ? WTERMSIG(status) : 0}));
    done_ = true;
  }

  /// Its whole process group: nothing stays behind.
  void end_node() {
    if (node_ > 0)
      kill(-node_, SIGKILL);
  }

  const std::string& library_;
  const Ready ready_;
  FrameStream stream_{FrameStream::End::Agents};
  std::optional<Order> order_;
  ListeningSocket listening_;
  pid_t node_ = -1;
  int signals_ = -1;
  int input_ = -1;
  std::string waiting_input_;
  bool end_of_input_ = false;
  Output outputs_[3] = {{-1, FrameKind::Output}, {-1, FrameKind::Error}, {-1, FrameKind::Words}};
  bool done_ = false;
  int exit_code_ = 0;
};

} // namespace

int run_agent(const std::string& library, const std::string& problem, const std::string& no_encryption) {
  return Agent(library, {allowed_cpus(), problem, no_encryption}).run();
}

} // namespace hetmp::launch
