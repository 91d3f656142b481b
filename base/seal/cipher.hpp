// What seals a stream of bytes between two processes: an authenticated cipher behind pointers to functions. A library
// that is preloaded into programs then needs no cryptographic library of its own: libhetmp_seal.so brings it, and is
// loaded only where a run is to be encrypted (load.hpp).
//
// The cipher is ChaCha20-Poly1305 as the IETF has it (RFC 8439). Its nonce is the number of the record in its
// direction, and a key serves one direction of one connection, so no nonce comes twice and XChaCha20's longer ones
// would buy nothing. AES-256-GCM is faster where processors have instructions for it, but libsodium has it on those
// only: both ends would have to agree first on one of two, and the weaker hosts would decide.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string.h>

namespace hetmp::seal {

inline constexpr size_t key_bytes = 32;
inline constexpr size_t tag_bytes = 16;

using Key = std::array<uint8_t, key_bytes>;

/// The keys of one connection, as one of its ends has them: the other end's `send` is this one's `receive`.
struct KeyPair {
  Key send{};
  Key receive{};
  bool operator==(const KeyPair&) const = default;
};

/// Overwrites what nobody is to find in memory later.
inline void forget(KeyPair& keys) { explicit_bzero(&keys, sizeof keys); }

inline constexpr uint32_t cipher_version = 1; ///< a plugin with another one is not used

/// Any thread may call these at any time: they take no lock, allocate nothing and remember nothing.
struct Cipher {
  uint32_t version;
  /// Writes `bytes` + tag_bytes to `sealed`. `header` is not hidden, but covered by the tag. With one key, no two calls
  /// may have the same number.
  void (*seal)(const uint8_t* key, uint64_t number, const void* header, size_t header_bytes, const void* plain,
               size_t bytes, uint8_t* sealed);
  /// The way back: writes `bytes` to `plain` if all is as it was sealed. False, and nothing usable there, if it is not.
  bool (*open)(const uint8_t* key, uint64_t number, const void* header, size_t header_bytes, const uint8_t* sealed,
               size_t bytes, uint8_t* plain);
};

} // namespace hetmp::seal
