#include "dsm/engine/page_statistics.hpp"

#include "base/check.hpp"
#include "base/page.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace hetmp::dsm {
namespace {

constexpr uint64_t weight_of_return = 16; // pages that bounce are what is looked for

size_t first_of_set(uintptr_t page) {
  // The upper bits of a product with the golden ratio: neighbours and multiples of large powers of two spread alike.
  const uint64_t mixed = uint64_t(page >> page_shift) * 0x9e3779b97f4a7c15u;
  return size_t(mixed >> 32) % PageStatistics::sets * PageStatistics::ways;
}

} // namespace

PageStatistics::PageStatistics()
    : pages_(sets * ways, 0), weights_(sets * ways, 0), entries_(sets * ways), order_(sets * ways) {}

size_t PageStatistics::find(uintptr_t page) const {
  const size_t first = first_of_set(page);
  for (size_t i = first; i < first + ways; ++i)
    if (pages_[i] == page)
      return i;
  return none;
}

size_t PageStatistics::find_or_replace(uintptr_t page) {
  if (const size_t known = find(page); known != none)
    return known;
  const auto set = weights_.begin() + ptrdiff_t(first_of_set(page));
  const size_t lightest = size_t(std::min_element(set, set + ways) - weights_.begin());
  HETMP_CHECK(lightest / ways == first_of_set(page) / ways); // of the page's own set
  entries_[lightest] = Entry();                              // the weight stays
  entries_[lightest].record.address = page;
  pages_[lightest] = page;
  return lightest;
}

void PageStatistics::faulted(uintptr_t page, Fault kind, uint32_t offset, int64_t now) {
  HETMP_CHECK(page == page_down(page) && page != 0);
  const size_t index = find_or_replace(page);
  HETMP_CHECK(pages_[index] == page && entries_[index].record.address == page);
  ++weights_[index];
  Entry& entry = entries_[index];
  PageRecord& record = entry.record;
  if (entry.wait.since == 0)
    entry.wait = {now, kind};
  (kind == Fault::ReadMiss    ? record.read_misses
   : kind == Fault::WriteMiss ? record.write_misses
                              : record.write_upgrades)++;
  if (kind != Fault::ReadMiss && offset < sizeof record.written * 8 * PageRecord::word_bytes) {
    const uint32_t word = offset / PageRecord::word_bytes;
    record.written[word / 64] |= uint64_t(1) << (word % 64);
  }
}

PageStatistics::Wait PageStatistics::came(uintptr_t page, bool writable, int64_t now) {
  const size_t index = find(page);
  if (index == none)
    return {};
  Entry& entry = entries_[index];
  const Wait wait = std::exchange(entry.wait, Wait{});
  if (wait.since != 0) {
    const uint64_t waited = uint64_t(std::max<int64_t>(now - wait.since, 0));
    entry.record.waited_ns += waited;
    waited_ns_ += waited;
  }
  if (writable && entry.lost)
    count_return(index);
  return wait;
}

void PageStatistics::count_return(size_t index) {
  Entry& entry = entries_[index];
  entry.lost = false;
  weights_[index] += weight_of_return;
  ++entry.record.returns;
  const uint64_t region = region_.get();
  PageRecord::InRegion* place = &entry.record.regions[0];
  for (PageRecord::InRegion& known : entry.record.regions) {
    if (known.returns != 0 && known.region == region) {
      ++known.returns;
      return;
    }
    if (known.returns < place->returns)
      place = &known;
  }
  *place = {region, place->returns + 1}; // space-saving here too
}

void PageStatistics::lost(uintptr_t page) {
  const size_t index = find(page);
  if (index == none)
    return; // its first return goes uncounted
  ++entries_[index].record.invalidations;
  entries_[index].lost = true;
}

size_t PageStatistics::hottest(PageRecord* records, size_t most) {
  std::iota(order_.begin(), order_.end(), 0u);
  const size_t used = size_t(
      std::partition(order_.begin(), order_.end(), [this](uint32_t i) { return pages_[i] != 0; }) - order_.begin());
  const size_t count = std::min(most, used);
  std::partial_sort(order_.begin(), order_.begin() + ptrdiff_t(count), order_.begin() + ptrdiff_t(used),
                    [this](uint32_t a, uint32_t b) { return weights_[a] > weights_[b]; });
  for (size_t i = 0; i < count; ++i)
    records[i] = entries_[order_[i]].record;
  return count;
}

} // namespace hetmp::dsm
