// Consecutive pages.
#pragma once

#include "base/check.hpp"
#include "dsm/space/address_plan.hpp"
#include "dsm/transport/slot.hpp"

#include <algorithm>
#include <cstdint>

namespace hetmp::dsm {

struct PageRange {
  PageNumber first;
  uint32_t count;
};

/// Calls work(address, piece) for the pages in pieces of consecutive addresses, of at most most_data_pages:
/// neighbouring numbers are neighbouring addresses but where one segment of memory ends and the next begins.
template <class Work> void for_each_piece(const AddressPlan& plan, PageRange pages, Work work) {
  while (pages.count != 0) {
    const uint32_t count = plan.consecutive(pages.first, std::min(pages.count, most_data_pages));
    HETMP_CHECK(count != 0 && count <= pages.count);
    work(plan.address_of(pages.first), PageRange{pages.first, count});
    pages.first += count;
    pages.count -= count;
  }
}

} // namespace hetmp::dsm
