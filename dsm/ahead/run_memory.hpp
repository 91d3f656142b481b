// How far streams of faults went, by the page they began with: what is walked through once is walked through again, and
// the next time it need not be found out again how far. Pure and bounded.
#pragma once

#include "base/check.hpp"
#include "dsm/ahead/tables/block_table.hpp"
#include "dsm/space/address_plan.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace hetmp::dsm {

class RunMemory {
 public:
  struct Run {
    int64_t stride = 0;  ///< 0: none is known
    uint64_t length = 0; ///< steps from its first page to the last one that is known to be used
  };
  static constexpr uint8_t most_uses = 16;

  /// The run that began with the page the last time. Whether what is fetched because of it is used cannot be seen of
  /// all pages, so a run is forgotten after some uses, and found anew.
  Run use(PageNumber origin) {
    Entry* const entry = entries_.known(origin);
    if (!entry || entry->run.stride == 0)
      return {};
    if (entry->uses == most_uses) {
      *entry = {};
      return {};
    }
    ++entry->uses;
    return entry->run;
  }
  /// A run from there has come so far.
  void note(PageNumber origin, int64_t stride, uint64_t length) {
    HETMP_CHECK(stride != 0);
    Entry& entry = entries_.of(origin);
    if (entry.run.stride != stride)
      entry = {origin, {stride, 0}, 0};
    entry.run.length = std::max(entry.run.length, length);
  }
  /// It does not go so far.
  void shorten(PageNumber origin, uint64_t length) {
    if (Entry* const entry = entries_.known(origin))
      entry->run.length = std::min(entry->run.length, length);
  }

 private:
  struct Entry {
    PageNumber number = 0; ///< of the origin
    Run run;
    uint8_t uses = 0;
  };
  BlockTable<Entry> entries_;
};

} // namespace hetmp::dsm
