// Hold times: a page that has just come stays for a moment before another node may take it, and the messages that would
// take it away wait. Long enough for the thread that waited for the page to run and make its access, or two nodes that
// want the same page could take it from each other for ever. In a turn (dsm/turns/turn_taker.hpp) all pages stay, for
// longer.
//
// A page that was taken from a thread which was still using it stays for longer the next time, as it takes so long to
// come: a thread that uses two such pages would else never have both, and get from access to access. Not for who wants
// to read it, and may be waiting for what was written; nor for a node of a lower number: of two that wait for each
// other's pages one has to give way.
//
// Pure but for the time, which it is told: CLOCK_MONOTONIC, nanoseconds, never less than the time before. One caller at
// a time.
#pragma once

#include "dsm/protocol/message.hpp"
#include "dsm/space/address_plan.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

namespace hetmp::dsm {

class HoldTimes {
 public:
  using Clock = int64_t;
  static constexpr Clock hold_ns = 50'000;
  static constexpr Clock most_hold_ns = 1'000'000;

  /// Something that waits for its time.
  struct Later {
    Clock due;
    uint32_t from;
    protocol::Message message;
    bool resume; ///< protocol::Node::resume(message.page) instead of a message
  };

  /// Before the others: which node this is.
  void set_up(uint32_t node) { node_ = node; }

  /// The page, or so many from there on, have just come for a thread of this node. `missed`: for how long a thread
  /// waited that was still using it when it was taken; 0: none did.
  void came(PageNumber page, Clock now, uint32_t pages = 1, Clock missed = 0);

  /// Whether the message may be processed now. Otherwise it is kept: because its page has just come, because of the
  /// turn, or because an earlier one of its page and channel waits. `asked_for`: this node has a request for the page
  /// under way, which may be behind the message at the page's home; so the turn is no reason to wait. Not for messages
  /// that carry content: see take_earlier().
  bool passes(uint32_t from, const protocol::Message& message, Clock now, bool asked_for = false);
  /// The protocol's Hold action: resume is due after the hold time, or when the turn ends.
  void resume_later(const protocol::Message& message, Clock now);

  /// Content is not put off; what came before it on the same channel and still waits goes first. Again until there is
  /// none.
  std::optional<Later> take_earlier(uint32_t from, PageNumber page);
  /// What is due. Again until there is none.
  std::optional<Later> take_due(Clock now);

  /// A turn begins: what may take a page waits, until then at the latest.
  void keep_all(Clock until);
  /// The turn ends: what waits because of it is due.
  void keep_no_more(Clock now);
  bool keeps_all() const { return kept_until_ != 0; }
  /// Whether something waits because of the turn.
  bool keeps_back() const { return keeps_all() && !later_.empty() && later_.back().due >= kept_until_; }
  /// Within a turn: what waits because of it, and is about this page, is due.
  void let_go(PageNumber page, Clock now);
  /// Likewise, the page that is longest waited for. Requires keeps_back().
  void let_go_oldest(Clock now);

  bool empty() const { return later_.empty(); }
  /// Requires !empty().
  Clock next_due() const { return later_.front().due; }

 private:
  struct Held {
    Clock since;
    Clock until; ///< for writers of higher numbers
    PageNumber first;
    uint32_t pages;
  };

  void forget_old(Clock now);
  Clock held_until(const protocol::Message& message, Clock now);
  void keep(const Later& later);
  template <class Which> void make_due(Which&& which, Clock now);

  std::deque<Later> later_; ///< in the order of `due`
  std::deque<Held> held_;   ///< in the order of `since`, from the first that is still held on
  uint32_t node_ = 0;
  Clock kept_until_ = 0; ///< the turn's end at the latest; 0: there is no turn
};

} // namespace hetmp::dsm
