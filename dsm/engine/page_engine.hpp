// Drives the page protocol of a node: faults of its threads and messages of other nodes go in, one page and one event
// at a time; what the protocol asks for is carried out for several pages together.
#pragma once

#include "dsm/ahead/prefetcher.hpp"
#include "dsm/ahead/witnesses.hpp"
#include "dsm/engine/action_executor.hpp"
#include "dsm/engine/hold_times.hpp"
#include "dsm/engine/local_memory.hpp"
#include "dsm/engine/page_observer.hpp"
#include "dsm/engine/waiting_requests.hpp"
#include "dsm/protocol/node.hpp"
#include "dsm/transport/transport.hpp"
#include "dsm/turns/storm_meter.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace hetmp::dsm {

/// Of the service thread: the protocol's state has one owner and needs no lock.
class PageEngine final : private PageSource, private ActionExecutor::Listener {
 public:
  PageEngine(const AddressPlan& plan, LocalMemory& memory, PageObserver& observer, Prefetcher& prefetcher)
      : plan_(plan), memory_(memory), observer_(observer), prefetcher_(prefetcher) {}

  /// Before there is a service thread; after the memory is set up.
  void set_up(uint32_t node, Transport& transport);

  void handle_fault(const PageFault& fault);
  /// `slot` is of the page channel. Ends the program if it holds no page message, or one that cannot be.
  void handle_slot(uint32_t from, const Slot& slot);
  /// What hold times have put off and is due.
  void do_what_is_due();
  /// Nanoseconds until something is due; nothing if nothing was put off.
  std::optional<int64_t> until_due() const;
  /// A piece of a request that waits. Nothing is done for a node that has not taken what it was sent before: that would
  /// only be copied once more. False if nothing was done.
  bool serve_waiting();
  bool has_waiting() const { return !waiting_.empty(); }
  /// Asks for pages ahead; true if it has.
  bool fetch_ahead() {
    const bool remembered = prefetcher_.visits.ask_for_remembered(*this);
    return prefetcher_.lent.ask_for_wanted(*this) || remembered;
  }
  // For turns (turns.hpp).
  StormMeter& meter() { return meter_; }
  HoldTimes& holds() { return holds_; }
  /// Asks for all pages that this node's threads will probably want back.
  void fetch_back();
  /// Asks for pages that a thread of this node will write in a moment, by their addresses; 0 is none.
  void fetch(std::span<const uintptr_t> addresses);

  /// A node is lost: nothing is taken any more.
  void lose(uint32_t node) { protocol_->lose(node); }

  // See Prefetcher::pusher.
  void push_page_of(uintptr_t address, uint32_t to) { prefetcher_.pusher.push(address, to, *this); }
  void push_offer() { prefetcher_.pusher.push_offer(*this); }
  void offer_is_over(bool everywhere) { prefetcher_.pusher.offer_is_over(everywhere, *this); }
  void offer_again(uint64_t purpose) { prefetcher_.pusher.offer_again(purpose, *this); }

 private:
  void handle_message(uint32_t from, const PageMessage& message, const uint8_t* content);
  void take_apart(const WaitingRequests::Piece& piece, const uint8_t* content);
  void take(uint32_t from, const protocol::Message& message, const uint8_t* content);
  void deliver(uint32_t from, const protocol::Message& message, const uint8_t* content);
  void resume(PageNumber page);
  void give_zeros(PageNumber page);
  bool will_be_written(PageNumber page) const;

  bool is_missing(PageNumber page, bool write) const override;
  bool is_asked_for(PageNumber page) const override {
    return protocol_->outstanding(page) != protocol::Outstanding::None;
  }
  void ask(PageNumber page, bool write) override;
  void send_asked() override { executor_.finish(); }
  void watch(PageNumber page) override { witnesses_.add(page); }
  void push(PageNumber page, uint32_t to) override;
  bool all_readable() const override { return memory_.all_readable(); }
  void copies_lost(PageRange pages) override {
    prefetcher_.streams.lost(pages.first, pages.count);
    prefetcher_.visits.lost(pages.first, pages.count, *this);
    prefetcher_.lent.lost(pages.first, pages.count);
  }
  void right_lost(PageRange pages) override;

  const AddressPlan& plan_;
  LocalMemory& memory_;
  PageObserver& observer_;
  Prefetcher& prefetcher_;
  Transport* transport_ = nullptr;
  std::optional<protocol::Node> protocol_; ///< from set_up() on
  protocol::Actions actions_;              ///< of the present event
  HoldTimes holds_;
  StormMeter meter_;
  std::vector<StormMeter::Wanted> back_; ///< of fetch_back(), kept for its memory
  WaitingRequests waiting_;
  Witnesses witnesses_;
  ActionExecutor executor_{plan_, memory_, observer_, holds_, meter_, witnesses_, *this};
};

} // namespace hetmp::dsm
