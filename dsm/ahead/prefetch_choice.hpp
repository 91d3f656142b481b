// What HETMP_PREFETCH asks for.
#pragma once

#include <optional>
#include <string>

namespace hetmp::dsm {

/// Ways to bring pages before threads fault on them.
struct PrefetchChoice {
  bool streams = true; ///< pages that a stream of faults will want (fault_streams.hpp)
  bool visits = true;  ///< pages that a loop touched on its last visit (visit_memory.hpp)
  bool pushes = true;  ///< pages that their node knows others will read (Fabric::push)

  bool operator==(const PrefetchChoice&) const = default;
};

/// A truth value for all of them, or the names of those that are wanted, with commas between; nothing if it is neither.
std::optional<PrefetchChoice> parse_prefetch(const std::string& text);

} // namespace hetmp::dsm
