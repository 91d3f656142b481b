#include "dsm/ahead/push_memory.hpp"

#include "base/check.hpp"

#include <algorithm>

namespace hetmp::dsm {

void PushMemory::asked(uint64_t purpose, PageNumber page, uint32_t node) {
  HETMP_CHECK(node < most_nodes);
  const size_t place = place_of(purpose, page);
  HETMP_CHECK(place < entries);
  Entry& entry = entries_[place];
  if (entry.purpose != purpose || entry.page != page) {
    entry = {};
    entry.purpose = purpose;
    entry.page = page;
    worth_[place].set(false);
  }
  entry.readers.add(node);
  if (++entry.requests >= entry.needed)
    worth_[place].set(true);
}

NodeSet PushMemory::choose(uint64_t purpose, PageNumber page, NodeSet nodes) {
  const size_t place = place_of(purpose, page);
  Entry& entry = entries_[place];
  if (entry.purpose != purpose || entry.page != page || !worth_[place].get())
    return {};
  if (entry.left_out) {
    entry.left_out = false;
    if (entry.requests == 0) { // nobody reads it any more
      worth_[place].set(false);
      entry.needed = std::min(entry.needed * 2, most_needed);
      entry.period = first_period;
      entry.offers = 0;
      return {};
    }
    entry.period = std::min(entry.period * 2, longest_period);
  }
  if (++entry.offers >= entry.period) {
    entry.left_out = true;
    entry.offers = 0;
    entry.requests = 0;
    entry.readers = {};
    return {};
  }
  HETMP_CHECK(entry.period >= first_period && entry.period <= longest_period && entry.needed <= most_needed);
  return entry.readers & nodes;
}

} // namespace hetmp::dsm
