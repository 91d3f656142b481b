// Pages that go to nodes that have not asked, because the runtime knows that they will be read there.
#pragma once

#include "dsm/ahead/page_source.hpp"
#include "dsm/ahead/push_memory.hpp"

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

  /// The node has asked for a readable copy of the page.
  void asked(PageNumber page, uint32_t node) {
    if (offer_.has(page))
      memory_.asked(offer_.purpose(), page, node);
  }

 private:
  const AddressPlan& plan_;
  Offer offer_;
  PushMemory memory_;
};

} // namespace hetmp::dsm
