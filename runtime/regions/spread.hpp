// What the room for several nodes tells the core. The defaults suit nodes inside one process.
#pragma once

namespace hetmp::runtime {

struct SpreadHooks {
  /// Whether the calling thread may be the primary of a team on several nodes now.
  bool (*may_spread)() = nullptr;
  /// A node other than the primary's has finished its part of a region; runs before the primary is told.
  void (*node_part_finished)() = nullptr;
};
extern SpreadHooks spread_hooks;

} // namespace hetmp::runtime
