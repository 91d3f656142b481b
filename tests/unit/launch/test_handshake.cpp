// Two processes make sure of each other: whoever knows the secret succeeds, and whatever was changed, repeated or meant
// for somebody else fails.
#include "runtime/launch/connection/handshake.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <set>
#include <string>

namespace hetmp::launch {
namespace {

constexpr Purpose purpose{3, 1, 1};

class HandshakeTest : public testing::Test {
 protected:
  const Secret secret = random_secret();
  const Secret other_secret = random_secret();
};

template <class Message> Message changed(Message message, size_t byte, uint8_t by) {
  uint8_t bytes[sizeof message];
  memcpy(bytes, &message, sizeof message);
  bytes[byte] ^= by;
  memcpy(&message, bytes, sizeof message);
  return message;
}

constexpr uint8_t differences[] = {0x01, 0x80, 0xff};

TEST_F(HandshakeTest, WhoKnowsTheSecretSucceeds) {
  const Opener opener(secret, purpose);
  Listener listener(secret, 1);
  ASSERT_EQ(listener.check(opener.hello()), nullptr);
  EXPECT_TRUE(listener.purpose() == purpose);
  const auto proof = opener.answer(listener.challenge());
  ASSERT_TRUE(proof);
  EXPECT_TRUE(listener.accept(*proof));
}

TEST_F(HandshakeTest, SecretsAndNoncesAreFresh) {
  std::set<Secret> secrets;
  std::set<Nonce> nonces;
  for (int i = 0; i < 100; ++i) {
    secrets.insert(random_secret());
    const Opener opener(secret, purpose);
    nonces.insert(opener.hello().nonce);
    Listener listener(secret, 1);
    ASSERT_EQ(listener.check(opener.hello()), nullptr);
    nonces.insert(listener.challenge().nonce);
  }
  EXPECT_EQ(secrets.size(), 100u);
  EXPECT_EQ(nonces.size(), 200u);
}

TEST_F(HandshakeTest, AStrangersHelloIsRefused) {
  const Opener stranger(other_secret, purpose);
  Listener listener(secret, 1);
  EXPECT_STREQ(listener.check(stranger.hello()), "it does not know this run's secret");
}

TEST_F(HandshakeTest, AStrangersChallengeIsNotAnswered) {
  const Opener opener(secret, purpose);
  // It cannot even read the hello's code, so it makes a challenge of its own hello.
  const Opener own(other_secret, purpose);
  Listener stranger(other_secret, 1);
  ASSERT_EQ(stranger.check(own.hello()), nullptr);
  EXPECT_FALSE(opener.answer(stranger.challenge()));
}

TEST_F(HandshakeTest, AHelloForAnotherNodeIsRefused) {
  const Opener opener(secret, purpose);
  for (const uint32_t node : {0u, 2u, 3u, 63u, 0xffffffffu}) {
    Listener listener(secret, node);
    EXPECT_STREQ(listener.check(opener.hello()), "it wants another node");
  }
}

TEST_F(HandshakeTest, EveryChangedByteOfAHelloIsRefused) {
  const Opener opener(secret, purpose);
  for (size_t byte = 0; byte < sizeof(Hello); ++byte)
    for (const uint8_t by : differences) {
      Listener listener(secret, 1);
      const char* wrong = listener.check(changed(opener.hello(), byte, by));
      ASSERT_NE(wrong, nullptr) << byte;
      EXPECT_STREQ(wrong, byte < offsetof(Hello, version)   ? "it is not a node of hetmp"
                          : byte < offsetof(Hello, purpose) ? "it is another version of hetmp"
                                                            : "it does not know this run's secret")
          << byte;
    }
}

TEST_F(HandshakeTest, EveryChangedByteOfAChallengeIsRefused) {
  const Opener opener(secret, purpose);
  Listener listener(secret, 1);
  ASSERT_EQ(listener.check(opener.hello()), nullptr);
  for (size_t byte = 0; byte < sizeof(Challenge); ++byte)
    for (const uint8_t by : differences)
      EXPECT_FALSE(opener.answer(changed(listener.challenge(), byte, by))) << byte;
  EXPECT_TRUE(opener.answer(listener.challenge()));
}

TEST_F(HandshakeTest, EveryChangedByteOfAProofIsRefused) {
  const Opener opener(secret, purpose);
  Listener listener(secret, 1);
  ASSERT_EQ(listener.check(opener.hello()), nullptr);
  const auto proof = opener.answer(listener.challenge());
  ASSERT_TRUE(proof);
  for (size_t byte = 0; byte < sizeof(Proof); ++byte)
    for (const uint8_t by : differences)
      EXPECT_FALSE(listener.accept(changed(*proof, byte, by))) << byte;
  EXPECT_TRUE(listener.accept(*proof));
}

TEST_F(HandshakeTest, AReplayedHelloHelpsNobody) {
  const Opener opener(secret, purpose);
  Listener first(secret, 1);
  ASSERT_EQ(first.check(opener.hello()), nullptr);
  const auto proof = opener.answer(first.challenge());
  ASSERT_TRUE(proof);
  ASSERT_TRUE(first.accept(*proof));

  Listener second(secret, 1); // the same bytes again
  ASSERT_EQ(second.check(opener.hello()), nullptr);
  EXPECT_NE(second.challenge().nonce, first.challenge().nonce);
  EXPECT_NE(second.challenge().code, first.challenge().code);
  EXPECT_FALSE(second.accept(*proof));
}

TEST_F(HandshakeTest, AReplayedChallengeIsNotAnswered) {
  const Opener before(secret, purpose);
  Listener listener(secret, 1);
  ASSERT_EQ(listener.check(before.hello()), nullptr);
  const Opener now(secret, purpose);
  EXPECT_FALSE(now.answer(listener.challenge()));
}

TEST_F(HandshakeTest, NoCodeStandsForAnother) {
  const Opener opener(secret, purpose);
  Listener listener(secret, 1);
  ASSERT_EQ(listener.check(opener.hello()), nullptr);
  // What a man in the middle has seen by now, as the proof that it wants to give.
  EXPECT_FALSE(listener.accept(Proof{opener.hello().code}));
  EXPECT_FALSE(listener.accept(Proof{listener.challenge().code}));
  // And the hello's code as the challenge's.
  Challenge challenge = listener.challenge();
  challenge.code = opener.hello().code;
  EXPECT_FALSE(opener.answer(challenge));
}

TEST_F(HandshakeTest, AProofOfAnotherPurposeIsNone) {
  const Opener one(secret, {3, 1, 0}), other(secret, {3, 1, 1});
  Listener of_one(secret, 1), of_other(secret, 1);
  ASSERT_EQ(of_one.check(one.hello()), nullptr);
  ASSERT_EQ(of_other.check(other.hello()), nullptr);
  const auto proof = other.answer(of_other.challenge());
  ASSERT_TRUE(proof);
  EXPECT_FALSE(of_one.accept(*proof));
  EXPECT_FALSE(one.answer(of_other.challenge()));
}

// --- sealed connections

constexpr Purpose sealed_purpose{3, 1, 1, 1};

/// Both ends' keys after a handshake; fails the test if that does not succeed.
std::pair<seal::KeyPair, seal::KeyPair> shake_hands(const Secret& secret, const Purpose& purpose) {
  const Opener opener(secret, purpose);
  Listener listener(secret, purpose.listener, true);
  EXPECT_EQ(listener.check(opener.hello()), nullptr);
  const auto proof = opener.answer(listener.challenge());
  EXPECT_TRUE(proof && listener.accept(*proof));
  const auto openers = opener.keys(listener.challenge()), listeners = listener.keys();
  EXPECT_TRUE(openers && listeners);
  return {openers.value_or(seal::KeyPair{}), listeners.value_or(seal::KeyPair{})};
}

TEST_F(HandshakeTest, BothEndsHaveTheSameKeys) {
  const auto [openers, listeners] = shake_hands(secret, sealed_purpose);
  EXPECT_EQ(openers.send, listeners.receive);
  EXPECT_EQ(openers.receive, listeners.send);
}

TEST_F(HandshakeTest, KeysDifferByDirectionLaneNodeConnectionAndRun) {
  std::set<seal::Key> keys;
  size_t made = 0;
  for (const Secret& each : {secret, other_secret})
    for (const Purpose& purpose : {Purpose{3, 1, 0, 1}, Purpose{3, 1, 1, 1}, Purpose{2, 1, 0, 1}, Purpose{3, 0, 0, 1}})
      for (int again = 0; again < 3; ++again, made += 2) {
        const seal::KeyPair pair = shake_hands(each, purpose).first;
        keys.insert(pair.send);
        keys.insert(pair.receive);
      }
  EXPECT_EQ(keys.size(), made);
}

TEST_F(HandshakeTest, WhoHasOnlyListenedHasNoKeysEvenWithTheSecret) {
  const Opener opener(secret, sealed_purpose);
  Listener listener(secret, 1, true);
  ASSERT_EQ(listener.check(opener.hello()), nullptr);
  const seal::Key key = opener.keys(listener.challenge())->send;
  // It can answer for itself, but then the public keys are its own.
  const Opener late(secret, sealed_purpose);
  Listener later(secret, 1, true);
  ASSERT_EQ(later.check(opener.hello()), nullptr);
  EXPECT_NE(late.keys(listener.challenge())->send, key);
  EXPECT_NE(later.keys()->receive, key);
}

TEST_F(HandshakeTest, SealingIsNotToBeSwitchedOnOrOffOnTheWay) {
  for (const uint32_t wanted : {0u, 1u}) {
    const Opener opener(secret, {3, 1, 1, wanted});
    Hello hello = opener.hello();
    hello.purpose.sealed = 1 - wanted;
    for (const bool sealed : {false, true}) {
      Listener listener(secret, 1, sealed);
      EXPECT_STREQ(listener.check(hello), "it does not know this run's secret");
    }
    Listener other(secret, 1, wanted == 0);
    EXPECT_STREQ(other.check(opener.hello()), wanted == 0 ? "it wants no encryption, and this run has it"
                                                          : "it wants encryption, and this run has none");
  }
  const Opener neither(secret, {3, 1, 1, 2});
  for (const bool sealed : {false, true})
    EXPECT_NE(Listener(secret, 1, sealed).check(neither.hello()), nullptr);
}

TEST_F(HandshakeTest, APublicKeyThatIsNoneGivesNoKeys) {
  const Opener opener(secret, sealed_purpose);
  Challenge challenge{};
  EXPECT_FALSE(opener.keys(challenge)); // the point at zero, whose product is known to everybody
}

TEST_F(HandshakeTest, TheKeysWithAnAgentBelongTogether) {
  const seal::KeyPair launchers = keys_with_agent(secret, true), agents = keys_with_agent(secret, false);
  EXPECT_EQ(launchers.send, agents.receive);
  EXPECT_EQ(launchers.receive, agents.send);
  EXPECT_NE(launchers.send, launchers.receive);
  EXPECT_NE(launchers.send, keys_with_agent(other_secret, true).send);
}

} // namespace
} // namespace hetmp::launch
