// Whether a process has threads of others than its libraries': counted while threads begin and end, in every order.
#include "base/machine/own_threads.hpp"

#include <gtest/gtest.h>

namespace hetmp {
namespace {

using Count = OwnThreads::Count;

/// An own thread's way.
enum Stage { NotYet, There, Counted, Uncounted, Gone };

/// Two own threads and so many others, as three looks see them: at the count, at all threads, and at the count again.
class World {
 public:
  explicit World(uint32_t others) : others_(others) {}

  void explore() {
    if (looks_ == 3) {
      ++seen;
      const uint32_t found = threads_of_others(before_, all_, count());
      EXPECT_GE(found, others_);
      EXPECT_LE(found, others_ + 2);
      return;
    }
    for (Stage& stage : stages_)
      if (stage != Gone) {
        stage = Stage(stage + 1);
        explore();
        stage = Stage(stage - 1);
      }
    const World was = *this;
    if (looks_ == 0)
      before_ = count();
    else if (looks_ == 1)
      all_ = 1 + others_ + is_there(stages_[0]) + is_there(stages_[1]);
    ++looks_;
    explore();
    const long so_far = seen;
    *this = was;
    seen = so_far;
  }

  long seen = 0;

 private:
  static uint32_t is_there(Stage stage) { return stage != NotYet && stage != Gone; }
  Count count() const {
    Count sum;
    for (const Stage stage : stages_)
      sum = sum + Count{stage >= Counted, stage >= Uncounted};
    return sum;
  }

  uint32_t others_;
  Stage stages_[2] = {NotYet, NotYet};
  int looks_ = 0;
  Count before_;
  uint32_t all_ = 0;
};

TEST(OwnThreads, AreNeverTakenForFewerOfOthers) {
  for (const uint32_t others : {0u, 1u, 3u}) {
    World world(others);
    world.explore();
    EXPECT_GT(world.seen, 100);
  }
}

TEST(OwnThreads, AreToldApartAtRest) {
  EXPECT_EQ(threads_of_others({7, 2}, 1 + 5 + 3, {7, 2}), 3u);
  EXPECT_EQ(threads_of_others({7, 2}, 1 + 5, {7, 2}), 0u);
  EXPECT_EQ(threads_of_others({}, 1, {}), 0u);
  EXPECT_EQ(threads_of_others({7, 7}, 1, {9, 9}), 0u);
}

} // namespace
} // namespace hetmp
