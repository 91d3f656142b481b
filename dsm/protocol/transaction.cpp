// The side table of busy pages and the queues in it.
#include "dsm/protocol/transaction.hpp"

#include "base/check.hpp"

#include <algorithm>

namespace hetmp::dsm::protocol {

namespace {
constexpr uint8_t node_bits = most_nodes - 1;
constexpr uint8_t write_bit = most_nodes;
} // namespace

void RequestQueue::push(Request request) {
  HETMP_CHECK(count < most_nodes && !has(request.node)); // O: one request of a node
  ring[(first + count) % most_nodes] = static_cast<uint8_t>(request.node | (request.write ? write_bit : 0));
  nodes |= uint64_t{1} << request.node;
  ++count;
  HETMP_CHECK_COSTLY(valid());
}

Request RequestQueue::pop() {
  HETMP_CHECK(count != 0);
  const Request request = at(0);
  nodes &= ~(uint64_t{1} << request.node);
  first = static_cast<uint8_t>((first + 1) % most_nodes);
  --count;
  HETMP_CHECK_COSTLY(valid() && !has(request.node));
  return request;
}

Request RequestQueue::at(uint32_t index) const {
  const uint8_t entry = ring[(first + index) % most_nodes];
  return {static_cast<uint8_t>(entry & node_bits), (entry & write_bit) != 0};
}

uint32_t TransactionTable::acquire() {
  if (!free_slots.empty()) {
    const uint32_t slot = free_slots.back();
    free_slots.pop_back();
    (*this)[slot] = Transaction{};
    return slot;
  }
  if (transactions.size() == DirectoryEntry::largest_slot)
    return 0;
  transactions.emplace_back();
  return static_cast<uint32_t>(transactions.size());
}

void TransactionTable::release(uint32_t slot) {
  HETMP_CHECK(slot != 0 && slot <= transactions.size());
  HETMP_CHECK_COSTLY(std::find(free_slots.begin(), free_slots.end(), slot) == free_slots.end());
  free_slots.push_back(slot);
}

} // namespace hetmp::dsm::protocol
