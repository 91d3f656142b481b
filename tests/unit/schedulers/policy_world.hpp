// A small world for policies: nodes with threads that run one visit of a loop in virtual time, with every
// delay drawn at random, and the checks that hold for any policy.
#pragma once

#include "schedulers/policies/node_work.hpp"
#include "schedulers/policies/policy.hpp"
#include "tiling.hpp"

#include <cmath>
#include <functional>
#include <queue>
#include <random>

namespace hetmp::schedulers {

/// What executing a chunk costs a thread.
struct ChunkCost {
  double elapsed_us = 0;
  double busy_us = -1; ///< negative = not known
  uint64_t faults = 0; ///< of its node, meanwhile
  uint64_t instructions = 0;
  uint64_t cache_misses = 0;
};

/// Use: construct with a policy for one visit, set the members if the defaults do not do, call run(), then
/// expect_complete().
class PolicyWorld {
 public:
  struct Executed {
    uint32_t node = 0;
    uint32_t thread = 0;
    Range chunk;
    double begin_us = 0;
    double end_us = 0;
  };

  /// The cost of a chunk on a node at a time. The default: a random rate for each chunk, such that long loops
  /// last no longer than short ones; no faults.
  std::function<ChunkCost(uint32_t node, Range chunk, double now_us)> cost;
  /// A question, its answer and a report take up to this long on their way; a thread, to arrive and to wake
  /// up.
  double longest_delay_us = 50;
  /// A run that takes more steps than this counts as endless.
  uint64_t most_steps = 4000000;

  PolicyWorld(const LoopShape& shape, LoopPolicy& policy, uint64_t seed)
      : shape_(shape), policy_(policy), random_(seed), nodes_(shape.nodes()) {
    const double usual_us = shape.trips > 3000 ? 3000 / static_cast<double>(shape.trips) : 1;
    cost = [this, usual_us](uint32_t, Range chunk, double) {
      return ChunkCost{static_cast<double>(chunk.size()) * up_to(2 * usual_us), -1, 0, 0, 0};
    };
  }

  void run() {
    for (uint32_t i = 0; i < shape_.nodes(); ++i) {
      nodes_[i].work.begin(shape_.threads[i]);
      nodes_[i].threads.resize(shape_.threads[i]);
      for (uint32_t thread = 0; thread < shape_.threads[i]; ++thread)
        at(delay(), {Event::Thread, i, thread, {}, {}, 0, 0});
    }
    for (uint64_t steps = 0; !events_.empty(); ++steps) {
      ASSERT_LT(steps, most_steps) << "endless";
      const Event event = events_.top();
      events_.pop();
      now_us_ = event.at_us;
      handle(event);
      if (testing::Test::HasFatalFailure())
        return;
    }
  }

  /// After run(): the loop is done, exactly once, and nobody waits for anything.
  void expect_complete() const {
    ASSERT_FALSE(testing::Test::HasFatalFailure());
    for (uint32_t i = 0; i < nodes_.size(); ++i) {
      for (const Thread& thread : nodes_[i].threads)
        ASSERT_TRUE(thread.left) << "a thread of node " << i << " waits for ever";
      ASSERT_FALSE(nodes_[i].open_question) << "node " << i << " has no answer";
      ASSERT_EQ(nodes_[i].last_answers, nodes_[i].threads.empty() ? 0u : 1u) << "node " << i;
      ASSERT_EQ(nodes_[i].repeats, nodes_[i].threads.empty() ? 0u : repeats()) << "node " << i;
    }
    ASSERT_TRUE(policy_.finished());
    std::vector<Range> chunks;
    for (const Executed& executed : executed_)
      chunks.push_back(executed.chunk);
    expect_tiles(std::move(chunks), {0, shape_.trips});
    expect_tiles(assigned_, {0, shape_.trips});
    if (repeats() > 0)
      expect_last_assignments_suffice();
  }

  const std::vector<Executed>& executed() const { return executed_; }
  const std::vector<Reply>& replies() const { return replies_; }
  double makespan_us() const { return now_us_; }
  uint32_t repeats() const {
    for (const Reply& reply : replies_)
      if (reply.assignment.last)
        return reply.assignment.repeats;
    return 0;
  }
  /// Iterations that a node executed.
  uint64_t iterations_of(uint32_t node) const {
    uint64_t sum = 0;
    for (const Executed& executed : executed_)
      sum += executed.node == node ? executed.chunk.size() : 0;
    return sum;
  }

 private:
  struct Event {
    enum Kind : uint8_t { Thread, Question, Answer, Report };
    Kind kind = Thread;
    uint32_t node = 0;
    uint32_t thread = 0; ///< Answer: the one that asked
    NodeMeasurement done;
    Assignment assignment;
    double at_us = 0;
    uint64_t order = 0;                        ///< random: events at the same time come in any order
    bool operator<(const Event& other) const { // the queue gives the largest first
      return at_us != other.at_us ? at_us > other.at_us : order > other.order;
    }
  };
  struct Thread {
    bool running = false;
    bool timed = false;
    bool waiting = false;
    bool left = false;
    ChunkCost cost;
  };
  struct Node {
    NodeWork work;
    std::vector<Thread> threads;
    bool open_question = false; ///< as the policy sees it
    uint32_t asker = 0;
    uint32_t last_answers = 0;
    uint32_t repeats = 0;
    double answered_us = 0;
    uint64_t faults = 0;   ///< since the answer
    uint64_t measured = 0; ///< iterations accounted for and not yet collected
  };

