// What the kernel says is mapped in this process.
#pragma once

#include "dsm/space/address_plan.hpp"

#include <string>
#include <vector>

namespace hetmp::dsm {

struct Mapping {
  Segment range;
  int protection; ///< PROT_...
  bool file;      ///< of a file; else anonymous
  bool shared;
  std::string name = {}; ///< the file's, or what the kernel calls it; may be empty
};

/// Mappings that have a part in `range`, cut to it, ascending. Needs /proc.
std::vector<Mapping> mappings_within(Segment range);

} // namespace hetmp::dsm
