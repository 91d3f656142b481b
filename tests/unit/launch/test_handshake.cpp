// Two processes make sure of each other: whoever knows the secret succeeds, and whatever was changed, repeated or meant for
// somebody else fails.
#include "runtime/launch/handshake.hpp"

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

template <class Message>
Message changed(Message message, size_t byte, uint8_t by) {
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

} // namespace
} // namespace hetmp::launch
