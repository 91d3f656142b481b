// How two processes of one run make sure of each other before any other byte between them is believed: both prove that
// they know the run's secret, for this very connection. Three messages of fixed size:
//
//   hello      opener -> listener   who I am, whom and which lane I want, a nonce; under the secret's code
//   challenge  listener -> opener   a nonce of my own; under a code of both
//   proof      opener -> listener   a code of all that
//
// A stranger fails at the hello; so does garbage. A replayed hello fails at the proof, which depends on the listener's fresh
// nonce; a replayed challenge depends on the opener's. Codes are HMAC-SHA-512-256 (libsodium's crypto_auth) with a label for
// each message, so that none can stand for another.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

namespace hetmp::launch {

using Secret = std::array<uint8_t, 32>;
using Nonce = std::array<uint8_t, 32>;
using Code = std::array<uint8_t, 32>;

/// What a connection is for. Plain numbers in the byte order of the machines, which all nodes of a run share; a different
/// order shows as an unknown version.
struct Purpose {
  uint32_t opener = 0;   ///< node numbers
  uint32_t listener = 0;
  uint32_t lane = 0;
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
static_assert(sizeof(Hello) == 88 && sizeof(Challenge) == 64 && sizeof(Proof) == 32);

/// Before anything else here is used; again does no harm. False if there is no source of random numbers.
bool start_cryptography();

/// Starts it, too; ends the program if that is impossible.
Secret random_secret();

/// The side that connects.
class Opener {
public:
  Opener(const Secret& secret, Purpose purpose);
  const Hello& hello() const { return hello_; }
  /// The answer to a challenge; nothing if it does not come from one who knows the secret.
  std::optional<Proof> answer(const Challenge& challenge) const;

private:
  const Secret& secret_;
  Hello hello_;
};

/// The side that is connected to.
class Listener {
public:
  Listener(const Secret& secret, uint32_t node);
  /// Null if the hello is right, then challenge() is to be sent; otherwise what is wrong with it, a short phrase.
  const char* check(const Hello& hello);
  const Challenge& challenge() const { return challenge_; }
  bool accept(const Proof& proof) const;
  const Purpose& purpose() const { return hello_.purpose; }

private:
  const Secret& secret_;
  uint32_t node_;
  Hello hello_{};
  Challenge challenge_{};
};

} // namespace hetmp::launch
