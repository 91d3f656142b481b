#include "dsm/ahead/stream_prefetcher.hpp"

#include "base/check.hpp"
#include "dsm/ahead/visit_prefetcher.hpp"

#include <algorithm>
#include <cstdlib>

namespace hetmp::dsm {
namespace {

/// What is fetched ahead lies near what is wanted: two series of neighbouring pages, or of a stride's.
constexpr size_t farthest_ahead = size_t(4) << 20;
/// Likewise, where the stride is wide.
constexpr size_t farthest_wide = size_t(128) << 20;

} // namespace

PageSeries StreamPrefetcher::faulted(PageNumber page, Access access, uint32_t thread, bool first,
                                     const PageSource& source) {
  if (!wanted_ || !source.all_readable())
    return {};
  const PageSeries series = first ? streams_.fault(page, access, thread) : streams_.fault_under_way(page, access);
  HETMP_CHECK(series.count <= FaultStreams::longest_series && series.stride != 0);
  if (first && access == Access::Upgrade)
    migratory_.upgraded(page);
  if (alone_.load(std::memory_order_relaxed)) { // a hint
    const bool strides = std::abs(series.stride) != 1;
    if (first && (strides || (series.count == 0 && is_behind_blocks(page))))
      return blocks_around(page);
    if (strides)
      return {};
  }
  if (first && series.count == 0 && access == Access::Read && !series.write)
    return dense_.read(page, [&source](PageNumber other) { return source.is_missing(other, false); });
  if (first && series.count == 0 && access == Access::Upgrade)
    return written_.upgraded(page);
  return series;
}

/// What lies between the steps of a stream comes with them, to be written: a few pages one behind the other cost less
/// than one by itself. Who goes on behind such a block does so with ever more of them.
PageSeries StreamPrefetcher::blocks_around(PageNumber page) {
  constexpr PageNumber pages = DenseBlocks::block_pages;
  blocks_at_once_ = is_behind_blocks(page) ? std::min(2 * blocks_at_once_, most_blocks_at_once) : 1;
  const PageSeries blocks{
      .first = page / pages * pages, .stride = 1, .count = uint32_t(blocks_at_once_ * pages), .write = true};
  behind_blocks_ = blocks.first + blocks.count;
  return blocks;
}

bool StreamPrefetcher::comes_for_writing(PageNumber page) {
  if (!wanted_)
    return false;
  if (migratory_.is_migratory(page))
    return true;
  migratory_.read(page);
  return false;
}

PageSeries StreamPrefetcher::used(PageNumber page, const PageSource& source) {
  if (!wanted_ || !source.all_readable())
    return {};
  doubts_.used(page);
  written_.used(page);
  migratory_.used(page);
  return streams_.used(page);
}

void StreamPrefetcher::regretted(PageNumber page) {
  doubts_.regretted(page);
  written_.regretted(page);
  migratory_.regretted(page);
  streams_.regretted(page);
}

/// To the protocol these are faults like any other, which may come at any time. Their answers come while the thread
/// still works on this page.
void StreamPrefetcher::fetch(const PageSeries& series, PageNumber with, PageSource& source, VisitPrefetcher& visits) {
  to_ask_.clear();
  size_t writes = 0;
  for (uint32_t i = 0; i < series.count; ++i) {
    const PageNumber page = series.page(i);
    if (!is_near(page, with, series.stride) || !may_come_unasked(plan_, page) || source.is_asked_for(page) ||
        !source.is_missing(page, series.write) || (series.only_copies && source.is_missing(page, false)))
      continue;
    const bool write = series.write && doubts_.allow(page);
    if (!write && !source.is_missing(page, false))
      continue;
    to_ask_.push_back({page, write});
    writes += write;
  }
  // Far enough behind to tell that the series is used, far enough before its end to bring the next one.
  size_t until_witness = writes * 3 / 4;
  for (const WantedPage& wanted : to_ask_) {
    source.ask(wanted.page, wanted.write);
    if (wanted.write && until_witness-- == 0)
      source.watch(wanted.page);
    visits.fetched(wanted.page, wanted.write, source);
  }
  source.send_asked();
}

/// A page of the same kind of memory as the one a thread wants.
bool StreamPrefetcher::is_near(PageNumber page, PageNumber with, int64_t stride) const {
  const size_t farthest = std::abs(stride) <= FaultStreams::longest_stride ? farthest_ahead : farthest_wide;
  if (page >= plan_.pages() || plan_.home_of(page) != plan_.home_of(with))
    return false;
  const uintptr_t address = plan_.address_of(page), wanted = plan_.address_of(with);
  return plan_.in_slices(address) == plan_.in_slices(wanted) &&
         std::max(address, wanted) - std::min(address, wanted) <= farthest;
}

} // namespace hetmp::dsm
