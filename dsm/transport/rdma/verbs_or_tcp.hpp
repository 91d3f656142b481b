// RDMA where all nodes can, else TCP: which of the two, the nodes find out when they join.
#pragma once

#include "dsm/transport/transport.hpp"

#include <memory>

namespace hetmp::dsm {

class VerbsOrTcp final : public Transport {
 public:
  void join(const Place& place) override;
  const char* chosen() const override;
  std::string why_chosen() const override { return why_tcp_; }

  void send(uint32_t to, Lane lane, Channel channel, const void* message, size_t message_bytes, const void* data,
            size_t data_bytes) override {
    one_->send(to, lane, channel, message, message_bytes, data, data_bytes);
  }
  void settle() override { one_->settle(); }
  bool has_room(uint32_t to) override { return one_->has_room(to); }
  size_t receive(const Handle& handle) override { return one_->receive(handle); }
  bool flush() override { return one_->flush(); }
  bool has_messages() override { return one_->has_messages(); }
  bool prepare_sleep() override { return one_->prepare_sleep(); }
  void awake(bool rung) override { one_->awake(rung); }
  int doorbell() const override { return one_->doorbell(); }
  std::optional<Loss> find_loss() override { return one_->find_loss(); }
  int64_t longest_sleep_ns() const override { return one_->longest_sleep_ns(); }

 private:
  std::unique_ptr<Transport> one_;
  std::string why_tcp_; ///< empty: it is RDMA
};

} // namespace hetmp::dsm
