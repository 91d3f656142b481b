// Sequences of faults with one distance between them, as they are found among the faults of several threads. Pure,
// bounded, and cheap: it is asked on every fault.
#pragma once

#include "dsm/ahead/page_series.hpp"
#include "dsm/ahead/run_memory.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace hetmp::dsm {

struct Stream {
  PageNumber origin = 0;   ///< the page of its first fault
  uint64_t known = 0;      ///< steps that one like it went; 0: none is known
  uint32_t thread = 0;     ///< of a wide one: whose faults
  PageNumber last = 0;     ///< of its latest
  PageNumber expected = 0; ///< of the next one: behind the last series
  int64_t stride = 0;      ///< 0: one fault so far
  uint32_t series = 0;     ///< pages announced last
  uint64_t used = 0;       ///< the number of its latest fault; 0 = no stream
  bool write = false;      ///< what it reads it then writes
  uint32_t upgrades = 0;   ///< of its pages, of late
  uint32_t quiet = 0;      ///< faults on it since the latest of these
  uint32_t idle = 0;       ///< of a wide one: how often in a row it began again and had not gone on

  /// Whether the page is one of the last series.
  bool announced(PageNumber page) const { return is_one_of_last(page, series); }
  /// Whether the page is one of those that a thread works on now: of the last two series, or about the latest faults.
  bool is_in_front(PageNumber page) const;
  bool is_wide() const;
  /// Whether the page is one of those that were faulted on or announced.
  bool covers(PageNumber page) const;

 private:
  bool is_one_of_last(PageNumber page, uint32_t count) const;
};

class StreamTable {
 public:
  /// In pages, either way: within, three faults are a stream.
  static constexpr int64_t longest_stride = 16;
  /// Likewise, so many of one thread are: the rows of a column. (Threads that walk at equal distances, and a thread
  /// that walks through several arrays of one size, make fewer of them.)
  static constexpr int64_t wide_faults = 7;
  static constexpr int64_t longest_wide_stride = 4096;

  /// A column of which nothing was faulted on, or seen to be used, may be all here. So many in a row are none.
  static constexpr uint32_t most_idle = 2;
  /// In steps: of pages that are here already a stream's next fault may lie so far behind the expected one.
  static constexpr int64_t most_skipped = 16;

  /// The stream whose next fault this is; null if none's.
  Stream* find_continued(PageNumber page);
  /// A stream that begins with the page again, as one has begun that is remembered. Null if there was none.
  Stream* find_again(PageNumber page, uint32_t thread);
  /// The stream that was to go on least before the page, which may be one of it.
  Stream* find_skipping(PageNumber page, uint32_t thread);
  /// A wide stream beside which the page lies, as the next column of a matrix does: it has become one that begins with
  /// the page, and may be as long. Null if there is none.
  Stream* find_beside(PageNumber page, uint32_t thread);
  /// The stream of whose last series the page is one.
  Stream* find_announced(PageNumber page);
  /// A fault that continues nothing. The stream that it makes or becomes part of.
  struct Start {
    Stream& stream;
    bool goes_on; ///< it has come far enough for a series
  };
  Start start(PageNumber page, uint32_t thread);
  struct Ambition {
    int64_t patience;    ///< steps that a stream must have come before anything is announced
    int64_t least, most; ///< pages of a series
  };
  /// A stream that went so far is announced from its first fault on the next time.
  static constexpr int64_t worth_remembering = 8;

  /// The stream has come to `fault`. Its next series, from `first` on: as far as the stream went the last time, and
  /// beyond that, half as many pages as it has come along since.
  PageSeries announce(Stream& stream, PageNumber fault, PageNumber first, const Ambition& ambition);
  /// A page of the stream's was not used.
  void shorten(Stream& stream, PageNumber page);

  auto begin() { return streams_.begin(); }
  auto end() { return streams_.end(); }

 private:
  Stream* find_near(PageNumber page);
  int64_t find_wide_stride(PageNumber page, uint32_t thread) const;
  Stream& oldest();

  /// A node's threads walk through several arrays each.
  std::array<Stream, 32> streams_{};
  struct Stray {
    PageNumber page = 0;
    uint32_t thread = 0;
  };
  std::array<Stray, 16> strays_{}; ///< the latest that continued nothing
  size_t next_stray_ = 0;
  RunMemory runs_;
  uint64_t faults_ = 0;
};

} // namespace hetmp::dsm
