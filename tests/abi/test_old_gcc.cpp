// Regions as gcc before 4.9 begins and ends them: the calling thread executes its part between two calls.
#include <atomic>
#include <gtest/gtest.h>
#include <vector>

extern "C" {
void GOMP_parallel_start(void (*function)(void*), void* data, unsigned threads);
void GOMP_parallel_end();
void GOMP_parallel_loop_static_start(void (*function)(void*), void* data, unsigned threads, long first, long end,
                                     long increment, long chunk);
void GOMP_parallel_loop_dynamic_start(void (*function)(void*), void* data, unsigned threads, long first, long end,
                                      long increment, long chunk);
void GOMP_parallel_loop_guided_start(void (*function)(void*), void* data, unsigned threads, long first, long end,
                                     long increment, long chunk);
void GOMP_parallel_loop_runtime_start(void (*function)(void*), void* data, unsigned threads, long first, long end,
                                      long increment);
void GOMP_parallel_sections_start(void (*function)(void*), void* data, unsigned threads, unsigned count);
bool GOMP_loop_dynamic_next(long* begin, long* end);
void GOMP_loop_end_nowait();
void GOMP_barrier();
unsigned GOMP_sections_next();
void GOMP_sections_end_nowait();
int omp_get_num_threads();
int omp_get_thread_num();
int omp_get_level();
}

namespace {

struct Counts {
  std::atomic<int> threads{0}, primary{0}, after{0};
};

void count_threads(void* data) {
  auto& counts = *static_cast<Counts*>(data);
  counts.threads++;
  counts.primary += omp_get_thread_num() == 0;
  GOMP_barrier();
  EXPECT_EQ(counts.threads, omp_get_num_threads());
  counts.after++;
}

TEST(OldGcc, TheCallerIsThreadZero) {
  for (unsigned threads = 1; threads <= 4; threads++) {
    Counts counts;
    GOMP_parallel_start(count_threads, &counts, threads);
    EXPECT_EQ(omp_get_thread_num(), 0);
    EXPECT_EQ(omp_get_num_threads(), int(threads));
    EXPECT_EQ(omp_get_level(), 1);
    count_threads(&counts);
    GOMP_parallel_end();
    EXPECT_EQ(omp_get_level(), 0);
    EXPECT_EQ(counts.after, int(threads));
    EXPECT_EQ(counts.primary, 1);
  }
}

void with_region_inside(void* data) {
  Counts inner;
  GOMP_parallel_start(count_threads, &inner, 2);
  EXPECT_EQ(omp_get_level(), 2);
  count_threads(&inner);
  GOMP_parallel_end();
  EXPECT_EQ(omp_get_level(), 1);
  count_threads(data);
}

TEST(OldGcc, RegionsNest) {
  Counts counts;
  GOMP_parallel_start(with_region_inside, &counts, 3);
  with_region_inside(&counts);
  GOMP_parallel_end();
  EXPECT_EQ(counts.after, 3);
}

constexpr long first = 5, step = 3, trips = 200;

void visit_chunks(void* data) {
  auto& visits = *static_cast<std::vector<std::atomic<int>>*>(data);
  for (long begin, end; GOMP_loop_dynamic_next(&begin, &end);)
    for (long i = begin; i < end; i += step)
      visits[size_t((i - first) / step)]++;
  GOMP_loop_end_nowait();
}

template <class Start> void check_loop(Start start) {
  std::vector<std::atomic<int>> visits(trips);
  start(&visits);
  visit_chunks(&visits);
  GOMP_parallel_end();
  for (auto& count : visits)
    EXPECT_EQ(count, 1);
}

TEST(OldGcc, LoopsThatAreRegions) {
  const long end = first + trips * step;
  check_loop([=](void* data) { GOMP_parallel_loop_static_start(visit_chunks, data, 4, first, end, step, 7); });
  check_loop([=](void* data) { GOMP_parallel_loop_static_start(visit_chunks, data, 4, first, end, step, 0); });
  check_loop([=](void* data) { GOMP_parallel_loop_dynamic_start(visit_chunks, data, 4, first, end, step, 3); });
  check_loop([=](void* data) { GOMP_parallel_loop_guided_start(visit_chunks, data, 4, first, end, step, 2); });
  check_loop([=](void* data) { GOMP_parallel_loop_runtime_start(visit_chunks, data, 4, first, end, step); });
  check_loop([=](void* data) { GOMP_parallel_loop_dynamic_start(visit_chunks, data, 1, first, end, step, 3); });
}

void visit_sections(void* data) {
  auto& visits = *static_cast<std::vector<std::atomic<int>>*>(data);
  while (const unsigned section = GOMP_sections_next())
    visits[section - 1]++;
  GOMP_sections_end_nowait();
}

TEST(OldGcc, Sections) {
  std::vector<std::atomic<int>> visits(9);
  GOMP_parallel_sections_start(visit_sections, &visits, 4, 9);
  visit_sections(&visits);
  GOMP_parallel_end();
  for (auto& count : visits)
    EXPECT_EQ(count, 1);
}

} // namespace
