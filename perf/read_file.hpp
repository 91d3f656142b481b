// Files of somebody else's: not more of them than makes sense.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace hetmp::perf {

/// What can be read from the descriptor, `most` bytes of it and one more at most: then there is more than that.
/// `error`: 0, or the errno value that ended it.
std::string read_at_most(int descriptor, size_t most, int& error);

/// Whether a text in JSON has arrays and objects inside each other to more than `depth` levels; of other texts,
/// anything.
bool nests_deeper_than(std::string_view json, size_t depth);

} // namespace hetmp::perf
