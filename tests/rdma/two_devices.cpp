// The plugin's devices with each other: several in one process, each in the part of a node. What they write arrives, as
// it was and in order, is told of, wakes who sleeps; and what goes wrong is told of once.
//   rdma_two_devices FOLDER [POSTS]     with the folder of libhetmp_verbs.so
// Exit codes: 0 passed, 1 failed, 77 there is no device here.
#include "side.hpp"

#include <algorithm>
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace hetmp::dsm {
namespace {

constexpr int skipped = 77;
using Kind = RdmaCompletion::Kind;
using Sides = std::vector<std::unique_ptr<Side>>;

Sides connected(const RdmaPlugin& plugin, const Limits& limits) {
  Sides sides;
  for (uint32_t node = 0; node < limits.nodes; ++node) {
    sides.push_back(std::make_unique<Side>(plugin, node, limits));
    const std::string problem = sides.back()->open();
    require(problem.empty(), "open: %s", problem.c_str());
  }
  for (auto& one : sides)
    for (auto& other : sides)
      if (one != other) {
        const std::string problem = one->device().connect(other->self(), other->device().card(one->self()));
        require(problem.empty(), "connect: %s", problem.c_str());
      }
  return sides;
}

/// One direction of a bulk transfer: how far it has come.
struct Flow {
  uint64_t posted = 0, sent = 0, arrived = 0;
  uint32_t immediate(uint64_t n) const { return uint32_t(n * 2654435761U); }
};

uint32_t bytes_of(uint64_t n) {
  constexpr uint32_t sizes[] = {0, 1, 8, 64, 127, 128, 129, 200, 1024, 4096, 4160};
  return sizes[n % std::size(sizes)];
}

uint8_t byte_of(uint64_t n, uint32_t from, uint32_t i) { return uint8_t(n * 7 + from * 31 + i * (n % 13 + 1)); }

class Bulk {
 public:
  Bulk(Sides& sides, uint64_t total) : sides_(sides), total_(total) {
    for (uint32_t node = 0; node < sides.size(); ++node)
      for (uint32_t other = 0; other < sides.size(); ++other)
        if (node != other)
          ++directions_;
  }

  void run() {
    const double end = seconds_now() + 200;
    while (done_ < directions_) {
      for (auto& side : sides_) {
        for (uint32_t to = 0; to < sides_.size(); ++to)
          if (to != side->self())
            send(*side, to);
        take(*side);
      }
      require(seconds_now() < end, "the bulk does not end");
    }
  }

 private:
  Flow& flow(uint32_t from, uint32_t to) { return flows_[from][to]; }

  /// A slot is free when its post is complete and what is in the ring has been looked at.
  void send(Side& side, uint32_t to) {
    Flow& way = flow(side.self(), to);
    for (int chain = 0; chain < 7 && way.posted < total_; ++chain) {
      if (way.posted - std::min(way.sent, way.arrived) >= slots)
        break;
      const uint64_t n = way.posted++;
      const auto slot = uint32_t(n % slots);
      RdmaPost post;
      post.offset = uint32_t(slot * slot_bytes);
      post.bytes = bytes_of(n);
      post.immediate = way.immediate(n);
      post.reports = n % 16 == 15 || n + 1 == total_;
      for (uint32_t i = 0; i < post.bytes; ++i)
        side.staged(to, slot)[i] = byte_of(n, side.self(), i);
      side.device().post(to, post);
    }
    require(side.device().flush(to), "flush to %u", to);
  }

  void take(Side& side) {
    RdmaCompletion completions[24];
    const size_t count = side.device().poll(completions);
    for (size_t i = 0; i < count; ++i)
      look_at(side, completions[i]);
  }

  void look_at(Side& side, const RdmaCompletion& completion) {
    if (completion.kind == Kind::Sent) {
      Flow& way = flow(side.self(), completion.node);
      require(completion.posts > way.sent && completion.posts <= way.posted &&
                  (completion.posts % 16 == 0 || completion.posts == total_),
              "Sent of %lu posts, %lu before, %lu posted", completion.posts, way.sent, way.posted);
      way.sent = completion.posts;
      done_ += way.sent == total_ && way.arrived == total_;
      return;
    }
    require(completion.kind == Kind::Arrived, "node %u to %u: %s", side.self(), completion.node, completion.reason);
    Flow& way = flow(completion.node, side.self());
    const uint64_t n = way.arrived;
    require(completion.immediate == way.immediate(n), "number %lu arrived with another's immediate", n);
    require(completion.bytes == bytes_of(n), "number %lu has %u bytes", n, completion.bytes);
    const uint8_t* bytes = side.arrived(completion.node, uint32_t(n % slots));
    for (uint32_t i = 0; i < completion.bytes; ++i)
      require(bytes[i] == byte_of(n, completion.node, i), "number %lu, byte %u is wrong", n, i);
    ++way.arrived;
    done_ += way.sent == total_ && way.arrived == total_;
  }

  Sides& sides_;
  uint64_t total_;
  size_t directions_ = 0, done_ = 0;
  std::array<std::array<Flow, 4>, 4> flows_{};
};

void post_number(Side& side, uint32_t to, uint32_t number) {
  RdmaPost post;
  post.immediate = number;
  post.reports = true;
  side.device().post(to, post);
  require(side.device().flush(to), "flush");
}

bool readable(Side& side, int milliseconds) {
  pollfd waiting{side.device().completion_descriptor(), POLLIN, 0};
  return ::poll(&waiting, 1, milliseconds) == 1;
}

/// An armed queue tells of one completion, once. Begins with nothing on the way.
void one_bell(Side& one, Side& other) {
  RdmaCompletion completion;
  for (uint32_t round = 0; round < 20; ++round) {
    other.device().arm();
    require(other.device().poll({&completion, 1}) == 0 && !readable(other, 0), "round %u: something is left", round);
    post_number(one, other.self(), round);
    require(readable(other, 5000), "round %u: nothing is told", round);
    other.device().acknowledge();
    require(!readable(other, 0), "round %u: readable after it was acknowledged", round);
    require(other.device().poll({&completion, 1}) == 1 && completion.immediate == round, "round %u: not come", round);
    while (one.device().poll({&completion, 1}) == 0)
      sched_yield();
    require(completion.kind == Kind::Sent, "round %u: not sent", round);
  }
}

/// Empties what is still to come, and told of, so that a case begins with nothing.
void drain(Sides& sides) {
  const double end = seconds_now() + 1;
  while (seconds_now() < end)
    for (auto& side : sides) {
      RdmaCompletion completion;
      if (side->device().poll({&completion, 1}) != 0)
        require(completion.kind == Kind::Sent, "something is left");
      side->device().acknowledge();
    }
}

/// Back and forth between two threads that sleep: who is not woken is noticed.
void ping_pong(Side& one, Side& other, uint32_t rounds) {
  const auto play = [rounds](Side& side, uint32_t to, bool begins) {
    if (begins)
      post_number(side, to, 0);
    uint32_t heard = 0, sent = 0;
    while (heard < rounds) {
      RdmaCompletion completion;
      require(side.sleep_until_completion(completion, 20), "node %u: not woken in round %u", side.self(), heard);
      require(completion.kind != Kind::Failed, "%s", completion.reason);
      if (completion.kind == Kind::Sent) {
        ++sent;
        continue;
      }
      require(completion.immediate == heard && completion.bytes == 0, "round %u: %u came", heard, completion.immediate);
      ++heard;
      if (!begins || heard < rounds)
        post_number(side, to, begins ? heard : heard - 1);
    }
  };
  std::thread thread([&] { play(other, one.self(), false); });
  play(one, other.self(), true);
  thread.join();
}

/// The failure of `node` as `side` is told it: in time and once.
std::string told_failure(Side& side, uint32_t node) {
  std::string reason;
  const double begin = seconds_now();
  double end = begin + 20;
  while (seconds_now() < end) {
    RdmaCompletion completions[8];
    const size_t count = side.device().poll(completions);
    for (size_t i = 0; i < count; ++i) {
      if (completions[i].kind != Kind::Failed)
        continue;
      require(completions[i].node == node && reason.empty(), "node %u is told as failed", completions[i].node);
      reason = std::string(completions[i].reason) + " after " + std::to_string(seconds_now() - begin) + " s";
      end = std::min(end, seconds_now() + 1);
    }
    sched_yield();
  }
  require(!reason.empty(), "no failure of node %u is told", node);
  return reason;
}

void one_that_goes(Sides& sides) {
  sides.pop_back();
  const auto gone = uint32_t(sides.size());
  for (uint32_t i = 0; i < 40; ++i) // more than what reports, and all in flight
    sides[0]->device().post(gone, {uint32_t(i * slot_bytes), 100, i, i % 16 == 15});
  sides[0]->device().flush(gone);
  post_number(*sides[1], gone, 1);
  for (auto& side : sides) {
    printf("node %u of node %u: %s\n", side->self(), gone, told_failure(*side, gone).c_str());
    side->device().post(gone, {});
    require(!side->device().flush(gone), "flush() to one that has failed");
    require(!side->device().take_event(), "an event that ends all");
  }
  ping_pong(*sides[0], *sides[1], 20);
}

/// More than the other has receives for ends the connection in time, too.
void one_that_sends_too_much(const RdmaPlugin& plugin) {
  Limits limits;
  limits.nodes = 2;
  limits.most_arrivals = 16;
  Sides sides = connected(plugin, limits);
  for (uint32_t i = 0; i < 20; ++i)
    sides[0]->device().post(1, {0, 8, i, true});
  sides[0]->device().flush(1);
  printf("too much: %s\n", told_failure(*sides[0], 1).c_str());
}

void what_cannot_be_opened(const RdmaPlugin& plugin) {
  Side side(plugin, 0, {});
  const std::string unknown = side.open("nonesuch:1");
  printf("unknown device: %s\n", unknown.c_str());
  require(unknown.find("no such device") != std::string::npos, "an unknown device is opened");
  Limits many;
  many.most_arrivals = 1U << 30;
  const std::string greedy = Side(plugin, 0, many).open();
  printf("too many: %s\n", greedy.c_str());
  require(greedy.find("are needed") != std::string::npos, "as many receives as that");

  // Without the right to lock memory, as most users are.
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    const rlimit little{64 << 10, 64 << 10};
    require(setrlimit(RLIMIT_MEMLOCK, &little) == 0 && setuid(65534) == 0, "cannot become nobody");
    const std::string problem = Side(plugin, 0, {}).open();
    printf("little to lock: %s\n", problem.c_str());
    fflush(stdout);
    _exit(problem.find("ulimit -l") != std::string::npos || problem.find("Permission denied") != std::string::npos ? 0
                                                                                                                   : 1);
  }
  int status = 0;
  require(waitpid(child, &status, 0) == child && status == 0, "what is said of too little memory to lock");
}

void cards_that_are_refused(Sides& sides) {
  RdmaCard card = sides[0]->device().card(1);
  card.mtu = 9;
  const std::string problem = sides[1]->device().connect(0, card);
  require(!problem.empty(), "a card with such an MTU is taken");
}

int run(const std::string& folder, uint64_t posts) {
  std::string problem;
  const RdmaPlugin* plugin = load_rdma_plugin(folder, problem);
  if (plugin)
    problem = plugin->prepare();
  const auto ports = plugin && problem.empty() ? rdma_ports(*plugin, problem) : std::vector<RdmaPort>{};
  if (std::none_of(ports.begin(), ports.end(), [](const RdmaPort& port) { return port.active; })) {
    printf("skipped: %s\n", problem.empty() ? "no port is active" : problem.c_str());
    return skipped;
  }
  what_cannot_be_opened(*plugin);
  Sides sides = connected(*plugin, {});
  printf("%s\n", sides[0]->device().description().c_str());
  cards_that_are_refused(sides);
  Bulk(sides, posts).run();
  printf("%lu posts each way between %zu nodes arrived\n", posts, sides.size());
  drain(sides);
  one_bell(*sides[0], *sides[1]);
  ping_pong(*sides[0], *sides[1], 1000);
  printf("1000 rounds between sleepers\n");
  drain(sides);
  one_that_goes(sides);
  one_that_sends_too_much(*plugin);
  printf("passed\n");
  return 0;
}

} // namespace
} // namespace hetmp::dsm

int main(int count, char** words) {
  if (count < 2) {
    fprintf(stderr, "usage: rdma_two_devices FOLDER [POSTS]\n");
    return 2;
  }
  return hetmp::dsm::run(words[1], count > 2 ? strtoull(words[2], nullptr, 10) : 4000);
}
