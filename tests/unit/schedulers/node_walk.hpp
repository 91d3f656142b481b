// One node's work without a policy: answers that are known beforehand, threads that take steps in any order,
// and the checks.
#pragma once

#include "schedulers/policies/node_work.hpp"
#include "tiling.hpp"

namespace hetmp::schedulers {

/// A node whose threads take steps in any order, and the answers it gets one after the other. Copyable, so
/// that a test can try every order.
class NodeWalk {
 public:
  NodeWalk(uint32_t threads, const std::vector<Assignment>& answers) : answers_(&answers), threads_(threads) {
    work_.begin(threads);
    chunks_.resize(answers.size());
  }

  std::vector<uint32_t> movable() const {
    std::vector<uint32_t> result;
    for (uint32_t i = 0; i < threads_.size(); ++i)
      if (threads_[i].state != State::Waiting && threads_[i].state != State::Left)
        result.push_back(i);
    return result;
  }

  /// A waiting thread may look again at any time.
  void wake_without_reason(uint32_t number) {
    if (threads_[number].state == State::Waiting)
      threads_[number].state = State::Ready;
  }

  void move(uint32_t number) {
    Thread& thread = threads_[number];
    if (thread.state == State::Asking)
      return answer(thread);
    if (thread.state == State::Running && thread.timed)
      account(number);
    Range chunk;
    switch (work_.next(number, chunk)) {
    case NodeWork::Step::Run:
      run(number, chunk);
      break;
    case NodeWork::Step::Ask:
      ASSERT_FALSE(asking_) << "two questions at once";
      asking_ = true;
      thread.state = State::Asking;
      break;
    case NodeWork::Step::Wait:
      thread.state = State::Waiting;
      break;
    case NodeWork::Step::Report:
      reported_by_ = static_cast<int>(number);
      collect();
      leave(thread);
      break;
    case NodeWork::Step::Leave:
      leave(thread);
      break;
    }
  }

  void expect_done() const {
    for (const Thread& thread : threads_)
      ASSERT_EQ(thread.state, State::Left) << "a thread waits for ever";
    ASSERT_EQ(answered_, answers_->size());
    for (size_t i = 0; i < answers_->size(); ++i)
      expect_executed((*answers_)[i], chunks_[i]);
    const bool reports = answers_->back().measured;
    ASSERT_EQ(reported_by_, reports ? last_to_leave_ : -1);
    ASSERT_EQ(accounted_, handed_out_measured_);
    if (reports) {
      ASSERT_EQ(collected_, accounted_);
    }
  }

 private:
  enum class State : uint8_t { Ready, Running, Asking, Waiting, Left };
  struct Thread {
    State state = State::Ready;
    bool timed = false;
    Range chunk;
  };

  void answer(Thread& thread) {
    ASSERT_LT(answered_, answers_->size()) << "asks after the last answer";
    collect();
    work_.assign((*answers_)[answered_++]);
    asking_ = false;
    thread.state = State::Ready;
    for (Thread& other : threads_)
      if (other.state == State::Waiting)
        other.state = State::Ready;
  }

  void run(uint32_t number, Range chunk) {
    ASSERT_GT(answered_, 0u);
    Thread& thread = threads_[number];
    thread = {State::Running, work_.measuring(), chunk};
    chunks_[answered_ - 1].push_back(chunk);
    handed_out_measured_ += thread.timed ? chunk.size() : 0;
  }

  static double elapsed(Range chunk) { return static_cast<double>(chunk.size()) * 4; }

  void account(uint32_t number) {
    const Range chunk = threads_[number].chunk;
    work_.account(number, {elapsed(chunk), elapsed(chunk) / 2, chunk.size() * 3, chunk.size() * 5});
    accounted_ += chunk.size();
  }

  void collect() {
    const NodeMeasurement sum = work_.collect();
    ASSERT_EQ(sum.threads, threads_.size());
    ASSERT_EQ(sum.thread_us, 4 * static_cast<double>(sum.iterations));
    ASSERT_EQ(sum.busy_us, sum.iterations == 0 ? -1 : 2 * static_cast<double>(sum.iterations));
    ASSERT_EQ(sum.instructions, 3 * sum.iterations);
    ASSERT_EQ(sum.cache_misses, 5 * sum.iterations);
    collected_ += sum.iterations;
    ASSERT_EQ(collected_, accounted_);
  }

  void leave(Thread& thread) {
    thread.state = State::Left;
    last_to_leave_ = static_cast<int>(&thread - threads_.data());
  }

  void expect_executed(const Assignment& assignment, const std::vector<Range>& chunks) const {
    std::vector<Range> by_piece[Assignment::most_pieces];
    for (const Range& chunk : chunks) {
      uint32_t piece = 0;
      while (piece < assignment.piece_count && chunk.begin >= assignment.pieces[piece].end)
        ++piece;
      ASSERT_LT(piece, assignment.piece_count);
      by_piece[piece].push_back(chunk);
      if (assignment.distribution == Assignment::Distribution::Chunks) {
        ASSERT_LE(chunk.size(), std::max<uint64_t>(assignment.chunk, 1));
      }
    }
    for (uint32_t piece = 0; piece < assignment.piece_count; ++piece)
      expect_tiles(by_piece[piece], assignment.pieces[piece]);
  }

  const std::vector<Assignment>* answers_;
  NodeWork work_;
  std::vector<Thread> threads_;
  std::vector<std::vector<Range>> chunks_; ///< of each answer
  size_t answered_ = 0;
  bool asking_ = false;
  int reported_by_ = -1;
  int last_to_leave_ = -1;
  uint64_t handed_out_measured_ = 0;
  uint64_t accounted_ = 0;
  uint64_t collected_ = 0;
};

} // namespace hetmp::schedulers
