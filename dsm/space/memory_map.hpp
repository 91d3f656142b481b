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

/// The same, of the text of /proc/PID/maps, which older kernels than Linux 6.11 answer with.
std::vector<Mapping> mappings_in_text(const std::string& maps, Segment range);

} // namespace hetmp::dsm
