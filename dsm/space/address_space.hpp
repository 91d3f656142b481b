// The range that nodes share, in the address space that the kernel has laid out for this process.
#pragma once

#include "base/machine/address_layout.hpp"
#include "dsm/space/address_plan.hpp"

#include <string>

namespace hetmp::dsm {

/// The user's own limit and personality, now that the address space is laid out: for the program, its threads and its
/// children.
void give_back_layout(const AddressLayout& layout);

/// Which mapping is in the range's way, why, and what helps; empty if there is none. Needs /proc.
std::string what_lies_among_nodes();

/// Zero memory where nothing has been so far: ends the program with a line if there has.
void map_fresh(const Segment& segment);
/// Zero memory; the previous content of this process there is gone.
void map_over(const Segment& segment);

} // namespace hetmp::dsm
