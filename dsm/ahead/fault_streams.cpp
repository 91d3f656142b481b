#include "dsm/ahead/fault_streams.hpp"

#include "base/check.hpp"

#include <algorithm>
#include <cstdlib>

namespace hetmp::dsm {

PageSeries FaultStreams::fault(PageNumber page, bool write) {
  ++faults_;
  if (Stream* stream = find_continued(page)) {
    stream->used = faults_;
    return announce(*stream, page, page + uint64_t(stream->stride), write);
  }
  if (Stream* stream = find_near(page)) {
    stream->origin = stream->last;
    stream->stride = int64_t(page - stream->last);
    stream->last = page;
    HETMP_CHECK(stream->stride != 0 && std::abs(stream->stride) <= longest_stride);
    stream->expected = page + uint64_t(stream->stride);
    stream->series = 0;
    stream->used = faults_;
    return {};
  }
  oldest() = {page, page, page, 0, 0, faults_};
  return {};
}

PageSeries FaultStreams::fault_under_way(PageNumber page, bool write) {
  for (Stream& stream : streams_)
    if (stream.announced(page)) {
      stream.used = ++faults_;
      return announce(stream, page, stream.expected, write);
    }
  return {};
}

/// Whether the page is one of the stream's last series.
bool FaultStreams::Stream::announced(PageNumber page) const {
  if (used == 0 || series == 0)
    return false;
  const auto before = int64_t(expected - page); // pages from it to the end of the series, in the stream's direction
  return before % stride == 0 && before / stride >= 1 && before / stride <= int64_t(series);
}

/// The stream has come to `fault`; the next series begins with `first`.
PageSeries FaultStreams::announce(Stream& stream, PageNumber fault, PageNumber first, bool write) {
  HETMP_CHECK(stream.stride != 0 && std::abs(stream.stride) <= longest_stride);
  const auto length = uint64_t(int64_t(fault - stream.origin) / stream.stride);
  stream.series =
      uint32_t(std::clamp<uint64_t>(length / 2, first_series, write ? longest_written_series : longest_series));
  HETMP_CHECK(stream.series >= first_series && stream.series <= longest_series);
  stream.last = fault;
  stream.expected = first + uint64_t(stream.stride) * stream.series;
  return {first, stream.stride, stream.series};
}

FaultStreams::Stream* FaultStreams::find_continued(PageNumber page) {
  for (Stream& stream : streams_)
    if (stream.used != 0 && stream.stride != 0 && stream.expected == page)
      return &stream;
  return nullptr;
}

/// The stream of one fault, or of two that did not go on like this, that lies nearest.
FaultStreams::Stream* FaultStreams::find_near(PageNumber page) {
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

FaultStreams::Stream& FaultStreams::oldest() {
  return *std::min_element(streams_.begin(), streams_.end(),
                           [](const Stream& a, const Stream& b) { return a.used < b.used; });
}

} // namespace hetmp::dsm
