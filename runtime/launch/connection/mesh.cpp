#include "runtime/launch/connection/mesh.hpp"

#include "base/message.hpp"
#include "runtime/launch/connection/sockets.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <list>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace hetmp::launch {
namespace {

constexpr uint32_t lanes = 2;
/// For a stranger or a peer to say what it has to say.
constexpr int64_t handshake_ms = 5000;
/// Connections that have not proved anything. One more, and the one that has said nothing for longest has to go: a node
/// says all it has to say at once, so strangers cannot keep it out by being many.
constexpr size_t most_pending = 256;
constexpr const char* not_in_time = "it has not said in time who it is";

/// Someone who has connected and not yet proved who it is.
struct Pending {
  Pending(int connected, std::string whence, const Secret& secret, uint32_t self, bool sealed)
      : socket(connected), from(std::move(whence)), listener(secret, self, sealed),
        deadline_ms(now_ms() + handshake_ms) {}

  int socket;
  std::string from;
  Listener listener;
  int64_t deadline_ms;
  bool challenged = false;
  size_t have = 0;
  union {
    Hello hello;
    Proof proof;
    uint8_t bytes[sizeof(Hello)];
  } buffer{};

  size_t wanted() const { return challenged ? sizeof(Proof) : sizeof(Hello); }
};

class MeshBuilder {
 public:
  MeshBuilder(uint32_t self, const std::vector<Endpoint>& endpoints, const ListeningSocket& own, const Secret& secret,
              int patience_s, bool sealed)
      : self_(self), endpoints_(endpoints), own_(own), secret_(secret), sealed_(sealed),
        deadline_ms_(now_ms() + patience_s * int64_t(1000)) {
    mesh_.sockets.assign(endpoints.size(), {-1, -1});
    if (sealed)
      mesh_.keys.resize(endpoints.size());
  }

  Mesh build() {
    for (uint32_t node = 0; node < self_ && mesh_.error.empty(); ++node)
      for (uint32_t lane = 0; lane < lanes && mesh_.error.empty(); ++lane)
        open_connection(node, lane);
    missing_ = (endpoints_.size() - self_ - 1) * lanes;
    while (missing_ != 0 && mesh_.error.empty())
      wait_for_others();
    for (const Pending& pending : pending_)
      refuse(pending, not_in_time);
    if (!mesh_.error.empty())
      close_all();
    return std::move(mesh_);
  }

 private:
  void open_connection(uint32_t node, uint32_t lane) {
    const Endpoint& endpoint = endpoints_[node];
    const std::string peer = "node " + std::to_string(node) + " at " + endpoint.address;
    Resolved to;
    if (mesh_.error = resolve(endpoint.address, endpoint.port, to); !mesh_.error.empty())
      return;
    const int socket = connect_by(to, deadline_ms_);
    if (socket < 0) {
      mesh_.error = "cannot connect to " + peer + ": " + strerrordesc_np(errno);
      return;
    }
    mesh_.sockets[node][lane] = socket;
    const Opener opener(secret_, {self_, node, lane, uint32_t(sealed_)});
    Challenge challenge;
    if (!write_exactly(socket, &opener.hello(), sizeof(Hello)) ||
        !read_exactly(socket, &challenge, sizeof challenge, deadline_ms_)) {
      mesh_.error = peer + " does not answer as a node of this run";
      return;
    }
    const auto proof = opener.answer(challenge);
    if (!proof)
      mesh_.error = peer + " does not know this run's secret";
    else if (!write_exactly(socket, &*proof, sizeof *proof))
      mesh_.error = peer + " closed the connection";
    else if (sealed_ && !keep_keys(node, lane, opener.keys(challenge)))
      mesh_.error = peer + " does not answer as a node of this run";
  }

  bool keep_keys(uint32_t node, uint32_t lane, const std::optional<seal::KeyPair>& keys) {
    mesh_.keys[node][lane] = keys.value_or(seal::KeyPair{});
    return keys.has_value();
  }

