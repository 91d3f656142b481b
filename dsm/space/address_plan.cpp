#include "dsm/space/address_plan.hpp"

#include "base/check.hpp"

#include <algorithm>

namespace hetmp::dsm {

void AddressPlan::set(uint32_t nodes, std::vector<Segment> globals) {
  HETMP_CHECK(nodes >= 1 && nodes <= most_nodes);
  nodes_ = nodes;
  globals_ = std::move(globals);
  first_page_.clear();
  global_pages_ = 0;
  for (const Segment& segment : globals_) {
    HETMP_CHECK(segment.begin < segment.end && page_down(segment.begin) == segment.begin);
    HETMP_CHECK(&segment == globals_.data() || (&segment)[-1].end <= segment.begin); // ascending and disjoint
    first_page_.push_back(global_pages_);
    global_pages_ += segment.bytes() >> page_shift;
  }
}

const Segment* AddressPlan::global_of(uintptr_t address) const {
  for (const Segment& segment : globals_)
    if (segment.contains(address))
      return &segment;
  return nullptr;
}

PageNumber AddressPlan::page_of(uintptr_t address) const {
  if (in_slices(address))
    return (address - slices_begin) >> page_shift;
  const Segment* segment = global_of(address);
  HETMP_CHECK(segment); // is_shared(address)
  return nodes_ * slice_pages + first_page_[size_t(segment - globals_.data())] +
         ((address - segment->begin) >> page_shift);
}

uintptr_t AddressPlan::address_of(PageNumber page) const {
  HETMP_CHECK(page < pages());
  if (page < nodes_ * slice_pages)
    return slices_begin + (page << page_shift);
  const uint64_t index = page - nodes_ * slice_pages;
  const size_t segment =
      size_t(std::upper_bound(first_page_.begin(), first_page_.end(), index) - first_page_.begin()) - 1;
  HETMP_CHECK(segment < globals_.size() && index - first_page_[segment] < globals_[segment].bytes() >> page_shift);
  return globals_[segment].begin + ((index - first_page_[segment]) << page_shift);
}

Segment AddressPlan::publish_piece(PageNumber page) const {
  const uintptr_t address = address_of(page);
  const uintptr_t begin = address & ~(publish_bytes - 1);
  Segment piece{begin, begin + publish_bytes};
  if (const Segment* segment = global_of(address)) {
    piece.begin = std::max(piece.begin, segment->begin);
    piece.end = std::min(piece.end, segment->end);
  }
  HETMP_CHECK(piece.contains(address));
  return piece;
}

uint32_t AddressPlan::consecutive(PageNumber first, uint32_t count) const {
  HETMP_CHECK(count != 0 && first < pages());
  if (first + count <= nodes_ * slice_pages)
    return count;
  const uintptr_t begin = address_of(first);
  uint32_t found = 1;
  while (found < count && address_of(first + found) == begin + found * page_bytes)
    ++found;
  return found;
}

} // namespace hetmp::dsm
