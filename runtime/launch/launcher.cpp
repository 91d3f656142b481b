#include "runtime/launch/launcher.hpp"

#include "base/message.hpp"
#include "runtime/launch/agent_process.hpp"
#include "runtime/launch/connection/descriptors.hpp"
#include "runtime/launch/connection/frame_stream.hpp"
#include "runtime/launch/connection/sockets.hpp"
#include "runtime/launch/launch_order.hpp"
#include "runtime/launch/orders.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <poll.h>
#include <set>
#include <string_view>
#include <unistd.h>

namespace hetmp::launch {
namespace {

constexpr int cannot_run = 1;
constexpr int lost = 70; // EX_SOFTWARE
constexpr size_t piece_bytes = size_t(64) << 10;
/// For agents to come up, remote logins included.
constexpr int64_t start_ms = 60'000;
/// For the origin to say why it ends, when another node has ended; for the others to follow the origin, who has told
/// them.
constexpr int64_t grace_for_origin_ms = 1000;
constexpr int64_t grace_for_others_ms = 500;
constexpr uint32_t origin = 0;
constexpr size_t most_words = 4096;

/// A node and the agent it is reached by.
struct Node {
  explicit Node(const Host& its_host) : host(its_host) {}

  const Host& host;
  AgentProcess agent;
  FrameStream stream{FrameStream::End::Launchers, agent_greeting};
  std::optional<Ready> ready;
  std::optional<Endpoint> card;
  std::optional<Exit> exit;
};

class Launcher {
 public:
  explicit Launcher(const Launch& launch) : launch_(launch) {
    for (const Host& host : launch.hosts)
      nodes_.emplace_back(host);
  }

  int run() {
    signal(SIGPIPE, SIG_IGN);
    static constexpr int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCONT, 0};
    signals_ = catch_signals(signals);
    for (Node& node : nodes_)
      if (const std::string wrong = start_agent(launch_, node.host, node.agent); !wrong.empty() && !finished_)
        fail(cannot_run, wrong);
    deadline_ms_ = now_ms() + start_ms;
    while (!over())
      wait();
    if (!words_.empty())
      say_words();
    else if (!origin_spoke_ && !unsaid_.empty())
      say("%s", unsaid_.c_str());
    std::vector<AgentProcess> agents;
    for (const Node& node : nodes_)
      agents.push_back(node.agent);
    end_agents(agents);
    return exit_code_;
  }

 private:
  bool tell(Node& node, FrameKind kind, std::string_view bytes) {
    return node.agent.socket >= 0 && write_all(node.agent.socket, node.stream.encode(kind, bytes));
  }

  // --- what happens

  void wait() {
    std::vector<pollfd> polled{{signals_, POLLIN, 0}, {input_open_ && input_taken_ && started_ ? 0 : -1, POLLIN, 0}};
    for (const Node& node : nodes_)
      polled.push_back({node.agent.socket, POLLIN, 0});
    const int64_t left = deadline_ms_ < 0 ? -1 : std::max<int64_t>(deadline_ms_ - now_ms(), 0);
    poll(polled.data(), polled.size(), int(left));
    if (polled[0].revents)
      pass_signals();
    if (polled[1].revents)
      pass_input();
    for (size_t i = 0; i < nodes_.size(); ++i)
      if (polled[2 + i].revents)
        hear(nodes_[i]);
    if (deadline_ms_ >= 0 && now_ms() >= deadline_ms_ && !over())
      too_late();
  }

  void too_late() {
    if (ending_) {
      // The node that ended first has not said why: that is the origin's to do, unless the origin is what it lost.
      if (!nodes_[origin].exit && exit_code_ != 0)
        leave_unsaid(nodes_[origin], "it does not end although another node has lost it");
      finished_ = true;
      return;
    }
    std::string missing;
    for (const Node& node : nodes_)
      if (!node.card)
        missing += ' ' + node.host.name;
    fail(cannot_run, "no answer in " + std::to_string(start_ms / 1000) + " s from:" + missing);
  }

