// What people are told of variables: the texts of variables.def. Only what prints them takes them in.
#pragma once

#include "base/variables/variable.hpp"

#include <cstdint>

namespace hetmp {

/// When a variable is read, so that whoever sets it in a program knows whether that is early enough.
enum class Moment : uint8_t {
  Launch,      ///< by `hetmp run`
  Start,       ///< when the library starts, before `main`
  Nodes,       ///< when node processes begin, before `main`
  FirstRegion, ///< when the program meets its first region or asks about places
  Needed,      ///< when what it speaks of is needed first
};

/// Texts may have `code` in backquotes, and name other pages as docs/NAME.md.
struct Description {
  Variable of; ///< the variable that this is another name of, over which it wins; else the variable itself
  Moment moment;
  const char* grammar; ///< what its value may be
  const char* usual;   ///< what holds if it is not set; empty: nothing
  const char* meaning;
};

const Description& description_of(Variable variable);

} // namespace hetmp
