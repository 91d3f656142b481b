// Pages that other nodes took while threads of this one were executed there, and that come back together when no thread
// goes there any more: one after the other, each with a fault that a thread waits for, they would take several times as
// long.
#pragma once

#include "dsm/ahead/page_source.hpp"
#include "dsm/space/handed_over.hpp"

#include <cstddef>
#include <vector>

namespace hetmp::dsm {

/// Of the service thread, except where another is named.
class LentPages {
 public:
  static constexpr size_t most = size_t(1) << 16; ///< that are remembered: 256 MiB

  explicit LentPages(const AddressPlan& plan) : plan_(plan) {}

  /// Any thread: what is taken from now on is lent, or is not. A hint: a page more or less does not matter.
  void lend(bool lends) { lends_.set(lends); }
  /// Any thread: they are wanted back. The service thread had better be woken.
  void want_back() { wanted_.set(true); }

  /// Another node has taken the copies.
  void lost(PageNumber first, uint32_t count);
  /// Asks for what is wanted back and has not come by itself. Only so many are on their way at a time: a thread's own
  /// fault waits for no more than these. True if it has asked for any.
  bool ask_for_wanted(PageSource& source);

 private:
  static constexpr size_t most_on_their_way = 32;

  const AddressPlan& plan_;
  Hint<bool> lends_{false}, wanted_{false};
  std::vector<PageNumber> lent_;   ///< some twice
  std::vector<PageNumber> to_ask_; ///< in ascending order: neighbours come in one message
  size_t next_to_ask_ = 0;
  std::vector<PageNumber> on_their_way_; ///< of those asked for; some may have come
};

} // namespace hetmp::dsm
