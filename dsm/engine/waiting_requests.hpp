// Requests for the content of several pages, which are served piece by piece, so that others have their turn. Pure; one
// caller at a time.
#pragma once

#include "dsm/transport/page_message.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace hetmp::dsm {

class WaitingRequests {
 public:
  /// Pages `begin` to `end` (not included) of those that the message is about, counted from its first.
  struct Piece {
    uint32_t from;
    PageMessage message;
    uint32_t begin, end;
  };

  void add(uint32_t from, const PageMessage& message) { waiting_.push_back({from, message, 0}); }
  bool empty() const { return waiting_.empty(); }

  /// The next piece of the earliest request of the same channel that may be about one of the message's pages.
  std::optional<Piece> take_overlapping(uint32_t from, const PageMessage& message);
  /// The next piece of a request, each request in its turn. Passes over those for nodes that cannot take content now:
  /// `may_send(node)`.
  template <class MaySend> std::optional<Piece> take_next(MaySend&& may_send) {
    for (size_t tried = 0; tried < waiting_.size(); ++tried) {
      const size_t index = turn_++ % waiting_.size();
      if (may_send(uint32_t(waiting_[index].message.first.requester))) // whoever forwarded it
        return take(index);
    }
    return {};
  }

 private:
  struct Request {
    uint32_t from;
    PageMessage message;
    uint32_t next; ///< of its pages
  };
  Piece take(size_t index);

  std::vector<Request> waiting_; ///< in the order in which they came
  size_t turn_ = 0;
};

} // namespace hetmp::dsm
