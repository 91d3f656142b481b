// Ordered regions run in loop order, one at a time: what they write to is plain memory.
#include "kmpc.hpp"

#include <vector>

namespace hetmp::test {
namespace {

constexpr int64_t trips = 60;

/// Whether the iteration meets its ordered region; it need not.
using Meets = bool (*)(int64_t index);

/// A compiler's loop: an ordered region in the iterations that meet one, the end of each iteration reported.
void run_ordered_loop(Member self, int32_t schedule, int64_t chunk, Meets meets, std::vector<int64_t>& order) {
  LoopEntries<int64_t>::init(&somewhere, self.gtid, schedule, 0, trips - 1, 1, chunk);
  int32_t is_last;
  int64_t lower, upper, stride;
  while (LoopEntries<int64_t>::next(&somewhere, self.gtid, &is_last, &lower, &upper, &stride))
    for (int64_t index = lower; index <= upper; index++) {
      if (meets(index)) {
        __kmpc_ordered(&somewhere, self.gtid);
        order.push_back(index);
        __kmpc_end_ordered(&somewhere, self.gtid);
      }
      LoopEntries<int64_t>::finish_iteration(&somewhere, self.gtid);
    }
}

std::vector<int64_t> loop_order(Meets meets) {
  std::vector<int64_t> order;
  for (int64_t index = 0; index < trips; index++)
    if (meets(index))
      order.push_back(index);
  return order;
}

bool every(int64_t) { return true; }
bool some(int64_t index) { return index % 3 != 1; }
bool none(int64_t) { return false; }

void expect_loop_order(int32_t schedule, int64_t chunk) {
  for (Meets meets : {every, some, none})
    for (int threads = 1; threads <= most_members; threads++) {
      // Two in a row without a barrier: a fast thread is in the second one while others are in the first.
      std::vector<int64_t> first, second;
      parallel(threads, [&](Member self) {
        run_ordered_loop(self, schedule, chunk, meets, first);
        run_ordered_loop(self, schedule, chunk, meets, second);
      });
      ASSERT_EQ(first, loop_order(meets)) << threads << " threads";
      ASSERT_EQ(second, loop_order(meets)) << threads << " threads";
    }
}

TEST(OrderedLoops, Static) { expect_loop_order(ordered_static, 0); }

TEST(OrderedLoops, StaticChunked) {
  for (int chunk : {1, 4})
    expect_loop_order(ordered_static_chunked, chunk);
}

TEST(OrderedLoops, Dynamic) {
  for (int chunk : {1, 4})
    expect_loop_order(ordered_dynamic, chunk);
}

TEST(OrderedLoops, Guided) { expect_loop_order(ordered_guided, 2); }

TEST(OrderedLoops, RuntimeHetProbeFallsBack) {
  omp_set_schedule(omp_sched_hetprobe, 10);
  expect_loop_order(ordered_runtime, 0);
}

} // namespace
} // namespace hetmp::test
