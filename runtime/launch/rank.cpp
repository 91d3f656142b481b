#include "runtime/launch/rank.hpp"

#include "base/environment.hpp"
#include "base/machine/cpu_list.hpp"
#include "base/message.hpp"
#include "base/node_set.hpp"
#include "base/seal/wanted.hpp"
#include "base/variables/variable.hpp"
#include "runtime/launch/connection/own_address.hpp"
#include "runtime/launch/cpu_shares.hpp"
#include "runtime/launch/node_program.hpp"
#include "runtime/launch/pmix.hpp"

#include <csignal>
#include <cstdlib>
#include <map>
#include <sodium.h>
#include <string_view>
#include <sys/prctl.h>
#include <unistd.h>

extern char** environ;

namespace hetmp::launch {
namespace {

constexpr int cannot_run = 1;
constexpr uint32_t origin = 0;

// What each process publishes; the last two only the origin does.
constexpr const char* host_key = "hetmp.host";
constexpr const char* ready_key = "hetmp.ready";
constexpr const char* endpoint_key = "hetmp.endpoint";
constexpr const char* order_key = "hetmp.order"; // its stack and environment are for all
constexpr const char* secret_key = "hetmp.secret";

std::string text_of(const Secret& secret) {
  char text[2 * sizeof(Secret) + 1];
  return sodium_bin2hex(text, sizeof text, secret.data(), secret.size());
}

bool read_secret(const std::string& text, Secret& secret) {
  size_t bytes = 0;
  return sodium_hex2bin(secret.data(), secret.size(), text.data(), text.size(), nullptr, &bytes, nullptr) == 0 &&
         bytes == secret.size();
}

/// What the runtime on all nodes must agree on. A launcher may pass the environment on to some hosts only: mpirun
/// leaves out what -x does not name.
std::map<std::string, std::string> runtime_variables() {
  std::map<std::string, std::string> result;
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view text = *entry;
    const size_t equals = text.find('=');
    if (equals != std::string_view::npos && is_of_openmp_runtimes(text))
      result.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return result;
}

std::string current_folder() {
  char folder[4096];
  return getcwd(folder, sizeof folder) ? folder : "/";
}

/// Launchers send what they are asked to forward to every process of the job. The program's handlers run on the origin;
/// the other nodes end when it does. Ignored signals stay so in the program that is executed.
void leave_signals_to_the_origin() {
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2})
    signal(number, SIG_IGN);
}

/// Once PMIx has been left nothing else tells that the launcher's process on this host is gone, and nobody would be
/// left to end the program: it ends with its parent, and with it the other nodes. This outlives execution. False if the
/// parent is gone already.
bool end_with(pid_t launcher) { return prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == launcher; }

/// One run of become_rank() in a job of several processes.
class Meeting {
 public:
  Meeting(Pmix& pmix, const Rank& rank)
      : pmix_(pmix), rank_(rank), order_{pmix.rank(),
                                         pmix.host(),
                                         current_folder(),
                                         rank.command,
                                         runtime_variables(),
                                         stack_limit(),
                                         pmix.rank() == origin && seal::wanted()} {}

  int run() {
    if (pmix_.size() > most_nodes)
      return refuse("the job has " + std::to_string(pmix_.size()) + " processes, and a run has at most " +
                    std::to_string(most_nodes) + " nodes");
    publish();
    if (error_.empty())
      error_ = pmix_.exchange();
    for (uint32_t rank = 0; rank < pmix_.size() && error_.empty(); ++rank)
      read_card(rank);
    if (error_.empty())
      read_what_the_origin_says();
    if (!error_.empty()) {
      say("host %s: rank %u: %s", pmix_.host().c_str(), pmix_.rank(), error_.c_str());
      return cannot_run;
    }
    if (problem_.empty())
      start_.cpus = share_cpus(start_.hosts, available_, problem_);
    return problem_.empty() ? become() : refuse(problem_);
  }

