// The arithmetic of a ring in another node's memory: its sender writes messages there, one behind the other, each in
// one piece; what does not fit before the ring's end begins at its front. Both sides keep the same position, so a place
// that the sender could not have meant is recognised. Pure.
//
// Credit. The sender has at most `most_messages` and one ring's bytes under way. The receiver tells how many messages
// it has taken in of all, by each message of its own that goes the other way, and by *reports* where there is none:
// after every quarter of the messages or of the bytes. Reports need no credit: a receiver that has not been told for k
// reports has not let more than most_messages be sent, of which each report stands for a quarter, by number or by
// bytes; so at most most_reports of them are under way. Since what has not been told is less than a quarter of the
// ring, and a ring has room for three of the largest messages, a sender who waits is always told: 1/4 + 2/3 (the
// message, and what is skipped before it) < 1.
#pragma once

#include "base/check.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace hetmp::dsm {

inline constexpr uint32_t ring_unit = 64;   ///< bytes: messages begin at multiples of it
inline constexpr uint32_t report_share = 4; ///< a report after a quarter
inline constexpr uint32_t most_reports = 2 * report_share;
inline constexpr uint32_t largest_in_ring = 3;       ///< so many of the largest messages have room in a ring, at least
inline constexpr uint32_t credit_mask = 0x7fff'ffff; ///< counts of messages travel modulo this + 1

constexpr size_t ring_units_up(size_t bytes) { return (bytes + ring_unit - 1) / ring_unit * ring_unit; }

/// The sender's side.
class SendWindow {
 public:
  SendWindow(size_t ring_bytes, uint32_t most_messages, uint32_t most_posts)
      : ring_bytes_(ring_bytes), most_messages_(most_messages), ends_(most_messages), messages_by_(most_posts) {
    HETMP_CHECK(ring_bytes % ring_unit == 0 && most_messages >= report_share && most_posts > most_messages);
  }

  /// Where a message of so many bytes would go now; nothing: there is no room yet.
  std::optional<uint32_t> place(size_t bytes) const {
    const size_t wanted = ring_units_up(bytes);
    HETMP_CHECK(wanted != 0 && wanted * largest_in_ring <= ring_bytes_);
    if (messages_ - freed() >= most_messages_ || !may_post() || skipped(wanted) + wanted > ring_bytes_ - used())
      return {};
    return uint32_t((head_ + skipped(wanted)) % ring_bytes_);
  }
  /// It has been posted there.
  void sent(size_t bytes) {
    HETMP_CHECK(place(bytes));
    const size_t wanted = ring_units_up(bytes);
    head_ += skipped(wanted) + wanted;
    unreported_bytes_ += wanted;
    ends_[messages_++ % most_messages_] = head_;
    posted();
  }

  /// Whether something that takes no part of the ring may be posted.
  bool may_post() const { return posts_ - completed_posts_ < messages_by_.size(); }
  void posted() {
    HETMP_CHECK(may_post());
    messages_by_[++posts_ % messages_by_.size()] = messages_;
  }
  /// Whether the device is to tell of the next post, so that memory and places in its queue come back in time. Takes
  /// what is said for done.
  bool takes_report(size_t bytes_of_next) {
    constexpr uint64_t most_silent = 16;
    if (!tells_of_all_ && posts_ + 1 - told_posts_ < std::min<uint64_t>(most_silent, most_messages_ / report_share) &&
        unreported_bytes_ + bytes_of_next < ring_bytes_ / report_share)
      return false;
    tell_of_next();
    return true;
  }

  /// Whether the device has done with all posts, as far as it tells; and whether it will tell of the last one.
  bool is_complete() const { return completed_posts_ == posts_; }
  bool tells_of_last() const { return told_posts_ == posts_; }
  /// From the next post on, of each. So who waits until all is complete needs one post for that, for which a receive is
  /// posted at the other side, and not one more after each that the device does not tell of.
  void tell_of_all() {
    tells_of_all_ = true;
    tell_of_next();
  }

  /// The receiver has taken in so many messages, modulo credit_mask + 1. False: so many have not been sent.
  [[nodiscard]] bool credit(uint32_t taken) {
    const uint32_t more = (taken - uint32_t(taken_)) & credit_mask;
    if (more > messages_ - taken_)
      return false;
    taken_ += more;
    return true;
  }
  /// The device has done with so many posts of all, one of which was to be told. False: it cannot have.
  [[nodiscard]] bool complete(uint64_t posts) {
    if (posts > posts_ || posts < completed_posts_)
      return false;
    if (posts != completed_posts_)
      completed_messages_ = messages_by_[posts % messages_by_.size()];
    completed_posts_ = posts;
    return true;
  }

 private:
  void tell_of_next() {
    told_posts_ = posts_ + 1;
    unreported_bytes_ = 0;
  }
  uint64_t freed() const { return std::min(taken_, completed_messages_); }
  uint64_t tail() const {
    return freed() == 0 ? 0 : freed() == messages_ ? head_ : ends_[(freed() - 1) % most_messages_];
  }
  size_t used() const { return size_t(head_ - tail()); }
  size_t skipped(size_t wanted) const {
    const size_t left = ring_bytes_ - size_t(head_ % ring_bytes_);
    return wanted > left ? left : 0;
  }

  size_t ring_bytes_;
  uint32_t most_messages_;
  uint64_t head_ = 0; ///< bytes, with what was skipped
  uint64_t messages_ = 0;
  uint64_t taken_ = 0;              ///< by the receiver, as far as it has told
  uint64_t completed_messages_ = 0; ///< their staging memory is free
  uint64_t posts_ = 0;
  uint64_t completed_posts_ = 0;
  uint64_t told_posts_ = 0;     ///< the last one of which the device is to tell
  size_t unreported_bytes_ = 0; ///< posted since
  bool tells_of_all_ = false;
  std::vector<uint64_t> ends_;        ///< of the messages under way: the head behind each
  std::vector<uint64_t> messages_by_; ///< of the posts under way: messages posted by then
};

/// The receiver's side.
class ReceiveWindow {
 public:
  ReceiveWindow(size_t ring_bytes, uint32_t most_messages) : ring_bytes_(ring_bytes), most_messages_(most_messages) {}

  /// Whether the next message, of so many bytes, can lie there. Then it is the one in hand.
  [[nodiscard]] bool accept(size_t offset, size_t bytes) {
    const size_t wanted = ring_units_up(bytes), left = ring_bytes_ - position_;
    const size_t expected = wanted > left ? 0 : position_;
    if (wanted == 0 || wanted > ring_bytes_ || offset != expected)
      return false;
    in_hand_bytes_ = wanted + (wanted > left ? left : 0);
    position_ = (expected + wanted) % ring_bytes_;
    return true;
  }
  /// The message in hand has been used: its place is the sender's again.
  void release() {
    ++taken_;
    ++untold_;
    untold_bytes_ += in_hand_bytes_;
  }

  bool is_report_due() const {
    return untold_ >= most_messages_ / report_share || (untold_ != 0 && untold_bytes_ >= ring_bytes_ / report_share);
  }
  /// What is to be told now: messages taken in, of all.
  uint32_t tell() {
    untold_ = 0;
    untold_bytes_ = 0;
    return uint32_t(taken_) & credit_mask;
  }

 private:
  size_t ring_bytes_;
  uint32_t most_messages_;
  size_t position_ = 0;
  uint64_t taken_ = 0;
  size_t in_hand_bytes_ = 0; ///< of the message in hand, with what was skipped before it
  uint32_t untold_ = 0;
  size_t untold_bytes_ = 0;
};

} // namespace hetmp::dsm
