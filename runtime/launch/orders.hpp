// The contents of frames: values here, JSON on the way.
#pragma once

#include "runtime/launch/connection/handshake.hpp"
#include "runtime/launch/connection/mesh.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hetmp::launch {

/// Agent: what its host has.
struct Ready {
  std::vector<int> cpus;          ///< that its processes may use
  std::string problem;            ///< what speaks against running a node there, a sentence; empty if nothing does
  std::string no_encryption = {}; ///< the same for a node of a run that is to be encrypted
  bool operator==(const Ready&) const = default;
};

/// Launcher: which program.
struct Order {
  uint32_t node = 0;
  std::string host;   ///< this node's, as the others know it
  std::string folder; ///< working directory
  std::vector<std::string> command;
  std::map<std::string, std::string> environment;
  uint64_t stack_bytes = 0; ///< soft limit of the stack: the address space depends on it
  bool encrypt = false;     ///< what travels between the nodes is
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

/// Launcher, before anything else, if the run is encrypted: from here on this connection is, too.
struct Sealing {
  Secret secret{};
  bool operator==(const Sealing&) const = default;
};

std::string to_json(const Ready& ready);
std::string to_json(const Endpoint& card);
std::string to_json(const Order& order);
std::string to_json(const Start& start);
std::string to_json(const Exit& exit);
std::string to_json(int signal);
std::string to_json(const Sealing& sealing);

/// What is wrong with the size of an order as it travels, a clause; empty if nothing is.
std::string size_problem(std::string_view order_json);

// Nothing if the text is not what it should be.
std::optional<Ready> read_ready(std::string_view json);
std::optional<Endpoint> read_card(std::string_view json);
std::optional<Order> read_order(std::string_view json);
std::optional<Start> read_start(std::string_view json);
std::optional<Exit> read_exit(std::string_view json);
std::optional<int> read_signal(std::string_view json);
std::optional<Sealing> read_sealing(std::string_view json);

} // namespace hetmp::launch
