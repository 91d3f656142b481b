// When a thread at home and one that is away change places: two threads with equal shares, in virtual time.
#include "dsm/migration/journeys/change_of_places.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>

namespace hetmp::dsm {
namespace {

constexpr int64_t ms = 1'000'000;

struct Pair {
  int64_t share_ns;  ///< CPU time that each of them wants
  double speed;      ///< of the CPU at home
  int64_t waited_ns; ///< by who comes to a place, before it goes on

  struct Run {
    int64_t took_ns = 0;
    uint32_t changes = 0;
  };
  /// When one is done, the other one goes to the fast CPU.
  Run run(ChangeOfPlaces rule) const {
    constexpr int64_t step_ns = ms / 2;
    Run run;
    double away = 0, home = 0;
    int64_t away_waits_ns = 0, home_waits_ns = 0;
    const auto step = [&](double& had, int64_t& waits_ns, double how_fast) {
      const int64_t waited = std::min(waits_ns, step_ns);
      waits_ns -= waited;
      had += how_fast * double(step_ns - waited);
    };
    while (away < double(share_ns) && home < double(share_ns)) {
      step(away, away_waits_ns, 1);
      step(home, home_waits_ns, speed);
      run.took_ns += step_ns;
      if (!rule.pays(int64_t(away - home), 1 - speed))
        continue;
      std::swap(away, home);
      away_waits_ns = home_waits_ns = waited_ns;
      rule.has_waited(waited_ns);
      run.changes++;
    }
    run.took_ns += share_ns - int64_t(std::min({away, home, double(share_ns)}));
    return run;
  }
  double without_ns() const { return (2 - speed) * double(share_ns); }
  double alike_ns() const { return 2 / (1 + speed) * double(share_ns); }
};

ChangeOfPlaces unknown() {
  ChangeOfPlaces rule;
  rule.begin(0, 0);
  return rule;
}

TEST(ChangeOfPlaces, BothGetOnAlikeInALongRegion) {
  for (const double speed : {1.0 / 6, 0.5, 0.75}) {
    const Pair pair{3000 * ms, speed, 0};
    EXPECT_LT(double(pair.run(unknown()).took_ns), 1.03 * pair.alike_ns()) << speed;
  }
}

TEST(ChangeOfPlaces, OnceIsEnoughWhereTheTimeIsKnown) {
  const Pair pair{260 * ms, 0.5, 10 * ms};
  ChangeOfPlaces rule;
  rule.begin(pair.waited_ns, pair.share_ns);
  const Pair::Run run = pair.run(rule);
  EXPECT_EQ(run.changes, 1u);
  EXPECT_LT(double(run.took_ns), 0.97 * pair.without_ns());
}

TEST(ChangeOfPlaces, IsNotWorthALittle) {
  const Pair pair{60 * ms, 0.5, 10 * ms};
  ChangeOfPlaces rule;
  rule.begin(pair.waited_ns, pair.share_ns);
  EXPECT_EQ(pair.run(rule).changes, 0u);
}

TEST(ChangeOfPlaces, IsNotForThoseThatGetOnAlike) {
  const Pair pair{10'000 * ms, 1, 0};
  EXPECT_EQ(pair.run(unknown()).changes, 0u);
}

/// Nobody knows what the first one costs. After that, all of them together cost little.
TEST(ChangeOfPlaces, CostsLittleWhateverAChangeCosts) {
  std::mt19937_64 random(7);
  const auto draw = [&](int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(random);
  };
  for (int i = 0; i < 2000; ++i) {
    const Pair pair{draw(10, 4000) * ms, double(draw(10, 99)) / 100, draw(0, 300) * ms};
    const Pair::Run run = pair.run(unknown());
    SCOPED_TRACE(testing::Message() << pair.share_ns / ms << " ms, speed " << pair.speed << ", " << pair.waited_ns / ms
                                    << " ms a change: " << run.changes);
    ASSERT_LE(double(run.took_ns), 1.05 * pair.without_ns() + double(pair.waited_ns) + double(2 * ms));
    ASSERT_GE(double(run.took_ns), pair.alike_ns() - double(2 * ms));
  }
}

} // namespace
} // namespace hetmp::dsm
