// Which visits of a region have the same to do, as far as the runtime sees that.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <limits>

namespace hetmp::schedulers {

/// A region's code, and how much it has to do (iterations of its first loop; 0: unknown).
struct VisitKind {
  uint64_t region = 0;
  uint64_t trips = 0;
  auto operator<=>(const VisitKind&) const = default;
};

/// Trips, of the visit that has more of them against the other one, of the same region; without end where they can't be
/// compared.
inline double times_as_many(const VisitKind& one, const VisitKind& other) {
  const auto [fewer, more] = std::minmax(one.trips, other.trips);
  if (fewer == 0)
    return more == 0 ? 1 : std::numeric_limits<double>::infinity();
  return double(more) / double(fewer);
}

} // namespace hetmp::schedulers
