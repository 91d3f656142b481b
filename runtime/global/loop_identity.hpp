// How nodes know that they are in the same loop.
#pragma once

namespace hetmp::runtime {

/// Which loop, by content: equal on every node and on every visit.
struct LoopIdentity {
  const char* source;    ///< ident_t's source string (";file;function;line;column;;"), may be null
  const void* call_site; ///< the address the loop was begun from; without -g all source strings are equal
};

} // namespace hetmp::runtime
