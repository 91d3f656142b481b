#include "schedulers/loop.hpp"
#include "schedulers/node_work.hpp"
#include "tiling.hpp"

#include <limits>
#include <random>

namespace hetmp::schedulers {
namespace {

using Distribution = Assignment::Distribution;
using Step = NodeWork::Step;

Assignment assignment_of(std::initializer_list<Range> pieces, Distribution distribution, uint64_t chunk = 1) {
  Assignment result;
  for (const Range& piece : pieces)
    EXPECT_TRUE(result.add(piece));
  result.distribution = distribution;
  result.chunk = chunk;
  return result;
}

Assignment with(Assignment assignment, bool measured, bool last) {
  assignment.measured = measured;
  assignment.last = last;
  return assignment;
}

/// A node whose threads take steps in any order, and the answers it gets one after the other. Copyable, so
/// that a test can try every order.
class Node {
 public:
  Node(uint32_t threads, const std::vector<Assignment>& answers) : answers_(&answers), threads_(threads) {
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
    case Step::Run:
      run(number, chunk);
      break;
    case Step::Ask:
      ASSERT_FALSE(asking_) << "two questions at once";
      asking_ = true;
      thread.state = State::Asking;
      break;
    case Step::Wait:
      thread.state = State::Waiting;
      break;
    case Step::Report:
      reported_by_ = static_cast<int>(number);
      collect();
      leave(thread);
      break;
    case Step::Leave:
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
      if (assignment.distribution == Distribution::Chunks) {
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

uint64_t try_every_order(const Node& node) {
  if (testing::Test::HasFatalFailure())
    return 0;
  const std::vector<uint32_t> movable = node.movable();
  if (movable.empty()) {
    node.expect_done();
    return 1;
  }
  uint64_t orders = 0;
  for (uint32_t thread : movable) {
    Node next = node;
    next.move(thread);
    orders += try_every_order(next);
  }
  return orders;
}

void run_in_random_order(uint32_t threads, const std::vector<Assignment>& answers, std::mt19937_64& random) {
  Node node(threads, answers);
  const uint32_t late = random() % 3 == 0 ? static_cast<uint32_t>(random() % threads) : threads;
  for (;;) {
    std::vector<uint32_t> movable = node.movable();
    if (movable.empty())
      break;
    if (movable.size() > 1)
      std::erase(movable, late); // moves only when nobody else can
    node.move(movable[random() % movable.size()]);
    if (testing::Test::HasFatalFailure())
      return;
    if (random() % 8 == 0)
      node.wake_without_reason(static_cast<uint32_t>(random() % threads));
  }
  node.expect_done();
}

TEST(NodeWork, DoesEverythingOnceInEveryOrder) {
  const Distribution distributions[] = {Distribution::EqualShares, Distribution::Chunks,
                                        Distribution::Guided};
  uint64_t orders = 0;
  for (Distribution first : distributions)
    for (Distribution second : distributions)
      for (bool measured : {false, true}) {
        const Assignment end = with({}, measured, true);
        const std::vector<Assignment> one = {with(assignment_of({{0, 2}, {5, 8}}, first), measured, true)};
        const std::vector<Assignment> two = {with(assignment_of({{0, 1}, {4, 5}}, first, 2), true, false),
                                             with(assignment_of({{5, 7}}, second), measured, true)};
        const std::vector<Assignment> emptied = {with(assignment_of({{3, 4}}, first), !measured, false),
                                                 with(assignment_of({}, second), true, false), end};
        for (const auto* answers : {&one, &two, &emptied}) {
          orders += try_every_order(Node(1, *answers));
          orders += try_every_order(Node(2, *answers));
        }
        if (measured)
          orders += try_every_order(Node(3, two));
        ASSERT_FALSE(HasFatalFailure());
      }
  EXPECT_GT(orders, 10000u);
}

TEST(NodeWork, DoesEverythingOnceInRandomOrders) {
  std::mt19937_64 random(2);
  for (int repetition = 0; repetition < 5000; ++repetition) {
    std::vector<Assignment> answers(1 + random() % 6);
    uint64_t position = 0;
    for (Assignment& assignment : answers) {
      for (uint64_t pieces = random() % (Assignment::most_pieces + 1); pieces > 0; --pieces) {
        position += random() % 3;
        const uint64_t size = random() % 30;
        ASSERT_TRUE(assignment.add({position, position + size}));
        position += size;
      }
      assignment.distribution = static_cast<Distribution>(random() % 3);
      assignment.chunk = random() % 9;
      assignment.measured = random() % 2 == 0;
    }
    answers.back().last = true;
    run_in_random_order(1 + random() % 12, answers, random);
    ASSERT_FALSE(HasFatalFailure()) << "repetition " << repetition;
  }
}

std::vector<Range> all_of_thread(NodeWork& work, uint32_t thread, Step& end) {
  std::vector<Range> chunks;
  Range chunk;
  while ((end = work.next(thread, chunk)) == Step::Run)
    chunks.push_back(chunk);
  return chunks;
}

TEST(NodeWork, CutsEqualSharesAtThePieces) {
  NodeWork work;
  work.begin(3);
  work.assign(assignment_of({{0, 2}, {10, 13}, {20, 25}}, Distribution::EqualShares));
  Step end{};
  EXPECT_EQ(all_of_thread(work, 1, end), (std::vector<Range>{{12, 13}, {20, 22}}));
  EXPECT_EQ(end, Step::Wait);
  EXPECT_EQ(all_of_thread(work, 0, end), (std::vector<Range>{{0, 2}, {10, 12}}));
  EXPECT_EQ(end, Step::Wait);
  EXPECT_EQ(all_of_thread(work, 2, end), (std::vector<Range>{{22, 25}}));
  EXPECT_EQ(end, Step::Ask);
  EXPECT_EQ(all_of_thread(work, 0, end), std::vector<Range>{});
  EXPECT_EQ(end, Step::Wait);
}

TEST(NodeWork, GivesAThreadTheSameEqualShareOnEveryVisit) {
  const Assignment assignment = with(assignment_of({{0, 100}}, Distribution::EqualShares), true, true);
  NodeWork work;
  for (uint32_t first = 0; first < 4; ++first) {
    work.begin(4);
    work.assign(assignment);
    for (uint32_t i = 0; i < 4; ++i) {
      const uint32_t thread = (first + i) % 4;
      Step end{};
      EXPECT_EQ(all_of_thread(work, thread, end), std::vector<Range>{static_share(100, 4, thread)});
      EXPECT_EQ(end, i == 3 ? Step::Report : Step::Leave);
    }
  }
}

TEST(NodeWork, ShrinksGuidedChunks) {
  NodeWork work;
  work.begin(2);
  work.assign(with(assignment_of({{0, 100}}, Distribution::Guided, 10), false, true));
  Step end{};
  EXPECT_EQ(
      all_of_thread(work, 0, end),
      (std::vector<Range>{{0, 25}, {25, 44}, {44, 58}, {58, 69}, {69, 79}, {79, 89}, {89, 99}, {99, 100}}));
  EXPECT_EQ(end, Step::Leave);
}

TEST(NodeWork, HoldsTheLongestLoop) {
  const uint64_t largest = std::numeric_limits<uint64_t>::max();
  std::mt19937_64 random(3);
  for (Distribution distribution : {Distribution::EqualShares, Distribution::Chunks, Distribution::Guided}) {
    const Assignment all = assignment_of({{0, 5}, {6, largest}}, distribution, largest / 3);
    run_in_random_order(3, {with(all, false, true)}, random);
  }
}

TEST(NodeWork, LetsElapsedTimeStandForCpuTimeThatIsNotKnown) {
  NodeWork work;
  work.begin(1);
  work.assign(with(assignment_of({{0, 4}}, Distribution::Chunks), true, true));
  Range chunk;
  EXPECT_EQ(work.collect().busy_us, -1);
  for (const ChunkMeasurement& measurement :
       {ChunkMeasurement{7, -1}, ChunkMeasurement{10, 4}, ChunkMeasurement{5, -1}}) {
    ASSERT_EQ(work.next(0, chunk), Step::Run);
    work.account(0, measurement);
  }
  NodeMeasurement sum = work.collect();
  EXPECT_EQ(sum.thread_us, 22);
  EXPECT_EQ(sum.busy_us, 7 + 4 + 5);
  EXPECT_EQ(sum.iterations, 3u);
  ASSERT_EQ(work.next(0, chunk), Step::Run);
  work.account(0, {3, -1});
  sum = work.collect();
  EXPECT_EQ(sum.busy_us, -1) << "nothing is known of this one";
  EXPECT_EQ(sum.iterations, 1u);
}

} // namespace
} // namespace hetmp::schedulers
