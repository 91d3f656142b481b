// Locks of several nodes inside the test program: a table for each, threads, and a service thread a node that brings
// messages in the order that the real lanes guarantee. What the locks guard is plain memory.
#include "runtime/sync/node_lock.hpp"

#include "kmpc.hpp"
#include "runtime/global/lock_owners.hpp"
#include "runtime/global/node_locks.hpp"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <random>
#include <thread>

namespace hetmp::test {
namespace {

using namespace runtime;

/// What has been sent and not been taken. Closed: take() returns nothing once it is empty.
template <class Message> class Lane {
 public:
  void put(const Message& message) {
    std::lock_guard guard(lock_);
    messages_.push_back(message);
    changed_.notify_all();
  }
  std::optional<Message> take() {
    std::unique_lock guard(lock_);
    changed_.wait(guard, [&] { return !messages_.empty() || closed_; });
    if (messages_.empty())
      return {};
    const Message message = messages_.front();
    messages_.pop_front();
    return message;
  }
  void close() {
    std::lock_guard guard(lock_);
    closed_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex lock_;
  std::condition_variable changed_;
  std::deque<Message> messages_;
  bool closed_ = false;
};

class Nodes;

NodeLockTable& kept_table() {
  static auto& kept = *new std::deque<NodeLockTable>; // reachable, so nobody takes them for lost
  return kept.emplace_back();
}

class Node final : public NodeLocks {
 public:
  Node(Nodes& all, uint32_t number) : all_(all), number_(number) { table.attach(*this, number == 0); }

  void waits_outside(bool /*begins*/) override {}
  uint64_t asked_locks() const override { return 0; }
  void ask_lock(uint64_t key) override { post({{.node = number_}, Request::Lock{key}}); }
  void give_back_lock(uint64_t key, bool again) override {
    post({{.node = number_}, Request::GiveBackLock{key, again}});
  }
  void release_lock(uint64_t key) override { post({{.node = number_}, Request::ReleaseLock{key}}); }
  bool try_lock(uint64_t key) override {
    Lane<bool> answer;
    uint32_t ticket;
    {
      std::lock_guard guard(tries_lock_);
      tries_.push_back(&answer);
      ticket = uint32_t(tries_.size());
    }
    post({{number_, ticket}, Request::TryLock{key}});
    return *answer.take();
  }

  /// The service thread; appends what the node says to it.
  void hear(const Answer& answer, std::vector<Request>& replies);

  NodeLockTable& table = kept_table(); // as long as the program, like the runtime's
  Lane<Answer> answers;

 private:
  void post(const Request& request);

  Nodes& all_;
  uint32_t number_;
  std::mutex tries_lock_;
  std::deque<Lane<bool>*> tries_;
};

class Nodes {
 public:
  explicit Nodes(uint32_t count) {
    for (uint32_t n = 0; n < count; ++n)
      nodes_.emplace_back(*this, n);
    coordinator_ = std::thread([this] {
      while (const auto request = requests.take())
        handle(*request);
    });
    for (uint32_t n = 1; n < count; ++n)
      services_.emplace_back([this, n] {
        std::vector<Request> replies;
        while (const auto answer = nodes_[n].answers.take()) {
          nodes_[n].hear(*answer, replies);
          for (const Request& reply : replies)
            requests.put(reply);
          replies.clear();
        }
      });
  }
  ~Nodes() {
    for (Node& node : nodes_)
      node.answers.close();
    for (std::thread& service : services_)
      service.join();
    requests.close();
    coordinator_.join();
  }
  Node& operator[](uint32_t number) { return nodes_[number]; }

  Lane<Request> requests;

 private:
  void handle(const Request& request) {
    std::vector<Request> open{request};
    for (size_t i = 0; i < open.size(); ++i) {
      std::vector<Answer> given;
      EXPECT_TRUE(ask(Request(open[i]), given));
      for (const Answer& answer : given)
        if (answer.to.node == 0)
          nodes_[0].hear(answer, open);
        else
          nodes_[answer.to.node].answers.put(answer);
    }
  }
  bool ask(const Request& request, std::vector<Answer>& given) {
    if (const auto* lock = std::get_if<Request::Lock>(&request.content))
      return owners_.lock(request.from, lock->key, given);
    if (const auto* tries = std::get_if<Request::TryLock>(&request.content))
      return owners_.try_lock(request.from, tries->key, given);
    if (const auto* back = std::get_if<Request::GiveBackLock>(&request.content))
      return owners_.give_back(request.from, back->key, back->again, given);
    if (const auto* released = std::get_if<Request::ReleaseLock>(&request.content)) {
      owners_.release(released->key, given);
      return true;
    }
    const auto& kept = std::get<Request::KeepLock>(request.content);
    return owners_.keep(request.from, kept.key, kept.trial, given);
  }

  std::deque<Node> nodes_;
  LockOwners owners_; ///< the coordinator's thread's
  std::thread coordinator_;
  std::vector<std::thread> services_;
};

void Node::post(const Request& request) { all_.requests.put(request); }

void Node::hear(const Answer& answer, std::vector<Request>& replies) {
  using lock_word::Tell;
  const auto reply = [&](Tell what, uint64_t key, uint32_t trial) {
    if (what == Tell::GiveBack || what == Tell::GiveBackAndAsk)
      replies.push_back({{.node = number_}, Request::GiveBackLock{key, what == Tell::GiveBackAndAsk}});
    else if (what == Tell::Keep)
      replies.push_back({{.node = number_}, Request::KeepLock{key, trial}});
  };
  if (const auto* granted = std::get_if<Answer::LockGranted>(&answer.content)) {
    EXPECT_TRUE(table.granted(granted->key, granted->recalled));
  } else if (const auto* asked = std::get_if<Answer::LockRecalled>(&answer.content)) {
    reply(table.recalled(asked->key, asked->trial != 0, asked->leaves), asked->key, asked->trial);
  } else if (const auto* released = std::get_if<Answer::LockReleased>(&answer.content)) {
    const auto tell = table.released(released->key);
    ASSERT_TRUE(tell);
    reply(*tell, released->key, 0);
  } else if (const auto* home = std::get_if<Answer::LockHome>(&answer.content)) {
    table.came_home(home->key);
  } else {
    const auto& tried = std::get<Answer::LockTried>(answer.content);
    if (tried.taken) {
      EXPECT_TRUE(table.granted_to_trier(tried.key, tried.recalled));
    }
    std::lock_guard guard(tries_lock_);
    tries_[answer.to.ticket - 1]->put(tried.taken);
  }
}

/// Threads of each node take `keys` locks at random, two at a time now and then, and count under each.
void expect_exclusion(uint32_t count, int threads_of_node, uint64_t keys, uint64_t distance) {
  constexpr uint64_t first = 0x7f0000001000;
  Nodes nodes(count);
  std::vector<int> counts(keys);
  std::atomic<int> total{0};
  std::vector<std::thread> threads;
  for (uint32_t n = 0; n < count; ++n)
    for (int t = 0; t < threads_of_node; ++t)
      threads.emplace_back([&, n, t] {
        std::mt19937 random(n * 100 + uint32_t(t));
        NodeLockTable& table = nodes[n].table;
        int mine = 0;
        for (int turn = 0, turns = rounds(2000); turn < turns; ++turn) {
          const uint64_t a = random() % keys, b = random() % keys;
          if (random() % 4 == 0) {
            if (!table.try_lock(first + a * distance))
              continue;
          } else {
            table.lock(first + a * distance);
          }
          const bool both = b > a && random() % 4 == 0; // in ascending order
          if (both) {
            table.lock(first + b * distance);
            increment_slowly(counts[b], turn);
          }
          increment_slowly(counts[a], turn);
          mine += both ? 2 : 1;
          table.unlock(first + a * distance);
          if (both)
            table.unlock(first + b * distance);
        }
        total += mine;
      });
  for (std::thread& thread : threads)
    thread.join();
  int sum = 0;
  for (int one : counts)
    sum += one;
  EXPECT_EQ(sum, total.load());
}

TEST(NodeLocks, OneForAll) { expect_exclusion(3, 2, 1, 8); }
TEST(NodeLocks, SomeBesideEachOther) { expect_exclusion(2, 3, 6, 8); }
TEST(NodeLocks, MoreInASetThanItHasWordsFor) { expect_exclusion(3, 2, 32, 1); }
TEST(NodeLocks, ManyFarApart) { expect_exclusion(4, 1, 1000, 4096); }

/// Threads of all nodes take a lock; others, of any node, release it.
TEST(NodeLocks, ThreadsOfOtherNodesReleaseThem) {
  constexpr uint64_t key = 0x7f0000003000;
  constexpr uint32_t count = 3;
  Nodes nodes(count);
  Lane<int> held; // how often the lock has been taken; for whoever is to release it
  int taken = 0;  // guarded by the lock
  std::atomic<int> elsewhere{0};
  std::vector<std::thread> takers, releasers;
  for (uint32_t n = 0; n < count; ++n) {
    for (int t = 0; t < 2; ++t)
      takers.emplace_back([&, n] {
        for (int turn = 0, turns = rounds(1000); turn < turns; ++turn) {
          nodes[n].table.lock(key);
          held.put(++taken);
        }
      });
    releasers.emplace_back([&, n] {
      while (held.take())
        if (!nodes[n].table.unlock(key)) {
          nodes[n].table.unlock_elsewhere(key);
          ++elsewhere;
        }
    });
  }
  for (std::thread& taker : takers)
    taker.join();
  held.close();
  for (std::thread& releaser : releasers)
    releaser.join();
  EXPECT_EQ(taken, int(count) * 2 * rounds(1000));
  EXPECT_GT(elsewhere.load(), 0);
  nodes[0].table.lock(key); // it is free
}

TEST(NodeLocks, AThreadMayHoldMoreThanASetHasWordsFor) {
  constexpr uint64_t first = 0x7f0000002000, many = 32;
  Nodes nodes(2);
  for (uint32_t n : {1u, 0u, 1u}) {
    for (uint64_t key = first; key < first + many; ++key)
      nodes[n].table.lock(key);
    for (uint64_t key = first; key < first + many; ++key)
      EXPECT_FALSE(nodes[1 - n].table.try_lock(key));
    for (uint64_t key = first; key < first + many; ++key)
      nodes[n].table.unlock(key);
  }
  for (uint64_t key = first; key < first + many; ++key)
    EXPECT_TRUE(nodes[0].table.try_lock(key)) << "free on another node";
}

} // namespace
} // namespace hetmp::test
