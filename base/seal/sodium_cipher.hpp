// The cipher by libsodium: for those who link it anyway, and for the plugin.
#pragma once

#include "base/seal/cipher.hpp"

namespace hetmp::seal {

/// Null if libsodium cannot be used here: it has no source of random numbers.
const Cipher* sodium_cipher();

} // namespace hetmp::seal
