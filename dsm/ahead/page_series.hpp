// Pages at equal distances.
#pragma once

#include "dsm/space/address_plan.hpp"

#include <cstdint>

namespace hetmp::dsm {

/// Pages `first`, `first + stride`, ... `count` of them.
struct PageSeries {
  PageNumber first = 0;
  int64_t stride = 1;
  uint32_t count = 0;
  bool write = false;       ///< they will be written
  bool only_copies = false; ///< of these pages only those of which a copy is here
  PageNumber page(uint32_t index) const { return first + uint64_t(stride) * index; }
};

} // namespace hetmp::dsm
