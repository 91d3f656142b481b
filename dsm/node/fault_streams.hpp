// Recognises faults that walk through memory, forwards, backwards or in strides, and says which pages will be wanted next.
// Pure, bounded, and cheap: it is asked on every fault.
#pragma once

#include "dsm/node/address_plan.hpp"

#include <array>
#include <cstdint>

namespace hetmp::dsm {

/// Pages `first`, `first + stride`, ... `count` of them.
struct PageRun {
  PageNumber first = 0;
  int64_t stride = 1;
  uint32_t count = 0;
  PageNumber page(uint32_t index) const { return first + uint64_t(stride) * index; }
};

/// A stream is a sequence of faults with one distance between them. From its third fault on a run of pages behind it is
/// announced; the next fault of the stream is expected behind that run, and if it comes there the next run is twice as long.
/// A stream that ends costs at most one run that nobody wanted.
class FaultStreams {
public:
  static constexpr uint32_t first_run = 4;
  static constexpr uint32_t longest_run = 32;
  /// In pages, either way. Further apart is another array.
  static constexpr int64_t longest_stride = 16;

  /// A thread of this node faulted on the page, for the first time since it has no copy. The pages to fetch with it; none
  /// if it continues nothing.
  PageRun fault(PageNumber page);

private:
  struct Stream {
    PageNumber last = 0;     ///< the page of its latest fault
    PageNumber expected = 0; ///< of the next one; `last` + stride without a run
    int64_t stride = 0;      ///< 0: one fault so far
    uint32_t run = 0;        ///< pages announced last
    uint64_t used = 0;       ///< the number of its latest fault; 0 = no stream
  };

  Stream* find_continued(PageNumber page);
  Stream* find_near(PageNumber page);
  Stream& oldest();

  /// A node's threads walk through several arrays each.
  std::array<Stream, 32> streams_{};
  uint64_t faults_ = 0;
};

} // namespace hetmp::dsm
