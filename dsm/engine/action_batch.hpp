// What the actions of several events come to, each of another page: neighbours are protected by one system call, travel
// in one message, are installed by one system call.
//
// That is allowed because pages do not interact: the protocol asks for the order of one page's actions, and of its
// messages on one channel. Here all pages are protected first, copies that a message tells to be gone are dropped, then
// pages are installed, then made writable, then what is to be sent goes out, then other copies are dropped: those that
// are sent away. An event whose actions come in another order is not taken. Pure; the carrying out is somebody else's.
#pragma once

#include "dsm/engine/page_range.hpp"
#include "dsm/protocol/action.hpp"
#include "dsm/transport/page_message.hpp"

#include <cstdint>
#include <vector>

namespace hetmp::dsm {

class ActionBatch {
 public:
  struct Installation {
    PageRange pages;
    const uint8_t* content; ///< one page's behind the other's; null: zeros
    bool writable;
  };
  struct Sending {
    uint32_t to;
    PageMessage message; ///< content: to be read from the pages; longer than one message can take, perhaps
  };

  /// Adds the actions of one event, of a page that no event before was about. `content`: what came with the event, null
  /// for zeros. False if they have to be carried out one by one; then nothing was added.
  bool add(const protocol::Actions& actions, const uint8_t* content);

  bool empty() const {
    return protections.empty() && drops_before.empty() && installations.empty() && upgrades.empty() &&
           sendings.empty() && drops.empty();
  }
  void clear();

  // In the order in which to carry them out. Whoever waits for a page that comes, or becomes writable, is to be woken.
  std::vector<PageRange> protections;
  std::vector<PageRange> drops_before; ///< of what is sent
  std::vector<Installation> installations;
  std::vector<PageRange> upgrades; ///< become writable
  std::vector<Sending> sendings;
  std::vector<PageRange> drops;

 private:
  bool is_about(PageNumber page) const;
  void add(const protocol::Action& action, bool last, const uint8_t* content);
  void install(PageNumber page, const uint8_t* content, bool writable);
  void send(const protocol::Action& action);
};

} // namespace hetmp::dsm
