// Pages that other nodes took while threads of this one were executed there, and that come back together when no thread
// goes there any more: one after the other, each with a fault that a thread waits for, they would take several times as
// long.
#pragma once

#include "dsm/ahead/pages_to_ask.hpp"
#include "dsm/space/handed_over.hpp"

#include <cstddef>
#include <vector>

namespace hetmp::dsm {

/// Of the service thread, except where another is named.
class LentPages {
 public:
  static constexpr size_t most = size_t(1) << 16; ///< that are remembered: 256 MiB

  explicit LentPages(const AddressPlan& plan) : plan_(plan) {}

  /// Before the first fault. Who wants none back early remembers none.
  void enable(bool wanted) { enabled_ = wanted; }

  /// Any thread: what is taken from now on is lent, or is not. A hint: a page more or less does not matter.
  void lend(bool lends) { lends_.set(lends); }
  /// Any thread: they are wanted back. The service thread had better be woken.
  void want_back() { wanted_.set(true); }

  /// Another node has taken the copies.
  void lost(PageNumber first, uint32_t count);
  /// Asks for some of what is wanted back and has not come by itself. True if it has asked for any.
  bool ask_for_wanted(PageSource& source);

 private:
  static constexpr size_t most_on_their_way = 32;

  const AddressPlan& plan_;
  bool enabled_ = true;
  Hint<bool> lends_{false}, wanted_{false};
  std::vector<PageNumber> lent_;         ///< some twice
  PagesToAsk to_ask_{most_on_their_way}; ///< in ascending order: neighbours come in one message
};

} // namespace hetmp::dsm
