// Which offered pages are worth pushing. A node offers pages when it asks others to do something, the start of a region
// for example, because they may have to read them. Whether they do is learned: nodes that have asked for an offered
// page twice get it without asking from then on; now and then it is not pushed, and if nobody asks for it then, pushing
// ends.
//
// Pure, of fixed size; of the service thread, except where another is named.
#pragma once

#include "base/node_set.hpp"
#include "dsm/space/address_plan.hpp"
#include "dsm/space/handed_over.hpp"

#include <array>
#include <cstdint>

namespace hetmp::dsm {

/// The pages that are offered now: written by the thread that offers, looked at by the service thread. A mixture of two
/// offers costs a page its push or its learning, no more.
class Offer {
 public:
  static constexpr size_t most_pages = 4;

  /// `purpose`: what it is for, a code address for example. At most most_pages count.
  void make(uint64_t purpose, NodeSet nodes, const PageNumber* pages, size_t count) {
    purpose_.set(purpose);
    nodes_.set(nodes);
    for (size_t i = 0; i < most_pages; ++i)
      pages_[i].set(i < count ? pages[i] : none);
  }
  /// The same pages once more.
  void repeat(uint64_t purpose) { purpose_.set(purpose); }
  uint64_t purpose() const { return purpose_.get(); }
  NodeSet nodes() const { return nodes_.get(); }
  static constexpr PageNumber none = UINT64_MAX;
  PageNumber page(size_t i) const { return pages_[i].get(); } ///< or none
  bool has(PageNumber page) const {
    for (const auto& offered : pages_)
      if (offered.get() == page)
        return true;
    return false;
  }

 private:
  Hint<uint64_t> purpose_;
  Hint<NodeSet> nodes_;
  std::array<Hint<PageNumber>, most_pages> pages_{none, none, none, none};
};

class PushMemory {
 public:
  static constexpr size_t entries = 256; ///< a power of two; two that share one push each other out
  static constexpr uint32_t first_needed = 2, most_needed = 128;     ///< requests until pages are pushed
  static constexpr uint32_t first_period = 16, longest_period = 256; ///< offers from one that is not pushed to the next

  /// A node asked for the page, which is offered for this purpose.
  void asked(uint64_t purpose, PageNumber page, uint32_t node);
  /// The page is offered to `nodes`, and is worth it: those to which it shall be pushed.
  NodeSet choose(uint64_t purpose, PageNumber page, NodeSet nodes);

  /// Any thread: whether choose() has anything to say about it.
  bool worth(uint64_t purpose, PageNumber page) const { return worth_[place_of(purpose, page)].get(); }

 private:
  struct Entry {
    uint64_t purpose = 0;
    PageNumber page = 0;
    NodeSet readers;       ///< those that have asked for it
    uint32_t requests = 0; ///< while it was not pushed
    uint32_t needed = first_needed;
    uint32_t offers = 0; ///< since it is pushed
    uint32_t period = first_period;
    bool left_out = false; ///< the last time
  };

  static size_t place_of(uint64_t purpose, PageNumber page) {
    return size_t(((purpose ^ page << 20) * 0x9e3779b97f4a7c15u) >> 56);
  }

  std::array<Entry, entries> entries_{};
  std::array<Hint<bool>, entries> worth_{};
};

} // namespace hetmp::dsm
