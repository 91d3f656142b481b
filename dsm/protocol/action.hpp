// What the protocol asks of its edge: a list of actions, to be carried out in order.
#pragma once

#include "dsm/protocol/message.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hetmp::dsm::protocol {

enum class ActionKind : uint8_t {
  Send,             ///< send `message` to node `to`
  SendData,         ///< send `message` to node `to` with the page's present content; the page is write-protected or
                    ///< was never writable when this is reached
  Protect,          ///< Exclusive -> Shared: write-protect the page; no local write may succeed afterwards
  Drop,             ///< -> Invalid: discard the local copy; no local access may succeed afterwards
  InstallShared,    ///< map the content that came with the message being processed, write-protected
  InstallExclusive, ///< map the content that came with the message being processed, writable
  Unprotect,        ///< Shared -> Exclusive: make the local copy writable
  Wake,             ///< let every thread that faulted on the page try again
  Hold              ///< a local thread was just served at the page's home while others wait: call Node::resume(page)
                    ///< once, after this node's hold time (at once if there is none)
};

/// The action's name.
const char* name_of(ActionKind kind);

struct Action {
  ActionKind kind;
  uint8_t to = 0;  ///< Send, SendData: never this node itself
  Message message; ///< Send, SendData: the message; otherwise only `message.page` has a meaning
  PageNumber page() const { return message.page; }
};

/// A buffer of actions to be reused: clear() keeps its memory. Node's functions append and never clear.
class Actions {
 public:
  void clear() { list.clear(); }
  bool empty() const { return list.empty(); }
  size_t size() const { return list.size(); }
  const Action& operator[](size_t index) const { return list[index]; }
  auto begin() const { return list.begin(); }
  auto end() const { return list.end(); }

  void add(ActionKind kind, PageNumber page) { list.push_back({kind, 0, local(page)}); }
  void send(uint32_t to, const Message& message) {
    const ActionKind kind = carries_content(message.type) ? ActionKind::SendData : ActionKind::Send;
    list.push_back({kind, static_cast<uint8_t>(to), message});
  }

 private:
  /// A message that only names the page; its type is of no consequence.
  static Message local(PageNumber page) { return message_of(MessageType::Done, page); }

  std::vector<Action> list;
};

} // namespace hetmp::dsm::protocol
