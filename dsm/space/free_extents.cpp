#include "dsm/space/free_extents.hpp"

#include "base/check.hpp"

#include <algorithm>

namespace hetmp::dsm {

FreeExtents::Extent FreeExtents::erase(Entries::iterator entry) {
  const auto [begin, known] = *entry;
  HETMP_CHECK(known.kept <= kept_ && by_size_.count({known.bytes, begin}));
  kept_ -= known.kept;
  by_size_.erase({known.bytes, begin});
  by_age_.erase(known.age);
  by_address_.erase(entry);
  return {begin, known.bytes, known.written, known.kept};
}

void FreeExtents::put(Extent extent) {
  HETMP_CHECK(extent.bytes != 0 && extent.kept <= extent.written && extent.written <= extent.bytes);
  const auto merge = [&](Entries::iterator neighbour) {
    const Extent other = erase(neighbour);
    extent = {std::min(extent.begin, other.begin), extent.bytes + other.bytes, extent.written + other.written,
              extent.kept + other.kept};
  };
  if (const auto next = by_address_.find(extent.begin + extent.bytes); next != by_address_.end())
    merge(next);
  if (auto previous = by_address_.lower_bound(extent.begin); previous != by_address_.begin()) {
    --previous;
    if (previous->first + previous->second.bytes == extent.begin)
      merge(previous);
  }
  const uint64_t age = extent.kept != 0 ? ++puts_ : 0;
  if (age != 0)
    by_age_[age] = extent.begin;
  kept_ += extent.kept;
  by_address_[extent.begin] = {extent.bytes, extent.written, extent.kept, age};
  by_size_.insert({extent.bytes, extent.begin});
}

std::optional<FreeExtents::Extent> FreeExtents::take(size_t bytes) {
  const auto fit = by_size_.lower_bound({bytes, 0});
  if (fit == by_size_.end())
    return std::nullopt;
  return erase(by_address_.find(fit->second));
}

bool FreeExtents::take_at(uintptr_t begin, size_t bytes) {
  HETMP_CHECK(bytes != 0 && bytes == page_up(bytes));
  const auto found = by_address_.find(begin);
  if (found == by_address_.end() || found->second.bytes < bytes)
    return false;
  const Extent extent = erase(found);
  if (extent.bytes != bytes)
    put(extent.part(begin + bytes, extent.bytes - bytes));
  return true;
}

Segment FreeExtents::next_to_give_back() {
  HETMP_CHECK(kept_ != 0 && !by_age_.empty());
  const auto oldest = by_age_.begin();
  const uintptr_t begin = oldest->second;
  Entry& entry = by_address_.at(begin);
  HETMP_CHECK(entry.age == oldest->first && entry.kept != 0);
  kept_ -= std::exchange(entry.kept, 0);
  entry.age = 0;
  by_age_.erase(oldest);
  return {begin, begin + entry.bytes};
}

bool FreeExtents::valid(uintptr_t end) const {
  uintptr_t before = 0;
  size_t kept = 0, with_age = 0;
  for (const auto& [begin, entry] : by_address_) {
    const auto dated = by_age_.find(entry.age);
    if (begin <= before || begin != page_down(begin) || !by_size_.count({entry.bytes, begin}) ||
        entry.kept > entry.written || entry.written > entry.bytes || (entry.age != 0) != (entry.kept != 0) ||
        (entry.age != 0 && (dated == by_age_.end() || dated->second != begin)))
      return false;
    before = begin + entry.bytes;
    kept += entry.kept;
    with_age += entry.age != 0;
  }
  return kept == kept_ && with_age == by_age_.size() && by_size_.size() == by_address_.size() && before <= end;
}

} // namespace hetmp::dsm
