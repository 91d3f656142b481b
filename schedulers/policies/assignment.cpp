#include "schedulers/policies/assignment.hpp"

#include "base/check.hpp"

namespace hetmp::schedulers {

uint64_t Assignment::size() const {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < piece_count; ++i)
    sum += pieces[i].size();
  return sum;
}

bool Assignment::add(Range piece) {
  if (piece.empty())
    return true;
  if (piece_count == most_pieces)
    return false;
  HETMP_CHECK(piece_count == 0 || pieces[piece_count - 1].end <= piece.begin);
  pieces[piece_count++] = piece;
  return true;
}

} // namespace hetmp::schedulers
