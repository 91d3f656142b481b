#include "schedulers/policies/assignment.hpp"

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
  pieces[piece_count++] = piece;
  return true;
}

} // namespace hetmp::schedulers
