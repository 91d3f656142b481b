// Pages of zeros, which need not travel.
#pragma once

#include "dsm/space/address_plan.hpp"

#include <cstdint>

namespace hetmp::dsm {

/// `page` is page aligned; nobody writes it meanwhile. Of most pages with content this reads one line of cache, which
/// whoever then copies the page needs in any case.
inline bool is_zero_page(const void* page) {
  const auto* words = static_cast<const uint64_t*>(page);
  for (size_t i = 0; i < page_bytes / sizeof *words; i += 8)
    if ((words[i] | words[i + 1] | words[i + 2] | words[i + 3] | words[i + 4] | words[i + 5] | words[i + 6] |
         words[i + 7]) != 0)
      return false;
  return true;
}

} // namespace hetmp::dsm
