// Two nodes that write into each other's rings (dsm/transport/rdma/ring_window.hpp), with what lies between them: the
// queues of their devices, posts under way, and both nodes' memory. A step is what can happen by itself. The windows
// are a parameter, so that faults can be put into them; faults of their user are the world's own.
//
// What is violated, by letter:
//   O  a message is written over one that its receiver still uses, or beyond the ring
//   S  a message is put together where one lies that the device may still send
//   Q  a device's queue gets more posts than it has room for
//   R  something arrives and no receive is posted
//   F  what is right is refused, or what cannot be is taken for right
//   D  all is quiet, and a node that waits for room has none
//   E  who ends never knows that all has been sent
#pragma once

#include "dsm/transport/rdma/ring_window.hpp"

#include <algorithm>
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace hetmp::dsm::ring_model {

/// What the user of right windows may get wrong.
enum class Misuse : uint8_t {
  None,
  ReleasesBeforeUse,      ///< a message's place is given back, and the message is used afterwards
  ReportsIntoAFullQueue,  ///< a report is posted without asking whether it may be
  HearsReportsOnly,       ///< the credit in messages is not looked at
  TellsNothingByMessages, ///< they have the credit of the report before
};

struct Shape {
  uint32_t ring_units = 3;
  uint32_t largest = 1; ///< message, in units
  uint32_t most_messages = 4;
  uint32_t mask = credit_mask; ///< of counts of messages

  size_t ring_bytes() const { return size_t(ring_units) * ring_unit; }
  uint32_t most_arrivals() const { return most_messages + most_reports + 1; }
  uint32_t most_posts() const { return most_messages + most_reports + 1; } ///< hetmp allows some more
};

enum class Step : uint8_t { Send, Carry, Acknowledge, Take, Release, Report, Settle };
inline constexpr Step all_steps[] = {Step::Carry,  Step::Acknowledge, Step::Take, Step::Release,
                                     Step::Report, Step::Settle,      Step::Send};

template <class SendWindow, class ReceiveWindow> class World {
 public:
  explicit World(const Shape& shape, Misuse misuse = Misuse::None)
      : shape_(shape), misuse_(misuse), sides_{Side(shape), Side(shape)} {}

  /// The first violation; empty: none.
  const std::string& problem() const { return problem_; }
  const Shape& shape() const { return shape_; }
  uint32_t sent(int n) const { return uint32_t(sides_[n].sizes.size()); }

  /// A step of node `n`; `units`: of a message that is sent. False: it cannot be taken now.
  bool take(int n, Step step, uint32_t units = 1) {
    switch (step) {
    case Step::Send:
      return send(n, units);
    case Step::Carry:
      return carry(n);
    case Step::Acknowledge:
      return acknowledge(n);
    case Step::Take:
      return take_in(n);
    case Step::Release:
      return release(n);
    case Step::Report:
      return report(n);
    case Step::Settle:
      return settle(n);
    }
    return false;
  }

  /// What is under way comes to rest, and nobody sends: whoever wants to must be able to.
  void come_to_rest() {
    for (int steps = 0; problem_.empty() && any_step(); ++steps)
      if (steps == most_steps_to_rest)
        violated("R: reports without end");
    expect_room();
  }
  /// Nobody can go on but by sending.
  void expect_room() {
    for (const Side& side : sides_)
      if (problem_.empty() && !side.out.place(shape_.largest * ring_unit))
        violated("D: no room, and nothing is under way");
  }
  /// Both end their processes.
  void end() {
    for (int n = 0; n < 2; ++n)
      for (int round = 0; problem_.empty() && !sides_[n].out.is_complete(); ++round) {
        settle(n);
        come_to_rest();
        if (round == 3)
          violated("E: what was sent is never known to be complete");
      }
  }

  /// The windows' answers to what cannot be. They are asked copies.
  void probe() {
    for (int n = 0; n < 2 && problem_.empty(); ++n) {
      const Side& side = sides_[n];
      const auto unheard = uint32_t(side.sizes.size() - side.heard);
      const auto heard = uint32_t(side.heard);
      if (const uint32_t wrong[] = {heard - 1, heard + unheard + 1, heard + shape_.mask / 2};
          std::any_of(std::begin(wrong), std::end(wrong),
                      [&](uint32_t taken) { return SendWindow(side.out).credit(taken & shape_.mask); }))
        violated("F: credit that cannot be is taken for right");
      if (SendWindow(side.out).complete(side.posts + 1) ||
          (side.complete != 0 && SendWindow(side.out).complete(side.complete - 1)))
        violated("F: a completion that cannot be is taken for right");
      for (uint32_t at = 0; at <= shape_.ring_units; ++at)
        for (uint32_t units = 0; units <= shape_.ring_units + 1; ++units) {
          const bool is_right = units != 0 && units <= shape_.ring_units && at == side.expected(shape_, units);
          if (!side.in_hand && ReceiveWindow(side.in).accept(at * ring_unit, units * ring_unit) != is_right)
            violated("F: a place is taken for right that the sender cannot mean, or the right one is not");
        }
    }
  }

  /// Tells apart states that differ, as long as the windows do what they are to do.
  std::string key() const {
    std::string key;
    const auto add = [&key](uint64_t number) { key += char(number); }; // all are small in a world that is explored
    for (const Side& side : sides_) {
      for (const uint64_t number :
           {uint64_t(side.sizes.size()), side.posts, side.told, side.sent_by_told, side.complete, side.sent_by_complete,
            side.carried, side.heard, uint64_t(side.last_credit), uint64_t(side.in_hand.has_value()),
            uint64_t(side.unacknowledged.size()), uint64_t(side.arrived.size())})
        add(number);
      for (const uint32_t units : side.sizes)
        add(units);
      for (const auto* posts : {&side.unacknowledged, &side.arrived})
        for (const Post& post : *posts)
          add(post.credit), add(post.units), add(post.told);
    }
    return key;
  }

 private:
  static constexpr int most_steps_to_rest = 100'000;

  struct Post {
    uint32_t at = 0;
    uint32_t units = 0; ///< 0: a report
    uint32_t credit = 0;
    bool told = false; ///< the device is to tell of it

    bool overlaps(const Post& other) const {
      return units != 0 && other.units != 0 && at < other.at + other.units && other.at < at + units;
    }
  };
  struct Side {
    explicit Side(const Shape& shape)
        : out(shape.ring_bytes(), shape.most_messages, shape.most_posts()),
          in(shape.ring_bytes(), shape.most_messages) {}

    /// Where a message of so many units comes to lie.
    uint32_t expected(const Shape& shape, uint32_t units) const {
      return units > shape.ring_units - position ? 0 : position;
    }

    SendWindow out;
    ReceiveWindow in;
    std::deque<Post> unacknowledged; ///< its posts; the first `carried` have arrived
    uint64_t carried = 0;
    std::deque<Post> arrived;                        ///< from the other one, and not taken: each has a receive
    std::optional<Post> in_hand;                     ///< the message that is used
    std::vector<uint32_t> sizes;                     ///< of all messages it sent
    uint64_t posts = 0;                              ///< all
    uint64_t complete = 0;                           ///< as far as the device has told
    uint64_t told = 0;                               ///< the last post of which it is to tell
    uint64_t sent_by_complete = 0, sent_by_told = 0; ///< messages
    uint64_t heard = 0;                              ///< messages that the other one has said to have taken in
    uint32_t position = 0;                           ///< behind the last message of the other one
    uint32_t last_credit = 0;                        ///< that it has told
  };

  void violated(const char* what) {
    if (problem_.empty())
      problem_ = what;
  }
  void expect(bool condition, const char* complaint) {
    if (!condition)
      violated(complaint);
  }

  void post(Side& side, const Post& post) {
    expect(side.posts - side.complete < shape_.most_posts(), "Q: more posts than the queue has room for");
    ++side.posts;
    if (post.told) {
      side.told = side.posts;
      side.sent_by_told = side.sizes.size();
    }
    side.unacknowledged.push_back(post);
  }
  uint32_t tell(Side& side) { return side.last_credit = side.in.tell(); }

  bool send(int n, uint32_t units) {
    Side& side = sides_[n];
    const size_t bytes = units * ring_unit - 7; // as many as fill them
    const auto place = side.out.place(bytes);
    if (!place)
      return false;
    Post message{*place / ring_unit, units, 0, false};
    message.credit = misuse_ == Misuse::TellsNothingByMessages ? side.last_credit : tell(side);
    if (misuse_ == Misuse::TellsNothingByMessages)
      static_cast<void>(side.in.tell());
    expect(*place % ring_unit == 0 && message.at + units <= shape_.ring_units, "O: beyond the ring");
    for (const Post& other : side.unacknowledged)
      expect(!message.overlaps(other), "S: staging memory is written that the device may still send");
    message.told = side.out.takes_report(bytes);
    side.out.sent(bytes);
    side.sizes.push_back(units);
    post(side, message);
    return true;
  }
  /// Into the other one's memory. The acknowledgement may take long, or be lost, and the post be sent again.
  bool carry(int n) {
    Side &side = sides_[n], &other = sides_[1 - n];
    if (side.carried == side.unacknowledged.size())
      return false;
    const Post& post = side.unacknowledged[side.carried++];
    expect(other.arrived.size() < shape_.most_arrivals(), "R: no receive is posted");
    const auto is_hit = [&post](const Post& used) { return post.overlaps(used); };
    expect(std::none_of(other.arrived.begin(), other.arrived.end(), is_hit) &&
               !(other.in_hand && is_hit(*other.in_hand)),
           "O: a message is overwritten that is still in use");
    other.arrived.push_back(post);
    return true;
  }
  bool acknowledge(int n) {
    Side& side = sides_[n];
    if (side.carried == 0)
      return false;
    const Post post = side.unacknowledged.front();
    side.unacknowledged.pop_front();
    --side.carried;
    if (!post.told)
      return true;
    side.complete = side.posts - side.unacknowledged.size();
    side.sent_by_complete = side.sizes.size() - std::count_if(side.unacknowledged.begin(), side.unacknowledged.end(),
                                                              [](const Post& later) { return later.units != 0; });
    expect(side.out.complete(side.complete), "F: the device's word is refused");
    return true;
  }
  bool take_in(int n) {
    Side& side = sides_[n];
    if (side.in_hand || side.arrived.empty())
      return false;
    const Post post = side.arrived.front();
    side.arrived.pop_front();
    if (post.units != 0) {
      const uint32_t expected = side.expected(shape_, post.units);
      expect(post.at == expected, "F: the sender means another place than the receiver");
      expect(side.in.accept(post.at * ring_unit, post.units * ring_unit - 7), "F: a message's place is refused");
      side.position = (expected + post.units) % shape_.ring_units;
      side.in_hand = post;
      if (misuse_ == Misuse::ReleasesBeforeUse)
        side.in.release();
    }
    if (post.units == 0 || misuse_ != Misuse::HearsReportsOnly) {
      expect(side.out.credit(post.credit), "F: right credit is refused");
      side.heard += (post.credit - side.heard) & shape_.mask;
    }
    return true;
  }
  bool release(int n) {
    Side& side = sides_[n];
    if (!side.in_hand)
      return false;
    if (misuse_ != Misuse::ReleasesBeforeUse)
      side.in.release();
    side.in_hand.reset();
    return true;
  }
  bool report(int n) {
    Side& side = sides_[n];
    if (!side.in.is_report_due() || (!side.out.may_post() && misuse_ != Misuse::ReportsIntoAFullQueue))
      return false;
    const bool told = side.out.takes_report(0);
    side.out.posted();
    post(side, {0, 0, tell(side), told});
    return true;
  }
  /// A process that ends asks again and again.
  bool settle(int n) {
    Side& side = sides_[n];
    if (side.out.tells_of_last() || !side.out.may_post())
      return false;
    side.out.tell_of_all();
    side.out.posted();
    post(side, {0, 0, tell(side), true});
    return true;
  }
  bool any_step() {
    bool any = false;
    for (int n = 0; n < 2; ++n)
      for (const Step step : {Step::Carry, Step::Acknowledge, Step::Take, Step::Release, Step::Report})
        any = take(n, step) || any;
    return any;
  }

  Shape shape_;
  Misuse misuse_;
  Side sides_[2];
  std::string problem_;
};

} // namespace hetmp::dsm::ring_model
