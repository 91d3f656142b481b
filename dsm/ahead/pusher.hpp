// Pages that go to nodes that have not asked, because the runtime knows that they will be read there.
#pragma once

#include "dsm/ahead/page_source.hpp"
#include "dsm/ahead/push_memory.hpp"
#include "dsm/ahead/written_after.hpp"

#include <cstddef>

namespace hetmp::dsm {

/// Of the service thread, except where another is named.
class Pusher {
 public:
  explicit Pusher(const AddressPlan& plan) : plan_(plan) {}

  /// The page that holds the address: see Fabric.
  void push(uintptr_t address, uint32_t to, PageSource& source);

  /// Any thread, one at a time: see Fabric. True if push_offer() has something to do.
  bool offer(uint64_t purpose, NodeSet nodes, const void* const* addresses, size_t count);
  void push_offer(PageSource& source);
  /// The same pages once more, for another purpose.
  void offer_again(uint64_t purpose, PageSource& source) {
    offer_.repeat(purpose);
    push_offer(source);
  }

  /// What the pages were offered for is done by the origin, or by all nodes: see Fabric.
  void offer_is_over(bool everywhere, PageSource& source);

  /// A thread of this node waits for the right to write the page.
  void wrote(PageNumber page) {
    if (offer_.has(page))
      written_after_.waited_for(page);
  }
  /// The node has asked for a readable copy of the page.
  void asked(PageNumber page, uint32_t node) {
    if (!offer_.has(page))
      return;
    memory_.asked(offer_.purpose(), page, node);
    written_after_.read_again(page);
  }

 private:
  const AddressPlan& plan_;
  Offer offer_;
  PushMemory memory_;
  WrittenAfter written_after_;
};

} // namespace hetmp::dsm
