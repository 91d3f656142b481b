#include "dsm/ahead/stream_table.hpp"

#include "base/check.hpp"

#include <algorithm>
#include <cstdlib>

namespace hetmp::dsm {

/// Of the `count` pages before the expected one, in the stream's steps.
bool Stream::is_one_of_last(PageNumber page, uint32_t count) const {
  if (used == 0 || stride == 0)
    return false;
  const auto before = int64_t(expected - page); // pages from it to the end of the series, in the stream's direction
  return before % stride == 0 && before / stride >= 1 && before / stride <= int64_t(count);
}

bool Stream::is_in_front(PageNumber page) const {
  constexpr uint32_t latest_faults = 3;
  return (used != 0 && page == last) || is_one_of_last(page, 2 * series + latest_faults);
}

bool Stream::covers(PageNumber page) const {
  if (used == 0)
    return false;
  if (stride == 0)
    return page == last;
  const auto along = int64_t(page - origin);
  return along % stride == 0 && along / stride >= 0 && along / stride < int64_t(expected - origin) / stride;
}

bool Stream::is_wide() const { return std::abs(stride) > StreamTable::longest_stride; }

Stream* StreamTable::find_continued(PageNumber page) {
  for (Stream& stream : streams_)
    if (stream.used != 0 && stream.stride != 0 && stream.expected == page)
      return &stream;
  return nullptr;
}

Stream* StreamTable::find_again(PageNumber page, uint32_t thread) {
  const RunMemory::Run run = runs_.use(page);
  if (run.stride == 0)
    return nullptr;
  const auto same = std::find_if(streams_.begin(), streams_.end(),
                                 [page](const Stream& stream) { return stream.used != 0 && stream.origin == page; });
  Stream& stream = same != streams_.end() ? *same : oldest();
  stream = {};
  stream.origin = stream.last = page;
  stream.expected = page + uint64_t(run.stride);
  stream.stride = run.stride;
  stream.known = run.length;
  stream.thread = thread;
  stream.used = ++faults_;
  return &stream;
}

Stream* StreamTable::find_skipping(PageNumber page, uint32_t thread) {
  Stream* nearest = nullptr;
  int64_t least = most_skipped + 1;
  for (Stream& stream : streams_) {
    if (stream.used == 0 || stream.series == 0 || (stream.is_wide() && stream.thread != thread))
      continue;
    const auto beyond = int64_t(page - stream.expected);
    if (beyond % stream.stride == 0 && beyond / stream.stride >= 0 && beyond / stream.stride < least) {
      nearest = &stream;
      least = beyond / stream.stride;
    }
  }
  return nearest;
}

Stream* StreamTable::find_beside(PageNumber page, uint32_t thread) {
  for (Stream& stream : streams_) {
    if (stream.used == 0 || stream.series == 0 || !stream.is_wide() || stream.thread != thread)
      continue;
    const uint64_t width = uint64_t(std::abs(stream.stride));
    const PageNumber lowest = std::min(stream.origin, stream.last), highest = std::max(stream.origin, stream.last);
    const uint64_t offset = (page - lowest) % width, beside = std::min(width / 8, uint64_t(longest_stride));
    if (page + beside < lowest || page > highest + beside || std::min(offset, width - offset) > beside)
      continue;
    stream.idle = stream.last == stream.origin ? stream.idle + 1 : 0;
    if (stream.idle > most_idle) {
      stream = {};
      return nullptr;
    }
    const auto length = uint64_t(int64_t(stream.last - stream.origin) / stream.stride);
    stream.known = std::max(length, stream.known - stream.known / 4);
    stream.origin = stream.last = page;
    stream.expected = page + uint64_t(stream.stride);
    stream.series = 0;
    return &stream;
  }
  return nullptr;
}

Stream* StreamTable::find_announced(PageNumber page) {
  for (Stream& stream : streams_)
    if (stream.announced(page))
      return &stream;
  return nullptr;
}

StreamTable::Start StreamTable::start(PageNumber page, uint32_t thread) {
  ++faults_;
  const int64_t wide = find_wide_stride(page, thread);
  strays_[next_stray_++ % strays_.size()] = {page, thread};
  if (Stream* stream = find_near(page)) {
    const Stream before = *stream;
    *stream = {};
    if (before.stride == 0) // its one fault may have been followed by an upgrade
      stream->upgrades = before.upgrades;
    stream->origin = before.last;
    stream->stride = int64_t(page - before.last);
    stream->last = page;
    HETMP_CHECK(stream->stride != 0 && std::abs(stream->stride) <= longest_stride);
    stream->expected = page + uint64_t(stream->stride);
    stream->series = 0;
    stream->used = faults_;
    return {*stream, false};
  }
  Stream& fresh = oldest();
  fresh = {};
  fresh.origin = page - uint64_t(wide * (wide_faults - 1));
  fresh.stride = wide;
  fresh.last = page;
  fresh.expected = page + uint64_t(wide);
  fresh.thread = thread;
  fresh.used = faults_;
  return {fresh, wide != 0};
}

PageSeries StreamTable::announce(Stream& stream, PageNumber fault, PageNumber first, const Ambition& ambition) {
  HETMP_CHECK(stream.stride != 0 && std::abs(stream.stride) <= longest_wide_stride);
  const auto steps_to = [&stream](PageNumber page) { return int64_t(page - stream.origin) / stream.stride; };
  const auto known = int64_t(stream.known), length = steps_to(fault), begun = steps_to(first), since = length - known;
  const int64_t patience = std::min(ambition.patience, wide_faults - 1);
  stream.last = fault;
  stream.used = ++faults_;
  runs_.note(stream.origin, stream.stride, uint64_t(length));
  int64_t count = 0;
  if (begun <= known)
    count = known < worth_remembering ? 0 : known - begun + 1;
  else if (since >= patience)
    count = std::max<int64_t>(since / 2, ambition.least);
  if (count == 0 && first != fault + uint64_t(stream.stride))
    return {}; // it is within its last series still
  stream.series = uint32_t(std::min<int64_t>(count, ambition.most));
  stream.expected = first + uint64_t(stream.stride) * stream.series;
  return {first, stream.stride, stream.series, false};
}

void StreamTable::shorten(Stream& stream, PageNumber page) {
  HETMP_CHECK(stream.covers(page));
  const uint64_t steps = stream.stride == 0 ? 0 : uint64_t(int64_t(page - stream.origin) / stream.stride);
  runs_.shorten(stream.origin, steps == 0 ? 0 : steps - 1);
}

/// The stream of one fault, or of two that did not go on like this, that lies nearest.
Stream* StreamTable::find_near(PageNumber page) {
  Stream* nearest = nullptr;
  int64_t least = longest_stride + 1;
  for (Stream& stream : streams_) {
    const int64_t distance = std::abs(int64_t(page - stream.last));
    if (stream.used != 0 && distance != 0 && distance < least) {
      nearest = &stream;
      least = distance;
    }
  }
  return nearest;
}

/// The distance at which enough of the thread's strays and this page follow each other; 0 if there is none.
int64_t StreamTable::find_wide_stride(PageNumber page, uint32_t thread) const {
  const auto strayed = [&](PageNumber one) {
    return std::any_of(strays_.begin(), strays_.end(),
                       [&](const Stray& stray) { return stray.page == one && stray.thread == thread; });
  };
  for (const Stray& before : strays_) {
    const auto stride = int64_t(page - before.page);
    int64_t faults = 1;
    if (before.thread == thread && std::abs(stride) > longest_stride && std::abs(stride) <= longest_wide_stride)
      while (faults < wide_faults && strayed(page - uint64_t(stride * faults)))
        ++faults;
    if (faults == wide_faults)
      return stride;
  }
  return 0;
}

Stream& StreamTable::oldest() {
  return *std::min_element(streams_.begin(), streams_.end(),
                           [](const Stream& a, const Stream& b) { return a.used < b.used; });
}

} // namespace hetmp::dsm
