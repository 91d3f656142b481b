// The side table of a home's busy pages: what is going on with a page, and who waits for it to end.
#pragma once

#include "base/check.hpp"
#include "dsm/protocol/page_state.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace hetmp::dsm::protocol {

struct Request {
  uint8_t node;
  bool write;
};

/// First in, first out. A node has at most one request for a page under way, so `most_nodes` places suffice.
class RequestQueue {
 public:
  bool empty() const { return count == 0; }
  uint32_t size() const { return count; }
  bool has(uint32_t node) const { return (nodes >> node) & 1; }
  /// Requires !has(request.node).
  void push(Request request);
  /// Requires !empty().
  Request pop();
  /// The request `index` places behind the first.
  Request at(uint32_t index) const;

 private:
  /// Who is in the ring is there once, and `nodes` names them all.
  bool valid() const {
    uint64_t found = 0;
    for (uint32_t i = 0; i < count; ++i)
      found |= uint64_t{1} << at(i).node;
    return found == nodes && std::popcount(found) == count;
  }

  std::array<uint8_t, most_nodes> ring{}; ///< bits 0-5 node, bit 6 write
  uint64_t nodes = 0;                     ///< bit n: node n is in the ring
  uint8_t first = 0, count = 0;
};

enum class Phase : uint8_t {
  Invalidating, ///< entered with Invalidates sent; left when `awaited` is empty: content or Grant goes out
  Transferring, ///< entered with a Fetch sent; left by the requester's Done, or by Data when home is the
                ///< requester
  Holding       ///< `current` is over (it was home's own) and others wait; left by Node::resume
};

/// A busy page. While it exists, new requests queue.
struct Transaction {
  RequestQueue queue;
  uint64_t awaited = 0; ///< Invalidating: sharers whose acknowledgement is missing
  Request current{0, false};
  Phase phase = Phase::Invalidating;
};
static_assert(sizeof(Transaction) <= 96);

/// Slots are reused, so a steady load allocates nothing. References are valid until the next acquire().
class TransactionTable {
 public:
  /// A fresh transaction's slot, from 1 on; 0 when DirectoryEntry::largest_slot are in use.
  uint32_t acquire();
  void release(uint32_t slot);
  Transaction& operator[](uint32_t slot) {
    HETMP_CHECK(slot != 0 && slot <= transactions.size());
    return transactions[slot - 1];
  }
  const Transaction& operator[](uint32_t slot) const {
    HETMP_CHECK(slot != 0 && slot <= transactions.size());
    return transactions[slot - 1];
  }
  size_t in_use() const { return transactions.size() - free_slots.size(); }

 private:
  std::vector<Transaction> transactions;
  std::vector<uint32_t> free_slots;
};

} // namespace hetmp::dsm::protocol
