#include "node_walk.hpp"
#include "schedulers/arithmetic/loop.hpp"

#include <cstdlib>
#include <limits>
#include <new>
#include <random>

namespace {

size_t allocations = 0;

} // namespace

// Counts what is allocated. Not inlined, because gcc would warn that free() does not match its own operator
// new.
[[gnu::noinline]] void* operator new(size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size))
    return memory;
  std::abort();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, size_t) noexcept { std::free(memory); }

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

uint64_t try_every_order(const NodeWalk& node) {
  if (testing::Test::HasFatalFailure())
    return 0;
  const std::vector<uint32_t> movable = node.movable();
  if (movable.empty()) {
    node.expect_done();
    return 1;
  }
  uint64_t orders = 0;
  for (uint32_t thread : movable) {
    NodeWalk next = node;
    next.move(thread);
    orders += try_every_order(next);
  }
  return orders;
}

void run_in_random_order(uint32_t threads, const std::vector<Assignment>& answers, std::mt19937_64& random) {
  NodeWalk node(threads, answers);
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
  const Distribution distributions[] = {Distribution::EqualShares, Distribution::Chunks, Distribution::Guided};
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
          orders += try_every_order(NodeWalk(1, *answers));
          orders += try_every_order(NodeWalk(2, *answers));
        }
        if (measured)
          orders += try_every_order(NodeWalk(3, two));
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
  EXPECT_EQ(all_of_thread(work, 0, end),
            (std::vector<Range>{{0, 25}, {25, 44}, {44, 58}, {58, 69}, {69, 80}, {80, 90}, {90, 100}}));
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

TEST(NodeWork, AllocatesOnlyWhenAVisitHasMoreThreadsThanBefore) {
  NodeWork work;
  size_t before = allocations;
  work.begin(4);
  EXPECT_GT(allocations, before) << "nothing is counted";
  const Assignment assignment = with(assignment_of({{0, 10}, {20, 40}}, Distribution::Guided), true, false);
  Step end{};
  before = allocations;
  for (int visit = 0; visit < 3; ++visit) {
    work.begin(visit == 0 ? 4 : 3);
    Range chunk;
    end = work.next(0, chunk);
    work.assign(assignment);
    while ((end = work.next(1, chunk)) == Step::Run)
      work.account(1, {1, 1, 0, 0});
    work.collect();
  }
  EXPECT_EQ(allocations, before);
  EXPECT_EQ(end, Step::Ask);
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

TEST(NodeWork, NothingIsGivenOfWhatIsDropped) {
  for (const Distribution distribution : {Distribution::EqualShares, Distribution::Chunks, Distribution::Guided}) {
    NodeWork work;
    Range chunk;
    work.begin(2);
    work.drop(1); // before there is anything
    EXPECT_EQ(work.next(0, chunk), Step::Ask);
    work.assign(with(assignment_of({{10, 100}, {200, 300}}, distribution), true, false));
    ASSERT_EQ(work.next(0, chunk), Step::Run);
    work.drop(0);
    if (distribution == Distribution::EqualShares) {
      EXPECT_EQ(work.next(0, chunk), Step::Wait) << "the other thread has a share of its own";
      EXPECT_EQ(work.next(1, chunk), Step::Run);
    }
    work.drop(1);
    EXPECT_EQ(work.next(1, chunk), Step::Ask);
    EXPECT_EQ(work.next(0, chunk), Step::Wait);
    work.assign(with(assignment_of({{300, 400}}, distribution), false, true));
    EXPECT_EQ(work.next(0, chunk), Step::Run) << "another assignment";
    work.drop(0);
    work.drop(1);
    EXPECT_EQ(work.next(0, chunk), Step::Leave);
    EXPECT_EQ(work.next(1, chunk), Step::Leave);
  }
}

} // namespace
} // namespace hetmp::schedulers
