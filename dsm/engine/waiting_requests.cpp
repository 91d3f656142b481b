#include "dsm/engine/waiting_requests.hpp"

#include "base/check.hpp"

#include <algorithm>

namespace hetmp::dsm {

std::optional<WaitingRequests::Piece> WaitingRequests::take_overlapping(uint32_t from, const PageMessage& message) {
  for (size_t i = 0; i < waiting_.size(); ++i)
    if (waiting_[i].from == from && waiting_[i].message.may_overlap(message))
      return take(i);
  return {};
}

WaitingRequests::Piece WaitingRequests::take(size_t index) {
  HETMP_CHECK(index < waiting_.size());
  Request& request = waiting_[index];
  HETMP_CHECK(request.next < request.message.count); // otherwise it would not wait any more
  const uint32_t end = std::min(request.next + most_data_pages, request.message.count);
  const Piece piece{request.from, request.message, request.next, end};
  HETMP_CHECK(piece.begin < piece.end && piece.end - piece.begin <= most_data_pages);
  request.next = end;
  if (end == request.message.count)
    waiting_.erase(waiting_.begin() + ptrdiff_t(index));
  return piece;
}

} // namespace hetmp::dsm