  void wait_for_others() {
    const int64_t now = now_ms();
    if (now >= deadline_ms_) {
      mesh_.error = "not all nodes behind node " + std::to_string(self_) + " have connected in time";
      return;
    }
    std::vector<pollfd> polled{{own_.descriptor(), POLLIN, 0}};
    int64_t soonest = deadline_ms_;
    for (const Pending& pending : pending_) {
      polled.push_back({pending.socket, POLLIN, 0});
      soonest = std::min(soonest, pending.deadline_ms);
    }
    poll(polled.data(), polled.size(), int(std::max<int64_t>(soonest - now, 0)));
    size_t index = 1;
    for (auto it = pending_.begin(); it != pending_.end(); ++index) {
      const bool done = polled[index].revents ? go_on(*it) : refuse_if_late(*it);
      it = done ? pending_.erase(it) : std::next(it);
    }
    if (polled[0].revents)
      take_connection();
  }

  void take_connection() {
    sockaddr_storage address{};
    socklen_t bytes = sizeof address;
    const int socket = accept(own_.descriptor(), reinterpret_cast<sockaddr*>(&address), &bytes);
    if (socket < 0)
      return;
    if (pending_.size() >= most_pending)
      make_place();
    if (go_on(pending_.emplace_back(socket, numeric(address, bytes), secret_, self_, sealed_)))
      pending_.pop_back();
  }

  void make_place() {
    auto oldest = std::find_if(pending_.begin(), pending_.end(), [](const Pending& each) { return !each.challenged; });
    if (oldest == pending_.end())
      oldest = pending_.begin();
    refuse(*oldest, not_in_time);
    pending_.erase(oldest);
  }

  /// True when the pending connection is one no more: accepted, or refused.
  bool go_on(Pending& pending) {
    const ssize_t got =
        recv(pending.socket, pending.buffer.bytes + pending.have, pending.wanted() - pending.have, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
      return false;
    if (got <= 0)
      return refuse(pending, "it closed the connection before it had proved anything");
    pending.have += size_t(got);
    if (pending.have < pending.wanted())
      return false;
    pending.have = 0;
    if (pending.challenged)
      return pending.listener.accept(pending.buffer.proof) ? accept_node(pending)
                                                           : refuse(pending, "it replays another connection's hello");
    const Hello hello = pending.buffer.hello;
    if (const char* wrong = pending.listener.check(hello))
      return refuse(pending, wrong);
    pending.challenged = true;
    if (!write_exactly(pending.socket, &pending.listener.challenge(), sizeof(Challenge)))
      return refuse(pending, "it does not take an answer");
    return false;
  }

  bool accept_node(const Pending& pending) {
    const Purpose& purpose = pending.listener.purpose();
    if (purpose.opener <= self_ || purpose.opener >= endpoints_.size() || purpose.lane >= lanes ||
        mesh_.sockets[purpose.opener][purpose.lane] >= 0)
      return refuse(pending, "it is a node that is here already, or none of this run");
    if (sealed_ && !keep_keys(purpose.opener, purpose.lane, pending.listener.keys()))
      return refuse(pending, "its public key is none");
    mesh_.sockets[purpose.opener][purpose.lane] = pending.socket;
    --missing_;
    return true;
  }

  bool refuse_if_late(const Pending& pending) {
    return now_ms() >= pending.deadline_ms && refuse(pending, not_in_time);
  }

  bool refuse(const Pending& pending, const char* why) {
    say("refused a connection from %s while the run starts: %s", pending.from.c_str(), why);
    close(pending.socket);
    return true;
  }

  void close_all() {
    for (auto& pair : mesh_.sockets)
      for (const int socket : pair)
        if (socket >= 0)
          close(socket);
    mesh_.sockets.clear();
    dsm::forget(mesh_.keys);
  }

  const uint32_t self_;
  const std::vector<Endpoint>& endpoints_;
  const ListeningSocket& own_;
  const Secret& secret_;
  const bool sealed_;
  const int64_t deadline_ms_;
  Mesh mesh_;
  size_t missing_ = 0; ///< connections of the nodes behind this one
  std::list<Pending> pending_;
};

} // namespace

Mesh connect_mesh(uint32_t self, const std::vector<Endpoint>& endpoints, const ListeningSocket& own,
                  const Secret& secret, int patience_s, bool sealed) {
  if (!start_cryptography()) // the secret was made by another process
    return {{}, {}, "libsodium has no source of random numbers here"};
  return MeshBuilder(self, endpoints, own, secret, patience_s, sealed).build();
}

} // namespace hetmp::launch
