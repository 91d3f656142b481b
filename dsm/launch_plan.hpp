// What a process must know to become one of several nodes, as whoever starts the program tells it: the runtime, which
// executes its own program again for node processes of one machine, or the launcher, on each host.
#pragma once

#include "base/machine/address_layout.hpp"
#include "base/variables/variable.hpp"
#include "dsm/transports.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace hetmp::dsm {

/// Environment variable with a plan's text. It counts only in the process that the plan names, so the programs that
/// this one starts are not concerned.
inline constexpr Variable plan_variable = Variable::HETMP_DSM_PLAN;
/// Environment variable in which a launcher gives its plan to the runtime, for whichever program comes to use OpenMP:
/// the process in it is not yet known. HETMP_NODES=hosts:... goes with it.
inline constexpr Variable launcher_variable = Variable::HETMP_LAUNCH;

/// Bytes of address space that a process of a run takes for each of the run's nodes: for its memory and for what is
/// kept of its pages.
inline constexpr uint64_t address_space_of_node = (uint64_t(1) << 40) + (uint64_t(16) << 30);

struct LaunchPlan {
  pid_t process = 0;
  const TransportKind* transport = &usual_transport(); ///< an element of transport_kinds
  bool sealed = false;                ///< what travels between the nodes is encrypted; only if the transport can
  std::vector<std::vector<int>> cpus; ///< of each node, as numbered on its machine: 2 to 64 nodes

  /// The user's, for the program and its children, where it was another one while the kernel laid out the address
  /// space.
  std::optional<AddressLayout> users_layout;

  // Only where each node's process was started by a launcher; else the process is to make the others itself.
  uint32_t node = 0; ///< which of the nodes this process is
  /// Of each node: descriptors of two connected, authenticated stream sockets to it; {-1, -1} for the node itself.
  std::vector<std::array<int, 2>> sockets;
  int keys = -1; ///< if sealed: the descriptor that take_keys() reads (launch_keys.hpp)
  /// Descriptor where the origin leaves what it would say when it loses a node, for a launcher that may know more: the
  /// place, or nothing, and a line end, then the line. Negative: it says so itself.
  int words = -1;
  std::vector<std::string> hosts; ///< of each node: where it runs, for messages; without blanks and commas

  bool made_by_launcher() const { return !sockets.empty(); }
  bool operator==(const LaunchPlan&) const = default;
};

/// One line, without line ends.
std::string format_plan(const LaunchPlan& plan);
/// Nothing if it is malformed in any way.
std::optional<LaunchPlan> parse_plan(std::string_view text);

} // namespace hetmp::dsm
