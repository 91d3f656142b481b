// num_threads clauses with a list, for regions inside one another, and strict ones.
#include "kmpc.hpp"

#include <atomic>
#include <string>
#include <utility>
#include <vector>

namespace hetmp::test {
namespace {

int own_gtid() { return __kmpc_global_thread_num(&somewhere); }

/// #pragma omp parallel num_threads(list...)
template <class Body> void parallel(const std::vector<int32_t>& list, const Body& body) {
  __kmpc_push_num_threads_list(&somewhere, own_gtid(), uint32_t(list.size()), list.data());
  __kmpc_fork_call(&somewhere, 1, microtask_of(body), &body);
}

/// #pragma omp parallel
template <class Body> void parallel(const Body& body) { __kmpc_fork_call(&somewhere, 1, microtask_of(body), &body); }

class TeamSizes : public testing::Test {
 protected:
  void SetUp() override {
    omp_set_max_active_levels(8);
    omp_set_num_threads(2);
  }
  void TearDown() override {
    omp_set_num_threads(4);
    omp_set_max_active_levels(1);
  }
};

TEST_F(TeamSizes, AListIsForRegionsInsideOneAnother) {
  std::atomic<int> innermost{0};
  parallel({3, 2, 4}, [&](Member) {
    EXPECT_EQ(omp_get_num_threads(), 3);
    EXPECT_EQ(omp_get_max_threads(), 2);
    parallel([&](Member) {
      EXPECT_EQ(omp_get_num_threads(), 2);
      parallel([&](Member) {
        EXPECT_EQ(omp_get_num_threads(), 4);
        innermost++;
        EXPECT_EQ(omp_get_max_threads(), 4); // the last number counts further inside
      });
    });
    parallel([&](Member) { EXPECT_EQ(omp_get_num_threads(), 2); }); // and the list for each region of its level
  });
  EXPECT_EQ(innermost, 3 * 2 * 4);
  parallel([&](Member) {
    EXPECT_EQ(omp_get_num_threads(), 2); // not for what comes after it
    parallel([&](Member) { EXPECT_EQ(omp_get_num_threads(), 2); });
  });
}

TEST_F(TeamSizes, AListInsideOfAnotherIsForWhatIsInsideOfIt) {
  parallel({2, 3}, [&](Member) {
    parallel({2, 1, 3}, [&](Member) {
      EXPECT_EQ(omp_get_num_threads(), 2);
      parallel([&](Member) { // one thread is a level, too
        EXPECT_EQ(omp_get_num_threads(), 1);
        parallel([&](Member) { EXPECT_EQ(omp_get_num_threads(), 3); });
      });
    });
    parallel([&](Member) { EXPECT_EQ(omp_get_num_threads(), 3); });
  });
}

TEST_F(TeamSizes, AListOfOneIsAnOrdinaryClause) {
  parallel({3}, [&](Member) {
    EXPECT_EQ(omp_get_num_threads(), 3);
    EXPECT_EQ(omp_get_max_threads(), 2);
  });
}

TEST_F(TeamSizes, NeitherClauseNorCallOfARegionInsideTouchesTheOthers) {
  parallel({2, 3, 4}, [&](Member) {
    test::parallel(2, [&](Member) {
      EXPECT_EQ(omp_get_num_threads(), 2);
      parallel([&](Member) { EXPECT_EQ(omp_get_num_threads(), 4); });
    });
    omp_set_num_threads(1);
    parallel([&](Member) {
      EXPECT_EQ(omp_get_num_threads(), 1);
      parallel([&](Member) { EXPECT_EQ(omp_get_num_threads(), 4); });
    });
  });
}

TEST_F(TeamSizes, MoreNumbersThanCountAreToldOnce) {
  const std::vector<int32_t> many(40, 1);
  testing::internal::CaptureStderr();
  for (int round = 0; round < 2; round++)
    parallel(many, [&](Member) { EXPECT_EQ(omp_get_num_threads(), 1); });
  static bool told = false; // by this process: once
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            std::exchange(told, true) ? "" : "hetmp: a num_threads clause with 40 numbers; the first 17 count\n");
}

/// What is said while `meet` meets a region, with at most one active level.
template <class Meet> std::string words_of(const Meet& meet) {
  omp_set_max_active_levels(1);
  testing::internal::CaptureStderr();
  test::parallel(2, [&](Member self) {
    if (self.number == 0)
      meet();
  });
  return testing::internal::GetCapturedStderr();
}

constexpr int warning = 1, fatal = 2;

TEST_F(TeamSizes, AStrictClauseTellsOfASmallerTeam) {
  const auto body = [](Member) { EXPECT_EQ(omp_get_num_threads(), 1); };
  EXPECT_EQ(words_of([&] {
              __kmpc_push_num_threads_strict(&somewhere, own_gtid(), 3, warning, "too few");
              parallel(body);
              parallel(body); // the clause is used up
            }),
            "hetmp: num_threads(strict: 3) gives a team of 1: too few\n");
  EXPECT_EQ(words_of([&] {
              const int32_t list[2] = {4, 2};
              __kmpc_push_num_threads_list_strict(&somewhere, own_gtid(), 2, list, warning, nullptr);
              parallel(body);
            }),
            "hetmp: num_threads(strict: 4) gives a team of 1\n");
}

TEST_F(TeamSizes, AStrictClauseThatIsMetSaysNothing) {
  testing::internal::CaptureStderr();
  __kmpc_push_num_threads_strict(&somewhere, own_gtid(), 3, fatal, "too few");
  parallel([](Member) { EXPECT_EQ(omp_get_num_threads(), 3); });
  __kmpc_push_num_threads_strict(&somewhere, own_gtid(), 3, fatal, "too few"); // if(false)
  __kmpc_serialized_parallel(&somewhere, own_gtid());
  __kmpc_end_serialized_parallel(&somewhere, own_gtid());
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_F(TeamSizes, AStrictClauseCanEndTheProgram) {
  EXPECT_EXIT(
      {
        omp_set_max_active_levels(0);
        __kmpc_push_num_threads_strict(&somewhere, own_gtid(), 3, fatal, "too few");
        parallel([](Member) {});
      },
      testing::ExitedWithCode(1), "^hetmp: num_threads.strict: 3. gives a team of 1: too few\n$");
}

} // namespace
} // namespace hetmp::test
