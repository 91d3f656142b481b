// Recognises faults that walk through memory, forwards, backwards or in strides, and says which pages will be wanted
// next. Pure, bounded, and cheap: it is asked on every fault.
#pragma once

#include "dsm/space/address_plan.hpp"

#include <array>
#include <cstdint>

namespace hetmp::dsm {

/// Pages `first`, `first + stride`, ... `count` of them.
struct PageSeries {
  PageNumber first = 0;
  int64_t stride = 1;
  uint32_t count = 0;
  PageNumber page(uint32_t index) const { return first + uint64_t(stride) * index; }
};

/// A stream is a sequence of faults with one distance between them. From its third fault on a series of pages behind it
/// is announced, half as many as the stream has come along so far. The next series is announced when the stream shows
/// up again: by a fault behind the series, or before, by a fault on a page of the series that is still under way. So a
/// reader that is faster than its pages has the next series under way while it works on the present one; one that is
/// slower waits once a series; and a stream that ends has cost two series at most, no more pages than it needed.
class FaultStreams {
 public:
  static constexpr uint32_t first_series = 4;
  static constexpr uint32_t longest_series = 256;
  /// Of pages that are written: others lose their copies of them.
  static constexpr uint32_t longest_written_series = 64;
  /// In pages, either way. Further apart is another array.
  static constexpr int64_t longest_stride = 16;

  /// A thread of this node faulted on the page, for the first time since it has no copy. The pages to fetch with it;
  /// none if it continues nothing.
  PageSeries fault(PageNumber page, bool write = false);
  /// A thread faulted on a page that was asked for before. The pages to fetch now; none if it is not one of the last
  /// series.
  PageSeries fault_under_way(PageNumber page, bool write = false);

 private:
  struct Stream {
    PageNumber origin = 0;   ///< the page of its first fault
    PageNumber last = 0;     ///< of its latest
    PageNumber expected = 0; ///< of the next one: behind the last series
    int64_t stride = 0;      ///< 0: one fault so far
    uint32_t series = 0;     ///< pages announced last
    uint64_t used = 0;       ///< the number of its latest fault; 0 = no stream
    bool announced(PageNumber page) const;
  };

  static PageSeries announce(Stream& stream, PageNumber fault, PageNumber first, bool write);
  Stream* find_continued(PageNumber page);
  Stream* find_near(PageNumber page);
  Stream& oldest();

  /// A node's threads walk through several arrays each.
  std::array<Stream, 32> streams_{};
  uint64_t faults_ = 0;
};

} // namespace hetmp::dsm
