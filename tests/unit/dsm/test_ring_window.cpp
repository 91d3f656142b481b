// Rings in another node's memory: nothing is overwritten that is still needed, and whoever waits for room gets it.
#include "dsm/transport/rdma/ring_window.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <random>
#include <vector>

namespace hetmp::dsm {
namespace {

/// One direction, with everything that is under way: posts not yet carried, arrivals not yet taken, and what goes back.
class Direction {
 public:
  Direction(size_t ring_bytes, uint32_t most_messages)
      : out(ring_bytes, most_messages, most_messages + most_reports + 1), in(ring_bytes, most_messages),
        bytes_(ring_bytes, 0), most_messages_(most_messages) {}

  bool send(size_t bytes) {
    const auto at = out.place(bytes);
    if (!at)
      return false;
    for (size_t i = 0; i < bytes; ++i) {
      EXPECT_EQ(bytes_[*at + i], 0) << "a byte that is still in use";
      bytes_[*at + i] = 1;
    }
    const bool reports = out.takes_report(bytes);
    out.sent(bytes);
    posts_++;
    under_way_.push_back({*at, bytes, reports ? posts_ : 0});
    return true;
  }
  /// The oldest one reaches the receiver, which uses it; its place may be written from now on, as far as memory is
  /// concerned: the sender does not know yet.
  bool take() {
    if (under_way_.empty())
      return false;
    const Message message = under_way_.front();
    under_way_.pop_front();
    EXPECT_TRUE(in.accept(message.at, message.bytes));
    in.release();
    taken_.push_back(message);
    if (message.told_as != 0)
      to_complete_.push_back(message.told_as);
    if (in.is_report_due()) {
      reports_.push_back(in.tell());
      EXPECT_LE(reports_.size(), most_reports) << "more reports than there are receives for";
    }
    return true;
  }
  bool hear_report() {
    if (reports_.empty())
      return false;
    credit(reports_.front());
    reports_.pop_front();
    return true;
  }
  /// By a message that goes the other way. In order with reports.
  void hear_credit() {
    while (hear_report()) {
    }
    credit(in.tell());
  }
  bool complete() {
    if (to_complete_.empty())
      return false;
    EXPECT_TRUE(out.complete(to_complete_.front()));
    completed_ = to_complete_.front();
    to_complete_.pop_front();
    free();
    return true;
  }
  size_t under_way() const { return under_way_.size(); }

  SendWindow out;
  ReceiveWindow in;

 private:
  struct Message {
    size_t at;
    size_t bytes;
    uint64_t told_as; ///< the post by which the device tells of it; 0: it does not
  };
  void credit(uint32_t taken) {
    EXPECT_TRUE(out.credit(taken));
    credited_ = taken;
    free();
  }
  /// Messages that the sender may forget: both taken and complete, as far as it has been told.
  void free() {
    while (!taken_.empty() && freed_ < credited_ && freed_ < completed_) {
      const Message& message = taken_.front();
      std::fill_n(bytes_.begin() + long(message.at), message.bytes, uint8_t(0));
      taken_.pop_front();
      freed_++;
    }
  }

  std::vector<uint8_t> bytes_; ///< 1: in use
  uint32_t most_messages_;
  std::deque<Message> under_way_, taken_;
  std::deque<uint32_t> reports_;
  std::deque<uint64_t> to_complete_;
  uint64_t posts_ = 0, freed_ = 0, credited_ = 0, completed_ = 0;
};

TEST(RingWindow, NothingIsOverwrittenAndWhoWaitsGetsRoom) {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    const size_t largest = ring_unit * (1 + random() % 8), units = largest / ring_unit;
    const size_t ring = ring_unit * (largest_in_ring * units + random() % 5);
    Direction direction(ring, report_share + random() % 9);
    const auto any_bytes = [&] { return 1 + random() % largest; };
    for (int step = 0; step < 3000; ++step)
      switch (random() % 6) {
      case 0:
      case 1:
        direction.send(any_bytes());
        break;
      case 2:
      case 3:
        direction.take();
        break;
      case 4:
        direction.hear_report();
        break;
      case 5:
        random() % 16 == 0 ? direction.hear_credit() : void(direction.complete());
        break;
      }
    // All is taken, and nothing goes the other way but reports: the largest message must have room.
    while (direction.take() || direction.hear_report() || direction.complete()) {
    }
    EXPECT_TRUE(direction.send(largest)) << seed;
  }
}

TEST(RingWindow, APlaceThatTheSenderCannotHaveMeantIsRefused) {
  constexpr size_t ring = 12 * ring_unit;
  ReceiveWindow in(ring, 8);
  EXPECT_FALSE(in.accept(ring_unit, ring_unit)) << "the first one is at the front";
  EXPECT_FALSE(in.accept(0, 0));
  EXPECT_FALSE(in.accept(0, ring + 1));
  EXPECT_TRUE(in.accept(0, 10 * ring_unit));
  EXPECT_FALSE(in.accept(0, ring_unit)) << "it fits behind the first";
  EXPECT_FALSE(in.accept(10 * ring_unit, 3 * ring_unit)) << "it does not fit before the end";
  EXPECT_TRUE(in.accept(0, 3 * ring_unit));
  EXPECT_TRUE(in.accept(3 * ring_unit, 1));
}

TEST(RingWindow, CreditThatNobodyCanHaveGivenIsRefused) {
  SendWindow out(12 * ring_unit, 8, 20);
  EXPECT_TRUE(out.credit(0));
  EXPECT_FALSE(out.credit(1));
  out.sent(ring_unit);
  out.sent(ring_unit);
  EXPECT_FALSE(out.credit(3));
  EXPECT_TRUE(out.credit(2));
  EXPECT_FALSE(out.credit(1)) << "less than before";
  EXPECT_FALSE(out.complete(3));
  EXPECT_TRUE(out.complete(2));
  EXPECT_FALSE(out.complete(1));
}

TEST(RingWindow, CountsOfMessagesMayWrap) {
  SendWindow out(12 * ring_unit, 8, 20);
  ReceiveWindow in(12 * ring_unit, 8);
  const auto exchange = [&] {
    const auto at = out.place(1);
    ASSERT_TRUE(at);
    static_cast<void>(out.takes_report(1));
    out.sent(1);
    ASSERT_TRUE(in.accept(*at, 1));
    in.release();
  };
  uint64_t posts = 0;
  for (int i = 0; i < 1000; ++i) {
    exchange();
    ASSERT_TRUE(out.credit(in.tell()) && out.complete(++posts));
  }
  EXPECT_EQ(in.tell(), 1000u);
  EXPECT_FALSE(out.credit((1000 - 1) & credit_mask));
}

} // namespace
} // namespace hetmp::dsm
