// Barriers, single, copyprivate, critical. Shared variables are plain: the constructs alone order the
// accesses.
#include "kmpc.hpp"

#include <array>
#include <atomic>

namespace hetmp::test {
namespace {

TEST(Synchronisation, BarriersSeparatePhases) {
  for (int threads = 1; threads <= most_members; threads++) {
    std::array<int, most_members> phase{};
    parallel(threads, [&](Member self) {
      for (int round = 1; round <= rounds(400); round++) {
        phase[size_t(self.number)] = round;
        __kmpc_barrier(&somewhere, self.gtid);
        for (int other = 0; other < threads; other++)
          EXPECT_EQ(phase[size_t(other)], round);
        __kmpc_barrier(&somewhere, self.gtid);
      }
    });
  }
}

TEST(Synchronisation, BarrierMasterHoldsTheOthersBack) {
  int value = 0;
  parallel(5, [&](Member self) {
    for (int round = 1; round <= rounds(400); round++) {
      if (__kmpc_barrier_master(&somewhere, self.gtid)) {
        EXPECT_TRUE(__kmpc_master(&somewhere, self.gtid));
        value = round;
        __kmpc_end_barrier_master(&somewhere, self.gtid);
      }
      EXPECT_EQ(value, round);
    }
  });
}

TEST(Synchronisation, OneThreadExecutesASingle) {
  for (int threads = 1; threads <= most_members; threads++) {
    int executed = 0;
    parallel(threads, [&](Member self) {
      for (int round = 1; round <= rounds(400); round++) {
        if (__kmpc_single(&somewhere, self.gtid)) {
          executed++;
          __kmpc_end_single(&somewhere, self.gtid);
        }
        __kmpc_barrier(&somewhere, self.gtid);
        EXPECT_EQ(executed, round);
        __kmpc_barrier(&somewhere, self.gtid);
      }
    });
  }
}

TEST(Synchronisation, SinglesWithoutBarriersOverlap) {
  constexpr int constructs = 200;
  for (int round = 0; round < rounds(50); round++) {
    std::array<std::atomic<int>, constructs> executed{};
    parallel(1 + round % most_members, [&](Member self) {
      for (auto& count : executed)
        if (__kmpc_single(&somewhere, self.gtid)) {
          count++;
          __kmpc_end_single(&somewhere, self.gtid);
        }
    });
    for (auto& count : executed)
      ASSERT_EQ(count, 1);
  }
}

void copy_int(void* to, void* from) { *static_cast<int*>(to) = *static_cast<int*>(from); }

TEST(Synchronisation, CopyprivateBroadcasts) {
  for (int threads = 1; threads <= most_members; threads++)
    parallel(threads, [&](Member self) {
      for (int round = 1; round <= rounds(200); round++) {
        int value = -1;
        const int did_it = __kmpc_single(&somewhere, self.gtid);
        if (did_it)
          value = round;
        __kmpc_copyprivate(&somewhere, self.gtid, sizeof value, &value, copy_int, did_it);
        EXPECT_EQ(value, round);
      }
    });
}

TEST(Synchronisation, CopyprivateLightHandsOutThePointer) {
  parallel(6, [&](Member self) {
    for (int round = 1; round <= rounds(200); round++) {
      int value = round;
      const int did_it = __kmpc_single(&somewhere, self.gtid);
      auto* const source =
          static_cast<int*>(__kmpc_copyprivate_light(&somewhere, self.gtid, did_it ? &value : nullptr));
      ASSERT_NE(source, nullptr);
      EXPECT_EQ(source == &value, did_it != 0);
      EXPECT_EQ(*source, round);
      __kmpc_barrier(&somewhere, self.gtid);
    }
  });
}

TEST(Synchronisation, CriticalSectionsExcludeEachOtherByName) {
  CriticalName names[2] = {};
  int counts[2] = {};
  const int turns = rounds(5000);
  parallel(most_members, [&](Member self) {
    for (int turn = 0; turn < turns; turn++) {
      const int which = (turn + self.number) % 2;
      __kmpc_critical(&somewhere, self.gtid, &names[which]);
      increment_slowly(counts[which], turn);
      __kmpc_end_critical(&somewhere, self.gtid, &names[which]);
    }
  });
  EXPECT_EQ(counts[0] + counts[1], most_members * turns);
}

} // namespace
} // namespace hetmp::test
