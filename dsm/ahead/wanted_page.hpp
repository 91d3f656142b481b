#pragma once

#include "dsm/space/address_plan.hpp"

namespace hetmp::dsm {

/// A page that is to be asked for before a thread faults on it.
struct WantedPage {
  PageNumber page;
  bool write; ///< it will be written
};

} // namespace hetmp::dsm