  /// On the visits that are repeats there is nothing else.
  void expect_last_assignments_suffice() const {
    std::vector<Range> pieces;
    for (const Reply& reply : replies_)
      if (reply.assignment.last)
        pieces.insert(pieces.end(), reply.assignment.pieces, reply.assignment.pieces + reply.assignment.piece_count);
    expect_tiles(std::move(pieces), {0, shape_.trips});
  }

  double up_to(double limit) { return std::uniform_real_distribution<double>(0, limit)(random_); }
  double delay() { return random_() % 4 == 0 ? 0 : up_to(longest_delay_us); }
  void at(double after_us, Event event) {
    event.at_us = now_us_ + after_us;
    event.order = random_();
    events_.push(event);
  }

  void handle(const Event& event) {
    switch (event.kind) {
    case Event::Thread:
      return step(event.node, event.thread);
    case Event::Question:
      return question(event);
    case Event::Answer:
      return answer(event);
    case Event::Report:
      policy_.report(event.node, event.done);
    }
  }

  void step(uint32_t number, uint32_t thread_number) {
    Node& node = nodes_[number];
    Thread& thread = node.threads[thread_number];
    if (thread.running)
      finish_chunk(node, thread_number);
    Range chunk;
    switch (node.work.next(thread_number, chunk)) {
    case NodeWork::Step::Run:
      return execute(number, thread_number, chunk);
    case NodeWork::Step::Ask:
      node.asker = thread_number;
      return at(delay(), {Event::Question, number, thread_number, collect(node), {}, 0, 0});
    case NodeWork::Step::Wait:
      thread.waiting = true;
      return;
    case NodeWork::Step::Report:
      at(delay(), {Event::Report, number, thread_number, collect(node), {}, 0, 0});
      [[fallthrough]];
    case NodeWork::Step::Leave:
      thread.left = true;
    }
  }

  void execute(uint32_t number, uint32_t thread_number, Range chunk) {
    Node& node = nodes_[number];
    Thread& thread = node.threads[thread_number];
    ASSERT_FALSE(chunk.empty());
    thread.cost = cost(number, chunk, now_us_);
    thread.running = true;
    thread.timed = node.work.measuring();
    node.measured += thread.timed ? chunk.size() : 0;
    executed_.push_back({number, thread_number, chunk, now_us_, now_us_ + thread.cost.elapsed_us});
    at(thread.cost.elapsed_us, {Event::Thread, number, thread_number, {}, {}, 0, 0});
  }

  static void finish_chunk(Node& node, uint32_t thread_number) {
    Thread& thread = node.threads[thread_number];
    thread.running = false;
    node.faults += thread.cost.faults;
    if (thread.timed)
      node.work.account(thread_number, {thread.cost.elapsed_us, thread.cost.busy_us, thread.cost.instructions,
                                        thread.cost.cache_misses});
  }

  NodeMeasurement collect(Node& node) const {
    NodeMeasurement done = node.work.collect();
    EXPECT_LE(done.iterations, node.measured);
    node.measured -= done.iterations;
    done.span_us = now_us_ - node.answered_us;
    done.read_misses = node.faults;
    node.faults = 0;
    return done;
  }

  void question(const Event& event) {
    Node& asking = nodes_[event.node];
    ASSERT_FALSE(asking.open_question);
    ASSERT_EQ(asking.last_answers, 0u) << "asks after its last assignment";
    ASSERT_FALSE(policy_.finished());
    asking.open_question = true;
    std::vector<Reply> replies;
    policy_.ask(event.node, event.done, replies);
    for (const Reply& reply : replies) {
      ASSERT_LT(reply.node, nodes_.size());
      Node& node = nodes_[reply.node];
      ASSERT_TRUE(node.open_question) << "an answer without a question";
      node.open_question = false;
      node.last_answers += reply.assignment.last;
      node.repeats = reply.assignment.last ? reply.assignment.repeats : node.repeats;
      check(reply.assignment);
      replies_.push_back(reply);
      at(delay(), {Event::Answer, reply.node, node.asker, {}, reply.assignment, 0, 0});
    }
  }

  void check(const Assignment& assignment) {
    ASSERT_LE(assignment.piece_count, Assignment::most_pieces);
    uint64_t before = 0;
    for (uint32_t i = 0; i < assignment.piece_count; ++i) {
      ASSERT_FALSE(assignment.pieces[i].empty());
      ASSERT_GE(assignment.pieces[i].begin, before);
      before = assignment.pieces[i].end;
      assigned_.push_back(assignment.pieces[i]);
    }
    ASSERT_LE(before, shape_.trips);
  }

  void answer(const Event& event) {
    Node& node = nodes_[event.node];
    node.work.assign(event.assignment);
    node.answered_us = now_us_;
    at(delay(), {Event::Thread, event.node, event.thread, {}, {}, 0, 0});
    for (uint32_t i = 0; i < node.threads.size(); ++i)
      if (node.threads[i].waiting) {
        node.threads[i].waiting = false;
        at(delay(), {Event::Thread, event.node, i, {}, {}, 0, 0});
      }
  }

  LoopShape shape_;
  LoopPolicy& policy_;
  std::mt19937_64 random_;
  std::vector<Node> nodes_;
  std::priority_queue<Event> events_;
  std::vector<Executed> executed_;
  std::vector<Range> assigned_;
  std::vector<Reply> replies_;
  double now_us_ = 0;
};

} // namespace hetmp::schedulers
