#include "runtime/launch/handshake.hpp"

#include "base/message.hpp"

#include <cstring>
#include <sodium.h>
#include <string_view>

namespace hetmp::launch {
namespace {

constexpr std::array<uint8_t, 8> magic = {'h', 'e', 't', 'm', 'p', '\r', '\n', 0};
constexpr uint32_t version = 2;
static_assert(sizeof(Secret) == crypto_auth_hmacsha512256_KEYBYTES);
static_assert(sizeof(Code) == crypto_auth_hmacsha512256_BYTES);

/// Over a label and parts of messages.
class CodeOf {
public:
  CodeOf(const Secret& secret, std::string_view label) {
    crypto_auth_hmacsha512256_init(&state_, secret.data(), secret.size());
    add(label.data(), label.size());
  }
  CodeOf& add(const void* bytes, size_t count) {
    crypto_auth_hmacsha512256_update(&state_, static_cast<const uint8_t*>(bytes), count);
    return *this;
  }
  Code result() {
    Code code;
    crypto_auth_hmacsha512256_final(&state_, code.data());
    return code;
  }

private:
  crypto_auth_hmacsha512256_state state_;
};

bool equal(const Code& a, const Code& b) { return sodium_memcmp(a.data(), b.data(), a.size()) == 0; }

Code code_of(const Secret& secret, const Hello& hello) {
  return CodeOf(secret, "hetmp hello").add(&hello, offsetof(Hello, code)).result();
}

Code code_of(const Secret& secret, const Hello& hello, const Challenge& challenge) {
  return CodeOf(secret, "hetmp challenge").add(&hello, sizeof hello).add(&challenge, offsetof(Challenge, code)).result();
}

Code code_of_proof(const Secret& secret, const Hello& hello, const Challenge& challenge) {
  return CodeOf(secret, "hetmp proof").add(&hello, sizeof hello).add(&challenge, sizeof challenge).result();
}

} // namespace

bool start_cryptography() { return sodium_init() >= 0; }

Secret random_secret() {
  if (!start_cryptography())
    die(70, "libsodium has no source of random numbers here");
  Secret secret;
  randombytes_buf(secret.data(), secret.size());
  return secret;
}

Opener::Opener(const Secret& secret, Purpose purpose) : secret_(secret), hello_{magic, version, purpose, {}, {}} {
  randombytes_buf(hello_.nonce.data(), hello_.nonce.size());
  hello_.code = code_of(secret_, hello_);
}

std::optional<Proof> Opener::answer(const Challenge& challenge) const {
  if (!equal(challenge.code, code_of(secret_, hello_, challenge)))
    return {};
  return Proof{code_of_proof(secret_, hello_, challenge)};
}

Listener::Listener(const Secret& secret, uint32_t node) : secret_(secret), node_(node) {}

const char* Listener::check(const Hello& hello) {
  if (hello.magic != magic)
    return "it is not a node of hetmp";
  if (hello.version != version)
    return "it is another version of hetmp";
  if (!equal(hello.code, code_of(secret_, hello)))
    return "it does not know this run's secret";
  if (hello.purpose.listener != node_)
    return "it wants another node";
  hello_ = hello;
  randombytes_buf(challenge_.nonce.data(), challenge_.nonce.size());
  challenge_.code = code_of(secret_, hello_, challenge_);
  return nullptr;
}

bool Listener::accept(const Proof& proof) const { return equal(proof.code, code_of_proof(secret_, hello_, challenge_)); }

} // namespace hetmp::launch
