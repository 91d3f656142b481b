// The plugin that brings the cipher: libhetmp_seal.so, which is built where libsodium is and lies beside libhetmp.so.
#pragma once

#include "base/seal/cipher.hpp"

#include <string>

namespace hetmp::seal {

inline constexpr const char* plugin_file = "libhetmp_seal.so";

/// The cipher of the plugin in `folder`; null, and why in `problem`, a clause, if it cannot be had. It stays loaded,
/// and what is allocated for it is private to this process.
const Cipher* load_cipher(const std::string& folder, std::string& problem);

} // namespace hetmp::seal

/// What the plugin exports.
extern "C" const hetmp::seal::Cipher* hetmp_seal_cipher();
