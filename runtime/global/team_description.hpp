// A node's part of a team, as it is described to the node.
#pragma once

#include "base/elf/code_id.hpp"
#include "base/machine/float_control.hpp"
#include "base/node_set.hpp"
#include "runtime/process/device_icvs.hpp"
#include "runtime/process/invoke.hpp"
#include "runtime/settings/icv.hpp"
#include "runtime/wait/listed_sizes.hpp"

#include <cstdint>
#include <type_traits>

namespace hetmp::runtime {

inline constexpr uint32_t most_forwarded_arguments = 256;

/// Everything a node needs to run its part of a team. Sent by value; only the used arguments travel (codec.cpp lists
/// the fields), and of code its names (TeamStart).
struct TeamDescription {
  uint64_t team = 0;  ///< unique in the program
  uint32_t node = 0;  ///< the node this copy is for
  uint32_t nodes = 1; ///< that take part; node 0 always does. Each has a thread at least, unless the team is lent
  NodeSet participants = NodeSet::of(0);
  uint32_t root = 0;          ///< the primary's gtid on node 0: teams of one root follow each other
  uint32_t threads = 1;       ///< of the whole team
  uint32_t first_thread = 0;  ///< number of this node's first thread: numbers are contiguous within a node
  uint32_t local_threads = 1; ///< on this node
  uint32_t level = 1;         ///< nesting level of the region
  uint32_t active_level = 1;
  uint32_t league_teams = 1;         ///< of the `teams` construct around the region, if there is one
  uint32_t league_number = 0;        ///< of the team there that has met the region
  FloatControl float_control = 0;    ///< the primary's when it met the region: all members compute alike
  TaskIcvs icvs;                     ///< for the team's implicit tasks
  DeviceIcvs device;                 ///< as they are when the region begins; of spread teams
  ListedSizes listed;                ///< of regions inside this one
  const void* source = nullptr;      ///< ident_t of the construct
  void* microtask = nullptr;         ///< the outlined function; in this process
  Invoker invoke = invoke_microtask; ///< how its compiler wants it called; likewise
  uint32_t argument_count = 0;
  void* arguments[most_forwarded_arguments];

  /// Node 0 has begun it and waits for its end; all of its threads are on the other node that takes part. There, its
  /// constructs are those of a team on one node.
  bool is_lent() const { return nodes == 2 && node != 0 && local_threads == threads; }
};
static_assert(std::is_trivially_copyable_v<TeamDescription>);

/// The code that a team executes, as all nodes know it.
struct TeamCode {
  CodeId microtask; ///< TeamDescription::microtask
  CodeId invoke;    ///< TeamDescription::invoke
};

/// What a node is told when its part of a team begins.
struct TeamStart {
  TeamDescription part; ///< what it has of code is this process's, and does not travel
  TeamCode code;
};
static_assert(std::is_trivially_copyable_v<TeamStart>);

} // namespace hetmp::runtime
