// Single operations from fault to wake-up, without a model of what surrounds the nodes: actions and messages
// are looked at one by one.
#pragma once

#include "dsm/protocol/node.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace hetmp::dsm::protocol {

using Names = std::vector<std::string>;

/// Nodes without a model of their surroundings: actions and messages are looked at one by one. Home of page 0
/// is 0.
class Stories : public testing::Test {
 protected:
  static constexpr uint32_t count = 4;
  Stories() {
    for (uint32_t n = 0; n < count; ++n)
      nodes.emplace_back(n, count, Storage{&local[n], &directory[n], 1, home_of, nullptr});
  }
  static uint32_t home_of(const void*, PageNumber) { return 0; }

  struct Sent {
    uint32_t from, to;
    Message message;
  };

  /// A fault at node `n`, served to its end. `log` then has everything that happened.
  Names serve(uint32_t n, bool write) {
    log.clear();
    actions.clear();
    EXPECT_EQ(write ? nodes[n].write_fault(0, actions) : nodes[n].read_fault(0, actions), Status::Ok);
    note(n);
    return settle();
  }
  /// Home pushes the page to node `to`, and whatever follows from that.
  Names push(uint32_t home, uint32_t to) {
    log.clear();
    actions.clear();
    EXPECT_EQ(nodes[home].push(0, to, actions), Status::Ok);
    note(home);
    return settle();
  }
  Names settle() {
    for (size_t i = 0; i < sent.size(); ++i) {
      const Sent next = sent[i];
      actions.clear();
      EXPECT_EQ(nodes[next.to].receive(next.from, next.message, actions), Status::Ok);
      note(next.to);
    }
    sent.clear();
    return log;
  }
  static size_t messages_in(const Names& names) {
    return static_cast<size_t>(std::count_if(
        names.begin(), names.end(), [](const std::string& name) { return name.find('>') != std::string::npos; }));
  }
  Names read(uint32_t n) { return serve(n, false); }
  Names write(uint32_t n) { return serve(n, true); }

  void note(uint32_t n) {
    for (const Action& action : actions) {
      const bool message = action.kind == ActionKind::Send || action.kind == ActionKind::SendData;
      const std::string at = std::to_string(n);
      log.push_back(message ? at + ">" + std::to_string(action.to) + " " + name_of(action.message.type)
                            : at + " " + name_of(action.kind));
      if (message)
        sent.push_back({n, action.to, action.message});
    }
  }

  LocalPage local[count];
  DirectoryEntry directory[count];
  std::vector<Node> nodes;
  std::vector<Sent> sent;
  Actions actions;
  Names log;
};

} // namespace hetmp::dsm::protocol
