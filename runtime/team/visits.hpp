// A listener of events.hpp: whoever moves memory between nodes and can bring ahead what a loop touched on its last
// visit. It is told of visits that nobody measures only: the decisions about a loop go by the faults that it shows when
// nothing is brought ahead.
#pragma once

#include <cstdint>

namespace hetmp::runtime::visits {

/// Null where nobody wants to know. Set before there are teams.
struct Hooks {
  void (*begin)(uint64_t loop) = nullptr;
  void (*end)() = nullptr;
};
inline Hooks hooks;

} // namespace hetmp::runtime::visits
