// A transport between nodes in one process, as an interconnect with one-sided writes would be: the nodes tell each
// other over their sockets where their inboxes are, and whoever sends puts messages straight there.
#pragma once

#include "dsm/transport/rendezvous.hpp"
#include "dsm/transport/transport.hpp"

#include <algorithm>
#include <cstring>
#include <deque>
#include <mutex>
#include <sys/eventfd.h>
#include <unistd.h>
#include <vector>

namespace hetmp::dsm {

class LoopbackTransport final : public Transport {
 public:
  ~LoopbackTransport() override {
    for (const SocketPair& pair : sockets_)
      for (const int socket : pair)
        if (socket >= 0)
          close(socket);
    close(inbox_.bell);
  }

  void join(const Place& place) override {
    node_ = place.node;
    sockets_ = place.sockets;
    inbox_.bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    inboxes_.assign(place.nodes, &inbox_);
    problem_ = exchange(node_, sockets_, inboxes_);
  }
  const std::string& problem() const { return problem_; }

  void send(uint32_t to, Lane, Channel channel, const void* message, size_t message_bytes, const void* data,
            size_t data_bytes) override {
    Message copy;
    copy.from = node_;
    copy.header.channel = channel;
    copy.header.header_bytes = uint16_t(message_bytes);
    copy.header.data_bytes = uint32_t(data_bytes);
    if (message_bytes != 0)
      memcpy(copy.header.message, message, message_bytes);
    copy.data.assign(static_cast<const uint8_t*>(data), static_cast<const uint8_t*>(data) + data_bytes);
    Inbox& inbox = *inboxes_[to];
    std::lock_guard guard(inbox.lock);
    inbox.messages.push_back(std::move(copy));
    const uint64_t one = 1;
    if (inbox.asleep) [[maybe_unused]]
      const ssize_t written = write(inbox.bell, &one, sizeof one);
  }

  bool has_room(uint32_t to) override {
    std::lock_guard guard(inboxes_[to]->lock);
    return inboxes_[to]->messages.size() < most_waiting;
  }

  size_t receive(const Handle& handle) override {
    std::deque<Message> taken;
    {
      std::lock_guard guard(inbox_.lock);
      taken.swap(inbox_.messages);
    }
    for (const Message& message : taken)
      handle(message.from, {message.header, message.data.data()});
    return taken.size();
  }
  bool flush() override { return false; }

  bool has_messages() override {
    std::lock_guard guard(inbox_.lock);
    return !inbox_.messages.empty();
  }
  bool prepare_sleep() override {
    std::lock_guard guard(inbox_.lock);
    inbox_.asleep = inbox_.messages.empty();
    return inbox_.asleep;
  }
  void awake(bool rung) override {
    std::lock_guard guard(inbox_.lock);
    inbox_.asleep = false;
    uint64_t count;
    if (rung) [[maybe_unused]]
      const ssize_t bytes = read(inbox_.bell, &count, sizeof count);
  }
  int doorbell() const override { return inbox_.bell; }

 private:
  static constexpr size_t most_waiting = 100;
  struct Message {
    uint32_t from = 0;
    SlotHeader header;
    std::vector<uint8_t> data;
  };
  struct Inbox {
    std::mutex lock;
    std::deque<Message> messages;
    bool asleep = false;
    int bell = -1;
  };

  uint32_t node_ = 0;
  Inbox inbox_;
  std::vector<Inbox*> inboxes_; ///< of each node
  std::vector<SocketPair> sockets_;
  std::string problem_;
};

} // namespace hetmp::dsm
