#include "base/seal/sodium_cipher.hpp"

#include <sodium.h>

namespace hetmp::seal {
namespace {

static_assert(key_bytes == crypto_aead_chacha20poly1305_ietf_KEYBYTES);
static_assert(tag_bytes == crypto_aead_chacha20poly1305_ietf_ABYTES);

struct NumberAsNonce {
  explicit NumberAsNonce(uint64_t number) {
    for (size_t i = 0; i < sizeof number; ++i)
      bytes[i] = uint8_t(number >> (8 * i));
  }
  uint8_t bytes[crypto_aead_chacha20poly1305_ietf_NPUBBYTES] = {};
};

void seal(const uint8_t* key, uint64_t number, const void* header, size_t header_bytes, const void* plain, size_t bytes,
          uint8_t* sealed) {
  crypto_aead_chacha20poly1305_ietf_encrypt(sealed, nullptr, static_cast<const uint8_t*>(plain), bytes,
                                            static_cast<const uint8_t*>(header), header_bytes, nullptr,
                                            NumberAsNonce(number).bytes, key);
}

bool open(const uint8_t* key, uint64_t number, const void* header, size_t header_bytes, const uint8_t* sealed,
          size_t bytes, uint8_t* plain) {
  return crypto_aead_chacha20poly1305_ietf_decrypt(plain, nullptr, nullptr, sealed, bytes + tag_bytes,
                                                   static_cast<const uint8_t*>(header), header_bytes,
                                                   NumberAsNonce(number).bytes, key) == 0;
}

constexpr Cipher cipher{cipher_version, seal, open};

} // namespace

const Cipher* sodium_cipher() { return sodium_init() >= 0 ? &cipher : nullptr; }

} // namespace hetmp::seal
