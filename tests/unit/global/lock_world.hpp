// A lock on several nodes, as a state that can be copied and compared: the coordinator's part as it is
// (global/lock_owners.hpp), the nodes' words by the functions that the table uses (sync/lock_word.hpp), threads that
// lock, try and unlock, messages under way. Every step is one that the real parts take in one go.
#pragma once

#include "runtime/global/lock_owners.hpp"
#include "runtime/sync/lock_word.hpp"

#include <algorithm>
#include <deque>
#include <string>
#include <vector>

namespace hetmp::runtime::lock_test {

using namespace lock_word;

/// What may be wrong in a world.
enum class Fault {
  None,
  RecallForgotten,      ///< a node does not note that a held lock is recalled
  GrantForgetsRecall,   ///< nor that others wait behind it when it is granted
  AgainForgotten,       ///< a node that gives a lock back does not say that it wants it again
  OriginBelievesItself, ///< the origin takes a lock without a look at what is away
  GivenBackAwaited,     ///< a node gives a lock back that its threads sleep for
  NobodyWoken,          ///< a release does not wake
  WokenKept,            ///< a thread that was woken sleeps again and lets the others believe it is awake
  OriginHearsLate,      ///< the origin's own answers wait while the next request is looked at
  TrialsAlike,          ///< the coordinator takes an old Keep for the one it waits for
  TrialTakesTime,       ///< a node keeps a lock it was asked for on trial and does not say so
  HomeUntold,           ///< the origin is not told that no other node wants a lock any more
  ReleaseMissent,       ///< the coordinator tells the node that releases another's lock, not the lock's owner
  ReleaseUntold,        ///< a node does not say what follows from a release by another node
};

struct Thread {
  enum State : char { Idle = 'i', Placed = 'p', Asleep = 's', Awake = 'a', Asking = 't', Holding = 'h' } state = Idle;
  std::string
      program; ///< what it still does: L lock and unlock, T try (and unlock), A lock and leave it to R, R unlock
  bool excused = false; ///< somebody else had or wanted the lock while this thread tried

  /// `releasable`: a thread has left the lock to others, and none has released it.
  bool can_move(bool releasable) const {
    if (state == Idle)
      return !program.empty() && (program[0] != 'R' || releasable);
    return state == Placed || state == Awake || state == Holding;
  }
  void done() {
    state = Idle;
    program.erase(0, 1);
  }
};

struct Node {
  Word word = 0;
  uint32_t away = 0;
  uint32_t evictions = 0; ///< that may still happen
  std::vector<Thread> threads;
  std::deque<Request> from_threads, from_service; ///< to the coordinator
  std::deque<Answer> answers;                     ///< to this node
};

class World {
 public:
  static constexpr uint64_t key = 0x1000;

  World(const std::vector<std::vector<std::string>>& programs, uint32_t evictions, Fault fault) : fault_(fault) {
    for (const auto& node : programs) {
      nodes_.emplace_back().evictions = evictions;
      for (const std::string& program : node)
        nodes_.back().threads.push_back({Thread::Idle, program});
    }
  }

  /// The worlds that are one step away.
  std::vector<World> next() const {
    std::vector<World> worlds;
    const auto add = [&](auto&& step) {
      World world = *this;
      step(world);
      world.excuse();
      worlds.push_back(std::move(world));
    };
    for (uint32_t n = 0; n < nodes_.size(); ++n) {
      for (uint32_t t = 0; t < nodes_[n].threads.size(); ++t)
        if (nodes_[n].threads[t].can_move(left_ == Left::Held))
          add([&](World& world) { world.move(n, t); });
      if (!nodes_[n].from_threads.empty())
        add([&](World& world) { world.bring(world.nodes_[n].from_threads); });
      if (!nodes_[n].from_service.empty())
        add([&](World& world) { world.bring(world.nodes_[n].from_service); });
      if (!nodes_[n].answers.empty())
        add([&](World& world) { world.hear(n); });
      if (nodes_[n].evictions != 0 && rests(nodes_[n].word))
        add([&](World& world) { world.evict(n); });
    }
    return worlds;
  }

