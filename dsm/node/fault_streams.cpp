#include "dsm/node/fault_streams.hpp"

#include <algorithm>
#include <cstdlib>

namespace hetmp::dsm {

PageRun FaultStreams::fault(PageNumber page) {
  ++faults_;
  if (Stream* stream = find_continued(page)) {
    stream->run = stream->run == 0 ? first_run : std::min(stream->run * 2, longest_run);
    stream->last = page;
    stream->used = faults_;
    stream->expected = page + uint64_t(stream->stride) * (stream->run + 1);
    return {page + uint64_t(stream->stride), stream->stride, stream->run};
  }
  if (Stream* stream = find_near(page)) {
    stream->stride = int64_t(page - stream->last);
    stream->last = page;
    stream->expected = page + uint64_t(stream->stride);
    stream->run = 0;
    stream->used = faults_;
    return {};
  }
  oldest() = {page, page, 0, 0, faults_};
  return {};
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
