#include "runtime/launch/connection/handshake.hpp"

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

/// A key for one direction, which the label names, of what was said.
class KeyOf {
 public:
  KeyOf(const Secret& secret, std::string_view label) {
    crypto_generichash_init(&state_, secret.data(), secret.size(), seal::key_bytes);
    add(label.data(), label.size());
  }
  KeyOf& add(const void* bytes, size_t count) {
    crypto_generichash_update(&state_, static_cast<const uint8_t*>(bytes), count);
    return *this;
  }
  seal::Key result() {
    seal::Key key;
    crypto_generichash_final(&state_, key.data(), key.size());
    sodium_memzero(&state_, sizeof state_);
    return key;
  }

 private:
  crypto_generichash_state state_;
};

static_assert(sizeof(Nonce) == crypto_scalarmult_BYTES && seal::key_bytes == crypto_scalarmult_SCALARBYTES);

/// A nonce; of a sealed connection it is the public key to `own`.
Nonce make_nonce(bool sealed, seal::Key& own) {
  Nonce nonce;
  if (sealed) {
    randombytes_buf(own.data(), own.size());
    crypto_scalarmult_base(nonce.data(), own.data());
  } else {
    randombytes_buf(nonce.data(), nonce.size());
  }
  return nonce;
}

struct ConnectionKeys {
  seal::Key to_listener, to_opener;
};

/// `own` belongs to one of the nonces, `others` is the other one.
std::optional<ConnectionKeys> agree(const Secret& secret, const Hello& hello, const Challenge& challenge,
                                    const seal::Key& own, const Nonce& others) {
  uint8_t shared[crypto_scalarmult_BYTES];
  if (crypto_scalarmult(shared, own.data(), others.data()) != 0)
    return {};
  const auto key = [&](std::string_view label) {
    return KeyOf(secret, label)
        .add(&hello, sizeof hello)
        .add(&challenge, sizeof challenge)
        .add(shared, sizeof shared)
        .result();
  };
  const ConnectionKeys keys{key("hetmp key, opener to listener"), key("hetmp key, listener to opener")};
  sodium_memzero(shared, sizeof shared);
  return keys;
}

bool equal(const Code& a, const Code& b) { return sodium_memcmp(a.data(), b.data(), a.size()) == 0; }

Code code_of(const Secret& secret, const Hello& hello) {
  return CodeOf(secret, "hetmp hello").add(&hello, offsetof(Hello, code)).result();
}

Code code_of(const Secret& secret, const Hello& hello, const Challenge& challenge) {
  return CodeOf(secret, "hetmp challenge")
      .add(&hello, sizeof hello)
      .add(&challenge, offsetof(Challenge, code))
      .result();
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

seal::KeyPair keys_with_agent(const Secret& secret, bool launchers_end) {
  const seal::Key to_agent = KeyOf(secret, "hetmp key, launcher to agent").result();
  const seal::Key to_launcher = KeyOf(secret, "hetmp key, agent to launcher").result();
  return launchers_end ? seal::KeyPair{to_agent, to_launcher} : seal::KeyPair{to_launcher, to_agent};
}

Opener::Opener(const Secret& secret, Purpose purpose) : secret_(secret), hello_{magic, version, purpose, {}, {}} {
  hello_.nonce = make_nonce(purpose.sealed != 0, own_);
  hello_.code = code_of(secret_, hello_);
}

std::optional<Proof> Opener::answer(const Challenge& challenge) const {
  if (!equal(challenge.code, code_of(secret_, hello_, challenge)))
    return {};
  return Proof{code_of_proof(secret_, hello_, challenge)};
}

std::optional<seal::KeyPair> Opener::keys(const Challenge& challenge) const {
  const auto keys = agree(secret_, hello_, challenge, own_, challenge.nonce);
  return keys ? std::optional(seal::KeyPair{keys->to_listener, keys->to_opener}) : std::nullopt;
}

Listener::Listener(const Secret& secret, uint32_t node, bool sealed) : secret_(secret), node_(node), sealed_(sealed) {}

const char* Listener::check(const Hello& hello) {
  if (hello.magic != magic)
    return "it is not a node of hetmp";
  if (hello.version != version)
    return "it is another version of hetmp";
  if (!equal(hello.code, code_of(secret_, hello)))
    return "it does not know this run's secret";
  if (hello.purpose.listener != node_)
    return "it wants another node";
  if (hello.purpose.sealed != uint32_t(sealed_))
    return sealed_ ? "it wants no encryption, and this run has it" : "it wants encryption, and this run has none";
  hello_ = hello;
  challenge_.nonce = make_nonce(sealed_, own_);
  challenge_.code = code_of(secret_, hello_, challenge_);
  return nullptr;
}

std::optional<seal::KeyPair> Listener::keys() const {
  const auto keys = agree(secret_, hello_, challenge_, own_, hello_.nonce);
  return keys ? std::optional(seal::KeyPair{keys->to_opener, keys->to_listener}) : std::nullopt;
}

bool Listener::accept(const Proof& proof) const {
  return equal(proof.code, code_of_proof(secret_, hello_, challenge_));
}

} // namespace hetmp::launch
