// Recognises faults that walk through memory, forwards, backwards or in strides, and says which pages will be wanted
// next, and for what. Pure, bounded, and cheap: it is asked on every fault.
#pragma once

#include "dsm/ahead/page_series.hpp"
#include "dsm/ahead/stream_table.hpp"

#include <cstdint>

namespace hetmp::dsm {

/// What a thread faulted for.
enum class Access : uint8_t {
  Read,
  Write,
  Upgrade ///< a write, of a page of which a copy is here
};

/// A stream is a sequence of faults with one distance between them. From its third fault on (its fourth, where they are
/// far apart) a series of pages behind it is announced, half as many as the stream has come along so far. The next
/// series is announced when the stream shows up again: by a fault behind the series, or before, by a fault on a page of
/// the series that is still under way, or by the write that tells that the series is used. So a thread that is faster
/// than its pages has the next series under way while it works on the present one; one that is slower waits once a
/// series; and a stream that ends has cost two series at most, no more pages than it needed.
///
/// Writes are streams like reads. Pages that a stream reads and a thread then writes would be asked for twice; after
/// two upgrades right behind the reading, the stream's pages are announced for writing. (Hardware protocols do so with
/// single blocks: Cox and Fowler, and Stenstroem et al., both ISCA 1993.)
class FaultStreams {
 public:
  static constexpr uint32_t first_series = 4;
  static constexpr int64_t first_length = 2, first_written_length = 5; ///< in steps, for a series
  static constexpr uint32_t longest_series = 256;
  /// Of pages that are written: others lose their copies of them.
  static constexpr uint32_t longest_written_series = 64;
  static constexpr int64_t longest_stride = StreamTable::longest_stride;
  static constexpr uint32_t enough_upgrades = 4; ///< to take what is read for what will be written
  static constexpr uint32_t most_quiet = 4;      ///< faults without an upgrade, after which earlier ones do not count

  // What is returned are the pages to fetch now; `write`: for writing, and so the page itself.

  /// A thread of this node faulted on the page, for the first time since it has no copy, or none to write.
  PageSeries fault(PageNumber page, Access access = Access::Read, uint32_t thread = 0);
  /// A thread faulted on a page that was asked for before.
  PageSeries fault_under_way(PageNumber page, Access access = Access::Read);
  /// A page that was fetched for writing is written.
  PageSeries used(PageNumber page);
  /// Another node took a page back that was fetched for writing and was not written.
  void regretted(PageNumber page);

 private:
  PageSeries go_on(StreamTable& table, Stream& stream, PageNumber fault, Access access);
  PageSeries go_on_early(StreamTable& table, Stream& stream, PageNumber fault, Access access);
  PageSeries announce(StreamTable& table, Stream& stream, PageNumber fault, PageNumber first, Access access);
  PageSeries start(StreamTable& table, PageNumber page, Access access, uint32_t thread);
  void note_upgrade(PageNumber page);

  StreamTable reads_, writes_; ///< by what began them. Streams of writes do not read
};

} // namespace hetmp::dsm
