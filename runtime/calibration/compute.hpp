// The work of the calibration: floating-point operations on one page.
#pragma once

#include "base/page.hpp"

#include <cstddef>
#include <cstdint>

namespace hetmp::calibration {

/// Does `operations_per_byte` x page_bytes additions and multiplications, as many of each, on the numbers in
/// `page`, which is aligned to 16 bytes. Finite numbers stay finite.
void compute(char* page, uint64_t operations_per_byte);

} // namespace hetmp::calibration
