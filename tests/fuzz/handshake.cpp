// A libFuzzer target: two processes make sure of each other, and somebody on the way changes, repeats and invents
// messages. The input says how: of each message a pattern that it is changed by, or bytes in its place. It is a fault,
// besides what the sanitizers find, when anything but the very messages is accepted, when those are not, or when the
// two ends do not get the same keys.
#include "runtime/launch/connection/handshake.hpp"
#include "tests/fuzz/check.hpp"

#include <algorithm>
#include <cstring>
#include <sodium.h>

using namespace hetmp;
using fuzz::check;

namespace {

// Numbers that follow from the input, so that it does the same each time, and that no other input has: libFuzzer
// remembers what was compared with what, and would bring to one connection what was right in another.
uint32_t state = 1;
const char* name_of_source() { return "fuzzing"; }
uint32_t next_number() { return state = state * 1664525 + 1013904223; }
void fill(void* bytes, size_t count) {
  for (size_t i = 0; i < count; ++i)
    static_cast<uint8_t*>(bytes)[i] = uint8_t(next_number() >> 24);
}
randombytes_implementation repeatable = {name_of_source, next_number, nullptr, nullptr, fill, nullptr};

class Input {
 public:
  Input(const uint8_t* data, size_t size) : text_(fuzz::text_of(data, size)) {}
  uint8_t byte() {
    const uint8_t value = text_.empty() ? 0 : uint8_t(text_[0]);
    text_.remove_prefix(text_.empty() ? 0 : 1);
    return value;
  }
  /// What somebody on the way makes of a message: the same, a part of it changed, or bytes of his own. `earlier`: one
  /// that he has seen.
  template <class Message> Message on_the_way(const Message& sent, const Message& earlier) {
    uint8_t bytes[sizeof(Message)];
    memcpy(bytes, &sent, sizeof bytes);
    switch (byte() % 4) {
    case 1:
      for (uint8_t changes = byte() % 4 + 1; changes != 0; --changes)
        bytes[byte() % sizeof bytes] ^= byte();
      break;
    case 2:
      for (uint8_t& each : bytes)
        each = byte();
      break;
    case 3:
      memcpy(bytes, &earlier, sizeof bytes);
      break;
    default:
      break;
    }
    Message received;
    memcpy(&received, bytes, sizeof bytes);
    return received;
  }

 private:
  std::string_view text_;
};

template <class Message> bool same(const Message& a, const Message& b) { return memcmp(&a, &b, sizeof a) == 0; }

struct Ends {
  Ends(const launch::Secret& openers, const launch::Secret& listeners, launch::Purpose purpose)
      : opener(openers, purpose), listener(listeners, 1, purpose.sealed == 1) {}
  launch::Opener opener;
  launch::Listener listener;
};

} // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  randombytes_set_implementation(&repeatable);
  check(launch::start_cryptography(), "no cryptography");
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Input input(data, size);
  state = uint32_t(fuzz::number_of(data, size));
  const launch::Secret secret = launch::random_secret(), other = launch::random_secret();
  const uint8_t kind = input.byte();
  const bool knows_secret = (kind & 1) == 0;
  const launch::Purpose purpose{3, 1, uint32_t(kind >> 2 & 1), uint32_t(kind >> 1 & 1)};
  Ends earlier(secret, secret, purpose), now(knows_secret ? secret : other, secret, purpose);

  check(earlier.listener.check(earlier.opener.hello()) == nullptr, "a right hello is refused");
  const auto earlier_proof = earlier.opener.answer(earlier.listener.challenge());
  check(earlier_proof && earlier.listener.accept(*earlier_proof), "a right handshake fails");

  const launch::Hello hello = input.on_the_way(now.opener.hello(), earlier.opener.hello());
  const bool fresh = same(hello, now.opener.hello()), repeated = same(hello, earlier.opener.hello());
  const bool welcome = now.listener.check(hello) == nullptr;
  check(welcome == ((fresh && knows_secret) || repeated), "a hello is taken for what it is not");
  if (!welcome)
    return 0;

  const launch::Challenge challenge = input.on_the_way(now.listener.challenge(), earlier.listener.challenge());
  const auto answered = now.opener.answer(challenge);
  check(answered.has_value() == (fresh && same(challenge, now.listener.challenge())),
        "a challenge is taken for what it is not");

  const launch::Proof right = answered.value_or(*earlier_proof);
  const launch::Proof proof = input.on_the_way(right, *earlier_proof);
  const bool accepted = now.listener.accept(proof);
  check(accepted == (answered && same(proof, right)), "a proof is taken for what it is not");
  if (!accepted || !purpose.sealed)
    return 0;
  const auto here = now.opener.keys(challenge), there = now.listener.keys();
  check(here && there && here->send == there->receive && here->receive == there->send && here->send != here->receive,
        "keys that do not fit");
  return 0;
}
