// Long random runs of large systems against the sequential model: every page is a counter that all nodes
// increment.
#include "invariants.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <random>

namespace hetmp::dsm::protocol::model {
namespace {

class RandomRun {
 public:
  /// `touches`: of 100 events.
  RandomRun(const Size& size, uint64_t seed, uint32_t touches)
      : world(size), random(seed), touches(touches), stalled_until(size.nodes * size.nodes) {}

  /// `steps` random events, then everything that is under way to its end.
  void run(size_t steps) {
    for (step = 0; step < steps && world.problem.empty(); ++step) {
      if (below(100) < touches || !deliver_something())
        touch_something();
      if (below(256) == 0) // a slow channel, or a hold time
        stalled_until[below(stalled_until.size())] = step + below(500);
      most_in_flight = std::max(most_in_flight, world.flying.size());
      for (PageNumber p = 0; p < world.dimensions().pages; ++p)
        if (const Node* home = world.home(p); home && home->transaction(p))
          longest_queue = std::max(longest_queue, home->transaction(p)->queue.size());
      if (step % 4096 == 0)
        check(world);
    }
    settle();
  }

  /// Lets every node read every page: it must find all increments.
  void read_everything() {
    for (PageNumber p = 0; p < world.dimensions().pages; ++p) {
      for (uint32_t n = 0; n < world.dimensions().nodes; ++n)
        take({Event::Kind::ReadFault, n, p});
      settle();
      for (uint32_t n = 0; n < world.dimensions().nodes; ++n) {
        EXPECT_NE(world.view(n, p).mapping, Mapping::None) << "node " << n << ", page " << p;
        EXPECT_EQ(world.view(n, p).content, world.expected(p)) << "node " << n << ", page " << p;
      }
    }
  }

  World world;
  uint64_t stores = 0, messages = 0, moves = 0;
  size_t most_in_flight = 0;
  uint32_t longest_queue = 0;

 private:
  uint64_t below(uint64_t limit) { return random() % limit; }

  void take(Event event) {
    event.move = below(4) == 0;
    const Node* home = world.home(event.page);
    world.apply(event);
    check_page(world, event.page);
    moves += home && !world.home(event.page);
    messages += event.kind == Event::Kind::Deliver;
    stores += event.kind == Event::Kind::Store;
  }

  void touch_something() {
    const uint32_t n = static_cast<uint32_t>(below(world.dimensions().nodes));
    const PageNumber p = below(world.dimensions().pages);
    if (below(6) == 0 && world.home(p) && world.home(p) != &world.node(n))
      return take({Event::Kind::Push, n, p});
    if (below(3) == 0)
      return take({Event::Kind::ReadFault, n, p});
    take({Event::Kind::WriteFault, n, p});
    // Whoever may write does so now and then, at any moment between two messages.
    for (uint32_t m = 0; m < world.dimensions().nodes; ++m)
      if (world.view(m, p).mapping == Mapping::Writable)
        take({Event::Kind::Store, m, p});
  }

  /// False if nothing could be delivered that is not stalled.
  bool deliver_something() {
    if (below(8) == 0 && take_other_progress())
      return true;
    for (int attempt = 0; attempt < 4 && !world.flying.empty(); ++attempt) {
      const size_t index = world.first_like(below(world.flying.size()));
      const InFlight& message = world.flying[index];
      if (stalled_until[message.from * world.dimensions().nodes + message.to] <= step) {
        take({Event::Kind::Deliver, message.to, message.message.page, index});
        return true;
      }
    }
    return false;
  }

  bool take_other_progress() {
    const PageNumber p = below(world.dimensions().pages);
    for (uint32_t n = 0; n < world.dimensions().nodes; ++n)
      if (world.view(n, p).writer == WriteThread::Retry) {
        take({Event::Kind::Retry, n, p});
        return true;
      }
    if (!world.holding(p))
      return false;
    take({Event::Kind::Resume, world.holding(p) - 1, p});
    return true;
  }

  void settle() {
    std::vector<Event> events;
    for (;;) {
      events.clear();
      world.progress(events);
      if (events.empty() || !world.problem.empty())
        break;
      take(events[below(events.size())]);
    }
    check(world);
    check_rest(world);
  }

  std::mt19937_64 random;
  uint32_t touches;
  std::vector<uint64_t> stalled_until; ///< a step; by channel
  uint64_t step = 0;
};

/// With few touches nodes seldom wait for each other, and homes move; with many they queue.
void run_and_compare(const Size& size, size_t steps, uint64_t seed, uint32_t touches = 30) {
  RandomRun run(size, seed, touches);
  run.run(steps);
  run.read_everything();
  EXPECT_EQ(run.world.problem, "") << "seed " << seed;
  uint64_t increments = 0;
  for (PageNumber p = 0; p < size.pages; ++p)
    increments += run.world.expected(p);
  EXPECT_EQ(increments, run.stores);
  EXPECT_GT(run.stores, steps / 1000);
  EXPECT_GT(run.messages, steps / 10);
  if (touches >= 30) {
    EXPECT_GE(run.longest_queue, size.nodes / 2);
  }
  if (touches < 30 || size.nodes <= 8) {
    EXPECT_GT(run.moves, 50u);
  }
  std::printf("%u nodes, %u pages: %zu messages, %zu increments, %zu moves of homes, at most %zu messages in flight, "
              "%u queued\n",
              size.nodes, size.pages, static_cast<size_t>(run.messages), static_cast<size_t>(run.stores),
              static_cast<size_t>(run.moves), run.most_in_flight, run.longest_queue);
}

TEST(ProtocolRandom, EightNodes) {
  for (uint64_t seed = 1; seed <= 4; ++seed)
    run_and_compare({8, 3, 5}, 100'000, seed);
}
TEST(ProtocolRandom, EightNodesOnePage) { run_and_compare({8, 1, 7}, 100'000, 11); }
TEST(ProtocolRandom, SixtyFourNodes) { run_and_compare({64, 5, 61}, 150'000, 21); }
TEST(ProtocolRandom, SixtyFourNodesAtEase) { run_and_compare({64, 5, 61}, 150'000, 41, 5); }
TEST(ProtocolRandom, SixtyFourNodesOnePage) { run_and_compare({64, 1, 63}, 100'000, 31); }

} // namespace
} // namespace hetmp::dsm::protocol::model
