#include "runtime/affinity/seats.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>

namespace hetmp::affinity {
namespace {

std::vector<Seat> seats(ProcBind bind, uint32_t threads, Partition partition, uint32_t primary_place) {
  std::vector<Seat> result;
  for (uint32_t thread = 0; thread < threads; ++thread)
    result.push_back(seat_of(bind, thread, threads, partition, primary_place));
  return result;
}

std::vector<uint32_t> places(const std::vector<Seat>& seats) {
  std::vector<uint32_t> result;
  for (const Seat& seat : seats)
    result.push_back(seat.place);
  return result;
}

using Places = std::vector<uint32_t>;

TEST(Seats, PrimaryKeepsAllTogether) {
  EXPECT_EQ(places(seats(ProcBind::Primary, 3, {0, 4}, 2)), (Places{2, 2, 2}));
  EXPECT_EQ(seat_of(ProcBind::Primary, 1, 3, {0, 4}, 2).partition, (Partition{0, 4}));
}

TEST(Seats, CloseGoesRoundThePartition) {
  EXPECT_EQ(places(seats(ProcBind::Close, 4, {0, 8}, 6)), (Places{6, 7, 0, 1}));
  EXPECT_EQ(places(seats(ProcBind::Close, 3, {4, 3}, 5)), (Places{5, 6, 4}));
  EXPECT_EQ(places(seats(ProcBind::True, 5, {0, 2}, 1)), (Places{1, 0, 1, 0, 1})) << "round and round";
  EXPECT_EQ(places(seats(ProcBind::Close, 6, {0, 4}, 1)), (Places{1, 1, 2, 3, 3, 0}));
}

TEST(Seats, SpreadDividesThePartition) {
  const std::vector<Seat> four = seats(ProcBind::Spread, 4, {0, 8}, 3);
  EXPECT_EQ(places(four), (Places{3, 4, 6, 0})) << "the primary stays, the others take the first of theirs";
  EXPECT_EQ(four[0].partition, (Partition{2, 2}));
  EXPECT_EQ(four[3].partition, (Partition{0, 2}));
  const std::vector<Seat> more = seats(ProcBind::Spread, 5, {2, 2}, 3);
  EXPECT_EQ(places(more), (Places{3, 3, 3, 2, 2}));
  EXPECT_EQ(more[4].partition, (Partition{2, 1}));
}

/// Every team on every partition: what the specification asks for.
TEST(Seats, AreWhatTheSpecificationAsksFor) {
  for (const ProcBind bind : {ProcBind::Close, ProcBind::Spread})
    for (uint32_t first : {0u, 3u})
      for (uint32_t count = 1; count <= 9; ++count)
        for (uint32_t primary = first; primary < first + count; ++primary)
          for (uint32_t threads = 1; threads <= 20; ++threads) {
            const Partition whole{first, count};
            const std::vector<Seat> all = seats(bind, threads, whole, primary);
            ASSERT_EQ(all[0].place, primary);
            std::map<uint32_t, uint32_t> sharers, lengths;
            for (uint32_t i = 0; i < threads; ++i) {
              ASSERT_TRUE(whole.contains(all[i].place));
              ASSERT_TRUE(all[i].partition.contains(all[i].place));
              ++sharers[all[i].place];
              ++lengths[all[i].partition.count];
              if (i > 0 && threads > count && sharers[all[i].place] > 1) {
                ASSERT_EQ(all[i].place, all[i - 1].place) << "sharers have consecutive numbers";
              }
            }
            ASSERT_EQ(sharers.size(), std::min(threads, count));
            const auto [least, most] = std::minmax_element(sharers.begin(), sharers.end(),
                                                           [](auto& a, auto& b) { return a.second < b.second; });
            ASSERT_LE(most->second - least->second, 1u);
            if (bind == ProcBind::Close) {
              ASSERT_EQ(lengths.size(), 1u);
              ASSERT_EQ(all[0].partition, whole);
            } else {
              ASSERT_LE(lengths.rbegin()->first - lengths.begin()->first, 1u);
              if (threads > count) {
                ASSERT_EQ(lengths.begin()->first, 1u);
              }
            }
          }
}

TEST(Seats, SubpartitionsTileThePartition) {
  for (uint32_t count = 1; count <= 12; ++count)
    for (uint32_t threads = 1; threads <= count; ++threads)
      for (uint32_t primary = 0; primary < count; ++primary) {
        std::vector<uint32_t> covered(count);
        for (const Seat& seat : seats(ProcBind::Spread, threads, {0, count}, primary))
          for (uint32_t place = 0; place < seat.partition.count; ++place)
            ++covered[seat.partition.first + place];
        ASSERT_EQ(covered, std::vector<uint32_t>(count, 1));
      }
}

} // namespace
} // namespace hetmp::affinity
