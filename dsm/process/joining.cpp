// How a run begins whose processes a launcher has started: NodeProcess's part in making sure that all have loaded the
// same.
#include "base/clock.hpp"
#include "base/environment.hpp"
#include "base/message.hpp"
#include "base/variables/variable.hpp"
#include "dsm/objects/anonymous_data.hpp"
#include "dsm/objects/identity.hpp"
#include "dsm/process/control_message.hpp"
#include "dsm/process/node_process.hpp"
#include "dsm/transport/make_transport.hpp"

#include <algorithm>
#include <ctime>

namespace hetmp::dsm {
namespace {

constexpr int failure = 70; // EX_SOFTWARE

/// For all nodes to join, from when the launcher has connected them: programs load in that time.
constexpr int64_t patience_s = 30;

} // namespace

/// How long a node may be silent, in nanoseconds; `usual` if nobody says. Complains if `aloud`.
int64_t patience_with_silence(int64_t usual, bool aloud) {
  constexpr int64_t least_s = 2, most_s = 86'400; // a sign of life comes every second
  const auto text = environment_value(Variable::HETMP_PATIENCE);
  if (!text)
    return usual;
  if (equal_ignoring_case(*text, "off"))
    return Transport::endless_patience;
  const auto seconds = parse_integer(*text, least_s, most_s);
  if (!seconds && aloud)
    complain(Variable::HETMP_PATIENCE, *text, "neither off nor a number of seconds from 2 to 86400",
             std::to_string(usual / 1'000'000'000));
  return seconds ? *seconds * 1'000'000'000 : usual;
}

/// Each process was started by itself, so nothing is inherited: the origin's globals hold what is true, the others'
/// copies are dropped, and all must have loaded the same files to the same places.
void NodeProcess::join_node_processes() {
  // A whole message takes its time where links are slow.
  constexpr int64_t least_with_messages = 10'000'000'000;
  Transport::Place place;
  place.node = launch_.node;
  place.nodes = plan_.nodes();
  place.sockets = launch_.sockets;
  place.cipher = cipher_;
  place.keys = &keys_;
  place.watch = Transport::Watch::Silence;
  place.patience_ns = patience_with_silence(Transport::usual_patience_ns, launch_.node == origin);
  place.patience_with_messages_ns = place.patience_ns == Transport::endless_patience
                                        ? place.patience_ns
                                        : std::max(4 * place.patience_ns, least_with_messages);
  std::unique_ptr<Transport> transport = make_transport(*launch_.transport);
  transport->join(place);
  forget(keys_);
  transport_ = std::move(transport);
  own_identity_ = own_identity();
  if (launch_.node != origin)
    serve_as_node(launch_.node);
  identities_.resize(plan_.nodes());
  make_data_anonymous(); // what has been loaded since the first constructor
  become(origin);
  serve();
  wait_until_all_have_joined();
}

void NodeProcess::wait_until_all_have_joined() {
  const uint32_t others = plan_.nodes() - 1;
  const int64_t deadline = monotonic_ns() + patience_s * 1'000'000'000;
  // acquire: pairs with the release in node_joins(); what the others have checked is done
  while (joined_.load(std::memory_order_acquire) != others) {
    constexpr timespec moment{0, 1'000'000};
    nanosleep(&moment, nullptr);
    if (monotonic_ns() > deadline)
      die(failure, "only %u of %u other nodes have joined the run in %d s", joined_.load(std::memory_order_relaxed),
          others, int(patience_s));
  }
}

/// Service thread of the origin. An empty fact: there are no more.
void NodeProcess::node_joins(uint32_t from, const std::string& fact) {
  if (from >= identities_.size() || joined_.load(std::memory_order_relaxed) >= plan_.nodes() - 1)
    die(failure, "%s joins a run that has begun", name_of(from).c_str());
  if (!fact.empty()) {
    identities_[from].push_back(fact);
    return;
  }
  if (const std::string wrong = first_difference(own_identity_, identities_[from], name_of(from)); !wrong.empty())
    die(failure, "%s; all nodes of a run need the same files at the same places", wrong.c_str());
  joined_.fetch_add(1, std::memory_order_release);
}

/// To the origin, which compares it with its own.
void NodeProcess::tell_identity() {
  for (const std::string& fact : own_identity_)
    send_control(*transport_, origin, Lane::Anyone, control::Fact{}, fact.data(), std::min(fact.size(), page_bytes));
  send_control(*transport_, origin, Lane::Anyone, control::Joined{});
}

} // namespace hetmp::dsm