  void hear(Node& node) {
    char bytes[piece_bytes];
    const ssize_t got = read(node.agent.socket, bytes, sizeof bytes);
    if (got < 0 && errno == EINTR)
      return;
    if (got <= 0)
      return lose(node);
    node.stream.add({bytes, size_t(got)});
    while (const auto frame = node.stream.next())
      take(node, *frame);
    if (node.stream.changed())
      fail(lost, "host " + node.host.name + ": what came from its agent was changed on the way");
    else if (node.stream.broken())
      fail(cannot_run, "host " + node.host.name + ": what answers there is no agent of this hetmp");
  }

  void take(Node& node, const Frame& frame) {
    switch (frame.kind) {
    case FrameKind::Ready:
      node.ready = read_ready(frame.bytes);
      if (!node.ready || !node.ready->problem.empty())
        return fail(cannot_run,
                    "host " + node.host.name + ": " + (node.ready ? node.ready->problem : "it makes no sense"));
      if (launch_.encrypt && !node.ready->no_encryption.empty())
        return fail(cannot_run, "host " + node.host.name + ": " + node.ready->no_encryption);
      if (launch_.encrypt && !seal_connection(node))
        return fail(cannot_run, "libsodium has no source of random numbers here");
      return give_order(node);
    case FrameKind::Card:
      node.card = read_card(frame.bytes);
      if (std::all_of(nodes_.begin(), nodes_.end(), [](const Node& each) { return each.card.has_value(); }) &&
          !started_)
        start();
      return;
    case FrameKind::Output:
      write_all(1, frame.bytes);
      return;
    case FrameKind::Error:
      write_all(2, frame.bytes);
      return;
    case FrameKind::Words:
      if (&node == &nodes_[origin] && words_.size() < most_words)
        take_words(frame.bytes);
      return;
    case FrameKind::Taken:
      input_taken_ = true;
      return;
    case FrameKind::Exit:
      node.exit = read_exit(frame.bytes).value_or(Exit{lost, 0});
      return node_has_ended(node);
    default:
      fail(cannot_run, "host " + node.host.name + ": its agent does not know its part");
    }
  }

  uint32_t number_of(const Node& node) const { return uint32_t(&node - nodes_.data()); }

  /// The secret in the open, as the remote shell carries it; everything after that is sealed.
  bool seal_connection(Node& node) {
    Sealing sealing{random_secret()};
    tell(node, FrameKind::Seal, to_json(sealing));
    const bool sealed = node.stream.seal_with(sealing.secret);
    explicit_bzero(&sealing, sizeof sealing);
    return sealed;
  }

  void give_order(Node& node) {
    const std::string order = to_json(make_order(launch_, number_of(node)));
    if (const std::string wrong = size_problem(order); !wrong.empty())
      return fail(cannot_run, wrong);
    tell(node, FrameKind::Order, order);
  }

  void start() {
    Start start;
    start.secret = random_secret();
    std::vector<std::vector<int>> available;
    for (const Node& node : nodes_) {
      start.endpoints.push_back(*node.card);
      start.hosts.push_back(own_name(node.host));
      available.push_back(node.ready->cpus);
    }
    std::string error;
    start.cpus = deal_cpus(launch_.hosts, available, error);
    if (!error.empty())
      return fail(cannot_run, error);
    const std::string text = to_json(start);
    for (Node& node : nodes_)
      tell(node, FrameKind::Start, text);
    started_ = true;
    deadline_ms_ = -1;
  }

  void pass_input() {
    char bytes[piece_bytes];
    const ssize_t got = read(0, bytes, sizeof bytes);
    if (got < 0 && errno == EINTR)
      return;
    input_open_ = got > 0;
    input_taken_ = false; // one piece at a time: what the program does not read stays where it comes from
    tell(nodes_[origin], FrameKind::Input, {bytes, size_t(std::max<ssize_t>(got, 0))});
  }

  /// They are the program's. A second SIGINT or SIGTERM ends what does not listen.
  void pass_signals() {
    while (const int number = read_signal_from(signals_)) {
      const bool asks_to_end = number == SIGINT || number == SIGTERM || number == SIGHUP;
      if (!started_ || (asks_to_end && ++asked_to_end_ > 1)) {
        exit_code_ = 128 + number;
        finished_ = true;
        return;
      }
      passed_.insert(number);
      tell(nodes_[origin], FrameKind::Signal, to_json(number));
    }
  }

  // --- ends

  bool over() const { return finished_; }

  void fail(int code, const std::string& why) {
    if (!ending_ && !finished_) { // one line, whatever else goes wrong
      say("%s", why.c_str());
      exit_code_ = code;
    }
    finished_ = true;
  }

