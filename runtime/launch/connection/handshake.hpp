// How two processes of one run make sure of each other before any other byte between them is believed: both prove that
// they know the run's secret, for this very connection. Three messages of fixed size:
//
//   hello      opener -> listener   who I am, whom and which lane I want, a nonce; under the secret's code
//   challenge  listener -> opener   a nonce of my own; under a code of both
//   proof      opener -> listener   a code of all that
//
// A stranger fails at the hello; so does garbage. A replayed hello fails at the proof, which depends on the listener's
// fresh nonce; a replayed challenge depends on the opener's. Codes are HMAC-SHA-512-256 (libsodium's crypto_auth) with
// a label for each message, so that none can stand for another.
//
// Whether the connection is to be sealed is part of the hello, so that nobody can switch that off on the way. If it is,
// the nonces are fresh public keys (X25519), and each direction gets a key of its own: keyed BLAKE2b (libsodium's
// crypto_generichash) of a label for the direction, of the first two messages and of what the public keys' owners alone
// can work out, under the secret. So no two connections have a key in common, what was recorded of one means nothing to
// another, and who has only listened cannot read it even if the secret comes to light: under mpirun it crosses the
// launcher's own wires.
#pragma once

#include "base/seal/cipher.hpp"

#include <array>
#include <cstdint>
#include <optional>

namespace hetmp::launch {

using Secret = std::array<uint8_t, 32>;
using Nonce = std::array<uint8_t, 32>;
using Code = std::array<uint8_t, 32>;

/// What a connection is for. Plain numbers in the byte order of the machines, which all nodes of a run share; a
/// different order shows as an unknown version.
struct Purpose {
  uint32_t opener = 0; ///< node numbers
  uint32_t listener = 0;
  uint32_t lane = 0;
  uint32_t sealed = 0; ///< 1: it is to carry sealed records once the handshake is over
  bool operator==(const Purpose&) const = default;
};

struct Hello {
  std::array<uint8_t, 8> magic;
  uint32_t version;
  Purpose purpose;
  Nonce nonce;
  Code code;
};
struct Challenge {
  Nonce nonce;
  Code code;
};
struct Proof {
  Code code;
};
static_assert(sizeof(Hello) == 92 && sizeof(Challenge) == 64 && sizeof(Proof) == 32);

/// Before anything else here is used; again does no harm. False if there is no source of random numbers.
bool start_cryptography();

/// Starts it, too; ends the program if that is impossible.
Secret random_secret();

/// The keys of a launcher's connection with one agent, for which `secret` was made: of the launcher's end or of the
/// agent's.
seal::KeyPair keys_with_agent(const Secret& secret, bool launchers_end);

/// The side that connects.
class Opener {
 public:
  Opener(const Secret& secret, Purpose purpose);
  ~Opener() { explicit_bzero(own_.data(), own_.size()); }
  Opener(const Opener&) = delete;
  Opener& operator=(const Opener&) = delete;
  const Hello& hello() const { return hello_; }
  /// The answer to a challenge; nothing if it does not come from one who knows the secret.
  std::optional<Proof> answer(const Challenge& challenge) const;
  /// Of a sealed connection, after a challenge that was answered: the keys of this end. Nothing if the other end's
  /// public key is none.
  std::optional<seal::KeyPair> keys(const Challenge& challenge) const;

 private:
  const Secret& secret_;
  seal::Key own_{}; ///< belongs to the nonce
  Hello hello_;
};

/// The side that is connected to.
class Listener {
 public:
  /// `sealed`: whether the run's connections are.
  Listener(const Secret& secret, uint32_t node, bool sealed = false);
  ~Listener() { explicit_bzero(own_.data(), own_.size()); }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  /// Null if the hello is right, then challenge() is to be sent; otherwise what is wrong with it, a short phrase.
  const char* check(const Hello& hello);
  const Challenge& challenge() const { return challenge_; }
  bool accept(const Proof& proof) const;
  /// Of a sealed connection, after a proof that was accepted: the keys of this end. Nothing if the other end's public
  /// key is none.
  std::optional<seal::KeyPair> keys() const;
  const Purpose& purpose() const { return hello_.purpose; }

 private:
  const Secret& secret_;
  uint32_t node_;
  bool sealed_;
  seal::Key own_{}; ///< belongs to the nonce
  Hello hello_{};
  Challenge challenge_{};
};

} // namespace hetmp::launch