  /// Empty, or which invariant does not hold.
  std::string problem() const {
    if (!problem_.empty())
      return problem_;
    const LockOwners::Lock* lock = coordinator_.find(key);
    const uint32_t owner = lock ? lock->owner : 0;
    int holders = left_ != Left::Nothing;
    for (uint32_t n = 0; n < nodes_.size(); ++n) {
      const Node& node = nodes_[n];
      bool believes = false, sleeps = false;
      for (const Thread& thread : node.threads) {
        holders += thread.state == Thread::Holding;
        believes |= thread.state == Thread::Placed;
        sleeps |= thread.state == Thread::Asleep || thread.state == Thread::Awake;
      }
      if ((node.word & Here) && owner != n && !believes)
        return "L1: a node believes that it owns another's lock";
      if ((node.word & Held) && !(node.word & Here))
        return "L2: held where it is not owned";
      if (sleeps && !(node.word & Awaited))
        return "L4: the word of a lock that is awaited has gone";
    }
    return holders > 1 ? "L2: two threads hold the lock" : "";
  }

  /// Nobody can move: empty if nothing is left to do.
  std::string end_problem() const {
    for (const Node& node : nodes_)
      for (const Thread& thread : node.threads)
        if (thread.state != Thread::Idle || !thread.program.empty())
          return "stuck: a thread waits for ever";
    if (nodes_[0].away != (coordinator_.find(key) ? 1 : 0))
      return "the origin does not know what is away";
    return "";
  }

  std::string fingerprint() const {
    std::string text;
    for (const Node& node : nodes_) {
      text += std::to_string(node.word) + "," + std::to_string(node.away) + "," + std::to_string(node.evictions);
      for (const Thread& thread : node.threads)
        (text += thread.state) += (thread.excused ? "!" : "") + thread.program;
      for (const auto* lane : {&node.from_threads, &node.from_service}) {
        text += '|';
        for (const Request& request : *lane)
          text += text_of(request);
      }
      text += '|';
      for (const Answer& answer : node.answers)
        text += text_of(answer);
      text += ';';
    }
    text += char(left_);
    const LockOwners::Lock* lock = coordinator_.find(key);
    if (!lock)
      return text;
    text += std::to_string(lock->owner) + (lock->trial ? "t" : "") + (lock->recalled ? "r" : "") +
            (lock->leaving ? "l" : "");
    for (const auto& waiting : lock->waiting)
      text += std::to_string(waiting.who.node) + "." + std::to_string(waiting.who.ticket) + (waiting.tries ? "t" : "w");
    return text;
  }

 private:
  /// What a thread has taken and left to others; Released: the owner has yet to hear of it.
  enum class Left : char { Nothing = '-', Held = 'h', Released = 'r' };

  bool is(Fault fault) const { return fault_ == fault; }
  void excuse();
  void move(uint32_t n, uint32_t t);
  void enter(uint32_t n, Thread& thread, bool tries);
  void release(uint32_t n, std::deque<Request> Node::*lane);
  void release_left(uint32_t n);
  void wake(Node& node);
  void evict(uint32_t n);
  void bring(std::deque<Request>& lane);
  void hear(uint32_t n);
  void tell(uint32_t n, std::deque<Request> Node::*lane, Tell what, uint32_t trial = 0);
  void deliver(uint32_t n, const Answer& answer);

  uint32_t current_trial() const { return coordinator_.find(key) ? coordinator_.find(key)->trial : 0; }
  std::string text_of(const Request& request) const;
  std::string text_of(const Answer& answer) const;

  std::vector<Node> nodes_;
  LockOwners coordinator_;
  Fault fault_;
  Left left_ = Left::Nothing;
  std::string problem_;
};

} // namespace hetmp::runtime::lock_test