  /// The origin's last ones: it ends now. That may take the kernel long, with a device that waits for a lost link.
  void take_words(const std::string& words) {
    words_ += words;
    if (!ending_)
      exit_code_ = lost;
    begin_to_end();
  }

  /// The origin's end is the program's. Any other end before it lets the origin say why, if it still can.
  void node_has_ended(const Node& node) {
    const bool is_origin = number_of(node) == origin;
    const int code = node.exit->signal != 0 ? 128 + node.exit->signal : node.exit->code;
    if (const int number = node.exit->signal; is_origin && number != 0 && !passed_.contains(number)) {
      const char* name = sigdescr_np(number);
      leave_unsaid(node, "ended by signal " + std::to_string(number) + " (" + (name ? name : "unknown") + ")");
    }
    origin_spoke_ |= is_origin && code == lost;
    if (is_origin || (!ending_ && code != 0))
      exit_code_ = code;
    begin_to_end();
    if (is_origin)
      deadline_ms_ = now_ms() + grace_for_others_ms;
    finished_ |= std::all_of(nodes_.begin(), nodes_.end(), [](const Node& each) { return each.exit.has_value(); });
  }

  void lose(Node& node) {
    close(node.agent.socket);
    node.agent.socket = -1;
    if (node.exit)
      return;
    if (!ending_)
      exit_code_ = started_ ? lost : cannot_run;
    // Also when another node's end was heard first: it ended because it lost this one, and left it to the origin to say
    // so.
    if (!nodes_[origin].exit)
      leave_unsaid(node,
                   "the connection to its agent ended" +
                       (node.ready ? "" : " before hetmp answered there; is " + launch_.tool + " installed on it?"));
    node.exit = Exit{lost, 0};
    begin_to_end();
    finished_ |=
        !started_ || std::all_of(nodes_.begin(), nodes_.end(), [](const Node& each) { return each.exit.has_value(); });
  }

  /// What the origin has seen is that a node was gone; how its process ended is known here.
  void say_words() {
    const size_t end = words_.find('\n');
    const std::string place = words_.substr(0, end);
    const auto crashed = std::find_if(nodes_.begin() + 1, nodes_.end(),
                                      [](const Node& node) { return node.exit && node.exit->signal != 0; });
    if (crashed == nodes_.end()) {
      const std::string line = end == words_.npos ? place : words_.substr(end + 1);
      say("%s", line.substr(0, line.find('\n')).c_str());
      return;
    }
    const int number = crashed->exit->signal;
    const char* name = sigdescr_np(number);
    say("node %u (host %s) was ended by signal %d (%s)%s; the program cannot go on without its memory",
        unsigned(number_of(*crashed)), own_name(crashed->host).c_str(), number, name ? name : "unknown", place.c_str());
    exit_code_ = 128 + number;
  }

  /// To be said at the end, unless the origin speaks: it knows more, the region for one.
  void leave_unsaid(const Node& node, const std::string& what) {
    const std::string host = "host " + node.host.name;
    if (unsaid_.empty())
      unsaid_ = (started_ ? "node " + std::to_string(number_of(node)) + " (" + host + ")" : host) + ": " + what;
  }

  void begin_to_end() {
    if (!ending_)
      deadline_ms_ = now_ms() + grace_for_origin_ms;
    ending_ = true;
  }

  const Launch& launch_;
  std::vector<Node> nodes_;
  int signals_ = -1;
  int64_t deadline_ms_ = -1; ///< negative = none
  bool started_ = false;     ///< the agents have been told to start the program
  bool input_open_ = true;
  bool input_taken_ = true; ///< the origin's program has taken what it was given
  bool ending_ = false;     ///< a node has ended, the others are to follow
  bool finished_ = false;   ///< nothing is waited for any more
  int asked_to_end_ = 0;
  std::set<int> passed_;      ///< signals that the program was sent
  std::string words_;         ///< what the origin would have said, and where the program was
  std::string unsaid_;        ///< what happened, should the origin not say it
  bool origin_spoke_ = false; ///< it ended with the code of a run that lost a node
  int exit_code_ = cannot_run;
};

} // namespace

int launch(const Launch& launch) { return Launcher(launch).run(); }

} // namespace hetmp::launch