 private:
  void publish() {
    const auto put = [this](const char* key, const std::string& text) {
      if (error_.empty())
        error_ = pmix_.publish(key, text);
    };
    std::string problem = rank_.problem;
    std::string order = to_json(order_);
    if (problem.empty() && pmix_.rank() == origin)
      problem = size_problem(order);
    if (!problem.empty()) // then it is for nobody, and what is too long is not for PMIx either
      order = to_json(Order{order_.node, order_.host, order_.folder, {"-"}, {}, order_.stack_bytes, order_.encrypt});
    if (problem.empty())
      problem = listen();
    put(host_key, pmix_.host());
    put(ready_key, to_json(Ready{allowed_cpus(), problem, rank_.no_encryption}));
    if (problem.empty())
      put(endpoint_key, to_json(listening_.endpoint()));
    const Secret secret = random_secret(); // in every process: it is what prepares the library for the handshakes
    if (pmix_.rank() != origin)
      return;
    put(order_key, order);
    // The secret goes to whom the launcher lets read the job's data: the job's processes, the launcher's daemons and
    // whoever can read what these send each other. So it trusts the launcher as far as the user does who lets it start
    // programs; whoever can merely reach the listening sockets learns nothing.
    put(secret_key, text_of(secret));
  }

  std::string listen() {
    const OwnAddress own =
        choose_address(interface_addresses(), environment_value(Variable::HETMP_INTERFACE), pmix_.all_on_this_host());
    return own.error.empty() ? listening_.open(own.address) : own.error;
  }

  void read_card(uint32_t rank) {
    const auto host = pmix_.read(rank, host_key);
    const auto ready = read_ready(pmix_.read(rank, ready_key).value_or(""));
    if (host && ready && !ready->problem.empty()) { // then it listens nowhere
      if (problem_.empty())
        problem_ = "host " + *host + ": rank " + std::to_string(rank) + ": " + ready->problem;
      return;
    }
    const auto endpoint = launch::read_card(pmix_.read(rank, endpoint_key).value_or(""));
    if (!host || !ready || !endpoint) {
      error_ = "rank " + std::to_string(rank) + " is no hetmp run of this version";
      return;
    }
    if (!ready->no_encryption.empty() && no_encryption_.empty())
      no_encryption_ = "host " + *host + ": rank " + std::to_string(rank) + ": " + ready->no_encryption;
    start_.hosts.push_back(*host);
    start_.endpoints.push_back(*endpoint);
    available_.push_back(ready->cpus);
  }

  void read_what_the_origin_says() {
    const auto order = read_order(pmix_.read(origin, order_key).value_or(""));
    if (!order || !read_secret(pmix_.read(origin, secret_key).value_or(""), start_.secret)) {
      error_ = "rank 0 has not published what a run starts with";
      return;
    }
    for (const auto& [name, value] : order_.environment)
      unsetenv(name.c_str());
    order_.environment = order->environment;
    order_.stack_bytes = order->stack_bytes;
    order_.encrypt = order->encrypt;
    if (order_.encrypt && problem_.empty())
      problem_ = no_encryption_;
  }

  /// All processes of the job have come to the same conclusion. None of the others ends before it has been said: a
  /// launcher takes the whole job down with the first one.
  int refuse(const std::string& why) {
    if (pmix_.rank() == origin)
      say("%s", why.c_str());
    pmix_.meet();
    return cannot_run;
  }

  int become() {
    pmix_.close();
    if (!end_with(launcher_))
      return cannot_run;
    if (order_.node != origin)
      leave_signals_to_the_origin();
    return become_node(order_, start_, listening_, rank_.library);
  }

  Pmix& pmix_;
  const Rank& rank_;
  const pid_t launcher_ = getppid();
  ListeningSocket listening_;
  Order order_; ///< this process's; environment: the runtime's variables
  Start start_;
  std::vector<std::vector<int>> available_; ///< CPUs, of each process
  std::string error_;                       ///< between this process and its launcher
  std::string problem_;                     ///< of any process, as all of them know it
  std::string no_encryption_;               ///< likewise, if the run is to be encrypted
};

} // namespace

std::optional<int> become_rank(const Rank& rank) {
  Pmix pmix;
  if (const std::string wrong = pmix.open(); !wrong.empty()) {
    say("PMIX_RANK is set, as by a launcher that names the nodes, but %s; --nodes 1 runs the program without it",
        wrong.c_str());
    return cannot_run;
  }
  if (pmix.size() == 1)
    return {};
  return Meeting(pmix, rank).run();
}

} // namespace hetmp::launch
