// Loops divided once: each thread computes its share alone.
#include "iterations.hpp"

namespace hetmp::test {
namespace {

/// What a compiler makes of a loop with a static schedule.
template <class T>
void share(Member self, int32_t schedule, std::make_signed_t<T> chunk, const Iterations<T>& loop, Visits<T>& visits) {
  int32_t is_last = 0;
  T lower = loop.first;
  T upper = loop.last;
  std::make_signed_t<T> stride = 1;
  LoopEntries<T>::static_init(&somewhere, self.gtid, schedule, &is_last, &lower, &upper, &stride, loop.increment,
                              chunk);
  const Wide limit = loop.last;
  Wide begin = lower;
  Wide end = upper;
  do {
    visits.visit(begin, loop.within(end, limit) ? end : limit);
    begin += stride;
    end += stride;
  } while (schedule == static_chunked && loop.within(begin, limit));
  if (is_last)
    visits.saw_last();
  __kmpc_for_static_fini(&somewhere, self.gtid);
}

template <class T> class StaticLoops : public testing::Test {
 protected:
  void expect_each_iteration_once(int32_t schedule, std::make_signed_t<T> chunk) {
    for (const Iterations<T>& loop : loops_of_type<T>())
      for (int threads = 1; threads <= most_members; threads++) {
        Visits<T> visits(loop);
        parallel(threads, [&](Member self) { share(self, schedule, chunk, loop, visits); });
        visits.expect_each_once();
      }
  }
};
TYPED_TEST_SUITE(StaticLoops, LoopTypes);

TYPED_TEST(StaticLoops, Contiguous) { this->expect_each_iteration_once(static_contiguous, 0); }

TYPED_TEST(StaticLoops, Chunked) {
  for (int chunk : {1, 3, 64, 1000})
    this->expect_each_iteration_once(static_chunked, chunk);
}

TYPED_TEST(StaticLoops, BalancedChunked) {
  for (int chunk : {1, 4, 1000})
    this->expect_each_iteration_once(static_balanced_chunked, chunk);
}

} // namespace
} // namespace hetmp::test
