// The cipher in a node's process, where the plan asks for one.
#pragma once

#include "base/seal/cipher.hpp"

#include <string>

namespace hetmp::dsm {

/// Loads the plugin beside this library. To be called before the memory is divided (find_globals()): the data of what
/// it loads stay private to each node, since its service thread uses them. Null, and why in `problem`, if that is
/// impossible.
const seal::Cipher* load_private_cipher(std::string& problem);

} // namespace hetmp::dsm
