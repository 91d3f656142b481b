// Parallel regions: who is in them, one after the other and inside one another.
#include "kmpc.hpp"

#include <array>
#include <atomic>

namespace hetmp::test {
namespace {

TEST(Regions, TeamsOfAllSizesFollowEachOther) {
  // Plain memory: that the primary sees what members wrote is part of what is tested.
  std::array<int, most_members> round_seen{};
  for (int round = 1; round <= rounds(3000); round++) {
    const int threads = 1 + round * 5 % most_members;
    parallel(threads, [&](Member self) {
      round_seen[size_t(self.number)] = round;
      EXPECT_EQ(omp_get_num_threads(), threads);
      EXPECT_EQ(omp_get_thread_num(), self.number);
      EXPECT_EQ(__kmpc_global_thread_num(&somewhere), self.gtid);
    });
    for (int number = 0; number < most_members; number++)
      ASSERT_EQ(round_seen[size_t(number)] == round, number < threads) << "member " << number << " of " << threads;
    ASSERT_EQ(omp_get_num_threads(), 1);
  }
}

TEST(Regions, MembersSeeWhatThePrimaryWroteBefore) {
  int value = 0;
  for (int round = 1; round <= rounds(3000); round++) {
    value = round;
    parallel(4, [&](Member) { EXPECT_EQ(value, round); });
  }
}

void sum_twenty(int*, int*, int* a, int* b, int* c, int* d, int* e, int* f, int* g, int* h, int* i, int* j, int* k,
                int* l, int* m, int* n, int* o, int* p, int* q, int* r, int* s, std::atomic<int>* sum) {
  *sum += *a + *b + *c + *d + *e + *f + *g + *h + *i + *j + *k + *l + *m + *n + *o + *p + *q + *r + *s;
}

TEST(Regions, ArgumentsThatDoNotFitIntoRegisters) {
  int v[19];
  for (int i = 0; i < 19; i++)
    v[i] = 1 << i;
  std::atomic<int> sum{0};
  __kmpc_push_num_threads(&somewhere, __kmpc_global_thread_num(&somewhere), 3);
  __kmpc_fork_call(&somewhere, 20, reinterpret_cast<void*>(&sum_twenty), v, v + 1, v + 2, v + 3, v + 4, v + 5, v + 6,
                   v + 7, v + 8, v + 9, v + 10, v + 11, v + 12, v + 13, v + 14, v + 15, v + 16, v + 17, v + 18, &sum);
  EXPECT_EQ(sum, 3 * ((1 << 19) - 1));
}

TEST(Regions, AConditionDecidesOnTheTeam) {
  std::atomic<int> members{0};
  auto body = [&](Member) { members += omp_in_parallel() ? 1 : 100; };
  const int gtid = __kmpc_global_thread_num(&somewhere);
  for (int condition : {1, 0}) {
    __kmpc_push_num_threads(&somewhere, gtid, 3);
    __kmpc_fork_call_if(&somewhere, 1, microtask_of(body), condition, &body);
  }
  EXPECT_EQ(members, 3 + 100);
  __kmpc_serialized_parallel(&somewhere, gtid);
  EXPECT_EQ(omp_get_level(), 1);
  EXPECT_EQ(omp_get_active_level(), 0);
  __kmpc_end_serialized_parallel(&somewhere, gtid);
  EXPECT_EQ(omp_get_level(), 0);
}

TEST(Regions, NestedTeams) {
  omp_set_max_active_levels(2);
  for (int round = 0; round < rounds(300); round++) {
    const int outer = 1 + round % 4;
    const int inner = 1 + round % 3;
    int visits[4][3] = {};
    parallel(outer, [&](Member outside) {
      parallel(inner, [&](Member inside) {
        visits[outside.number][inside.number]++;
        EXPECT_EQ(omp_get_level(), 2);
        EXPECT_EQ(omp_get_num_threads(), inner);
        EXPECT_EQ(omp_get_ancestor_thread_num(1), outside.number);
        EXPECT_EQ(omp_get_team_size(1), outer);
        const int active = omp_get_active_level();
        parallel(2, [&](Member) { EXPECT_EQ(omp_get_num_threads(), active < 2 ? 2 : 1); });
        __kmpc_barrier(&somewhere, inside.gtid);
      });
      __kmpc_barrier(&somewhere, outside.gtid);
      EXPECT_EQ(omp_get_thread_num(), outside.number);
    });
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < 3; j++)
        ASSERT_EQ(visits[i][j], i < outer && j < inner) << i << " " << j;
  }
}

TEST(Regions, NoDeeperThanAllowed) {
  omp_set_max_active_levels(1);
  std::atomic<int> members{0};
  parallel(3, [&](Member) {
    parallel(3, [&](Member inside) {
      EXPECT_EQ(inside.number, 0);
      EXPECT_EQ(omp_get_num_threads(), 1);
      EXPECT_EQ(omp_get_level(), 2);
      EXPECT_EQ(omp_get_active_level(), 1);
      members++;
    });
  });
  EXPECT_EQ(members, 3);
}

TEST(Regions, ThreadprivateCopiesStayWithTheirNumbers) {
  static int original = 7;
  void** cache = nullptr;
  const auto copy = [&](Member self) {
    return static_cast<int*>(__kmpc_threadprivate_cached(&somewhere, self.gtid, &original, sizeof original, &cache));
  };
  parallel(4, [&](Member self) { *copy(self) = 100 + self.number; });
  for (int round = 0; round < rounds(300); round++)
    parallel(4, [&](Member self) { EXPECT_EQ(*copy(self), 100 + self.number); });
  EXPECT_EQ(original, 100); // the initial thread has no copy
}

} // namespace
} // namespace hetmp::test
