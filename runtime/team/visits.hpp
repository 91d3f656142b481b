// Tells whoever moves memory between nodes when visits of loops begin and end, so that what a loop touched on its last
// visit can be brought ahead. Only visits that nobody measures: the decisions about a loop go by the faults that it
// shows when nothing is brought ahead.
#pragma once

#include "runtime/team/node_team.hpp"

#include <cstdint>

namespace hetmp::runtime::visits {

/// Null where nobody wants to know.
struct Hooks {
  void (*begin)(uint64_t loop) = nullptr;
  void (*end)() = nullptr;
};
extern Hooks hooks;

/// The calling thread begins a visit of the loop that nobody measures.
inline void begins(const NodeTeam& team, const void* call_site) {
  if (team.global && hooks.begin) [[unlikely]]
    hooks.begin(reinterpret_cast<uint64_t>(call_site));
}

/// The node's threads have left their last loop, or begin one that is measured.
inline void ends(const NodeTeam& team) {
  if (team.global && hooks.end) [[unlikely]]
    hooks.end();
}

} // namespace hetmp::runtime::visits
