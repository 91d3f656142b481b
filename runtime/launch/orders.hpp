// The contents of frames: values here, JSON on the way.
#pragma once

#include "runtime/launch/handshake.hpp"
#include "runtime/launch/mesh.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hetmp::launch {

/// Agent: what its host has.
struct Ready {
  std::vector<int> cpus; ///< that its processes may use
  std::string problem;   ///< what speaks against running a node there, a sentence; empty if nothing does
  bool operator==(const Ready&) const = default;
};

/// Launcher: which program.
struct Order {
  uint32_t node = 0;
  std::string host; ///< this node's, as the others know it
  std::string folder; ///< working directory
  std::vector<std::string> command;
  std::map<std::string, std::string> environment;
  uint64_t stack_bytes = 0; ///< soft limit of the stack: the address space depends on it
  bool operator==(const Order&) const = default;
};

/// Launcher: who the nodes are. Element i is node i's.
struct Start {
  Secret secret{};
  std::vector<Endpoint> endpoints;
  std::vector<std::string> hosts;
  std::vector<std::vector<int>> cpus;
  bool operator==(const Start&) const = default;
};

/// Agent: how the node's process ended, as wait() has it.
struct Exit {
  int code = 0;
  int signal = 0; ///< that ended it; then `code` means nothing
  bool operator==(const Exit&) const = default;
};

std::string to_json(const Ready& ready);
std::string to_json(const Endpoint& card);
std::string to_json(const Order& order);
std::string to_json(const Start& start);
std::string to_json(const Exit& exit);
std::string to_json(int signal);

// Nothing if the text is not what it should be.
std::optional<Ready> read_ready(std::string_view json);
std::optional<Endpoint> read_card(std::string_view json);
std::optional<Order> read_order(std::string_view json);
std::optional<Start> read_start(std::string_view json);
std::optional<Exit> read_exit(std::string_view json);
std::optional<int> read_signal(std::string_view json);

} // namespace hetmp::launch
