// Loops whose chunks are handed out while they run.
#include "iterations.hpp"

#include "runtime/team/implicit_task.hpp"

#include <deque>
#include <sched.h>

namespace hetmp::test {
namespace {

/// What a compiler makes of a loop with a dynamic schedule, without a barrier behind it.
template <class T>
void run_loop(Member self, int32_t schedule, std::make_signed_t<T> chunk, const Iterations<T>& loop,
              Visits<T>& visits) {
  LoopEntries<T>::init(&somewhere, self.gtid, schedule, loop.first, loop.last, loop.increment, chunk);
  int32_t is_last = 0;
  T lower;
  T upper;
  std::make_signed_t<T> stride;
  bool had_last = false;
  while (LoopEntries<T>::next(&somewhere, self.gtid, &is_last, &lower, &upper, &stride)) {
    visits.visit(lower, upper);
    had_last = is_last; // of the thread's last chunk: compilers look at it after the loop
  }
  if (had_last)
    visits.saw_last();
}

template <class T> class DispatchedLoops : public testing::Test {
 protected:
  void expect_each_iteration_once(int32_t schedule, std::make_signed_t<T> chunk) {
    for (const Iterations<T>& loop : loops_of_type<T>())
      for (int threads = 1; threads <= most_members; threads++) {
        Visits<T> visits(loop);
        parallel(threads, [&](Member self) { run_loop(self, schedule, chunk, loop, visits); });
        visits.expect_each_once();
      }
  }
};
TYPED_TEST_SUITE(DispatchedLoops, LoopTypes);

TYPED_TEST(DispatchedLoops, Dynamic) {
  for (int chunk : {1, 7, 1000})
    this->expect_each_iteration_once(dynamic_chunked, chunk);
}

TYPED_TEST(DispatchedLoops, DynamicInAnyOrder) {
  for (int chunk : {1, 7, 1000})
    this->expect_each_iteration_once(nonmonotonic_dynamic, chunk);
}

TYPED_TEST(DispatchedLoops, Guided) {
  for (int chunk : {1, 16})
    this->expect_each_iteration_once(guided_chunked, chunk);
}

TYPED_TEST(DispatchedLoops, Static) {
  this->expect_each_iteration_once(static_contiguous, 0);
  this->expect_each_iteration_once(static_chunked, 3);
}

TYPED_TEST(DispatchedLoops, RuntimeTakesTheScheduleInForce) {
  for (const uint32_t kind :
       {omp_sched_static, omp_sched_dynamic, omp_sched_guided, omp_sched_auto, omp_sched_hetprobe}) {
    omp_set_schedule(kind, 5);
    this->expect_each_iteration_once(runtime_kind, 0);
  }
}

/// A thread that may be executed elsewhere takes several chunks at a time.
TYPED_TEST(DispatchedLoops, InBatches) {
  for (const int32_t schedule : {dynamic_chunked, nonmonotonic_dynamic})
    for (const auto& loop : loops_of_type<TypeParam>())
      for (int threads = 1; threads <= most_members; threads++) {
        Visits<TypeParam> first(loop), second(loop);
        parallel(threads, [&](Member self) {
          runtime::ImplicitTask& task = runtime::task_of(self.gtid);
          if (self.number % 2 != 0) {
            task.has_waited = [] {};
            task.time_elsewhere = [] { return int64_t(0); };
          }
          run_loop(self, schedule, 1, loop, first);
          run_loop(self, schedule, 1, loop, second);
          task.has_waited = nullptr;
        });
        first.expect_each_once();
        second.expect_each_once();
      }
}

/// More loops than a team keeps buffers for, and nothing that makes fast threads wait but the buffers.
TEST(DispatchedLoopsWithoutBarriers, Overlap) {
  constexpr int loops = 50;
  const Iterations<int32_t> loop{0, 30, 1};
  constexpr int32_t schedules[] = {dynamic_chunked, guided_chunked, static_contiguous, nonmonotonic_dynamic};
  for (int round = 0; round < rounds(60); round++) {
    std::deque<Visits<int32_t>> visits;
    for (int i = 0; i < loops; i++)
      visits.emplace_back(loop);
    parallel(1 + round % most_members, [&](Member self) {
      for (int i = 0; i < loops; i++)
        run_loop(self, schedules[i % 4], 2, loop, visits[size_t(i)]);
    });
    for (const auto& one : visits)
      one.expect_each_once();
  }
}

/// The rings' positions carry on from region to region, whatever the team's size.
TEST(DispatchedLoopsWithoutBarriers, FewLoopsInEachOfManyRegions) {
  const Iterations<int64_t> loop{0, 9, 1};
  for (int round = 0; round < rounds(1500); round++) {
    std::deque<Visits<int64_t>> visits;
    for (int i = 0; i < round % 4; i++)
      visits.emplace_back(loop);
    parallel(1 + round * 3 % most_members, [&](Member self) {
      for (auto& one : visits)
        run_loop<int64_t>(self, round % 2 ? nonmonotonic_dynamic : dynamic_chunked, 1, loop, one);
    });
    for (const auto& one : visits)
      one.expect_each_once();
  }
}

/// One thread does not come to the loop before the others have executed all of it.
TEST(DispatchedLoopsWithoutBarriers, NobodyWaitsForALateThread) {
  const Iterations<int32_t> loop{0, 99, 1};
  for (int threads = 2; threads <= most_members; threads++) {
    Visits<int32_t> visits(loop);
    std::atomic<int> left{0};
    parallel(threads, [&](Member self) {
      if (self.number == threads / 2)
        while (left.load() < threads - 1)
          sched_yield();
      run_loop(self, nonmonotonic_dynamic, 3, loop, visits);
      left++;
    });
    visits.expect_each_once();
  }
}

TEST(DispatchedLoopsWithoutBarriers, HetProbeVisitAfterVisit) {
  omp_set_schedule(omp_sched_hetprobe, 10);
  const Iterations<int32_t> loop{0, 999, 1};
  for (int round = 0; round < 15; round++) { // the first ten are probed
    Visits<int32_t> visits(loop);
    parallel(4, [&](Member self) { run_loop(self, runtime_kind, 0, loop, visits); });
    visits.expect_each_once();
  }
}

TEST(Sections, EachOnce) {
  constexpr int sections = 6;
  for (int round = 0; round < rounds(300); round++) {
    std::atomic<int> executed[sections] = {};
    parallel(1 + round % most_members, [&](Member self) {
      __kmpc_sections_init(&somewhere, self.gtid);
      for (int section; (section = __kmpc_next_section(&somewhere, self.gtid, sections)) < sections;)
        executed[section]++;
      __kmpc_end_sections(&somewhere, self.gtid);
    });
    for (const auto& count : executed)
      ASSERT_EQ(count, 1);
  }
}

} // namespace
} // namespace hetmp::test
