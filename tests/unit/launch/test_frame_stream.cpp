// The connection between launcher and agent, in the open and then sealed.
#include "runtime/launch/connection/frame_stream.hpp"

#include <gtest/gtest.h>

#include <string>

namespace hetmp::launch {
namespace {

using End = FrameStream::End;

class FrameStreamTest : public testing::Test {
 protected:
  void seal_both() {
    ASSERT_TRUE(launcher.seal_with(secret));
    ASSERT_TRUE(agent.seal_with(secret));
  }
  /// What comes out of one frame's way there, in pieces.
  static void expect_arrives(FrameStream& from, FrameStream& to, FrameKind kind, const std::string& bytes,
                             size_t piece) {
    const std::string wire = from.encode(kind, bytes);
    for (size_t at = 0; at < wire.size(); at += piece) {
      EXPECT_FALSE(to.next());
      to.add(std::string_view(wire).substr(at, piece));
    }
    const auto frame = to.next();
    ASSERT_TRUE(frame);
    EXPECT_EQ(frame->kind, kind);
    EXPECT_EQ(frame->bytes, bytes);
    EXPECT_FALSE(to.next());
    EXPECT_FALSE(to.broken());
  }

  const Secret secret = random_secret();
  FrameStream launcher{End::Launchers, agent_greeting}, agent{End::Agents};
};

TEST_F(FrameStreamTest, InTheOpenItIsTheFramesAlone) {
  EXPECT_EQ(launcher.encode(FrameKind::Input, "abc"), encode(FrameKind::Input, "abc"));
  EXPECT_EQ(agent.encode(FrameKind::Output, ""), encode(FrameKind::Output, ""));
}

TEST_F(FrameStreamTest, FramesArriveSealedInWhateverPieces) {
  launcher.add(agent_greeting);
  seal_both();
  for (const size_t size : {size_t(0), size_t(1), size_t(1000), size_t(70'000), largest_frame_bytes})
    for (const size_t piece : {size_t(997), size_t(1) << 30}) {
      const std::string bytes(size, 'x');
      expect_arrives(launcher, agent, FrameKind::Input, bytes, piece);
      expect_arrives(agent, launcher, FrameKind::Output, bytes, piece);
    }
}

TEST_F(FrameStreamTest, NothingIsToBeSeen) {
  seal_both();
  const std::string marker = "do not read this";
  EXPECT_EQ(launcher.encode(FrameKind::Input, marker).find(marker), std::string::npos);
  EXPECT_EQ(agent.encode(FrameKind::Output, marker).find(marker), std::string::npos);
}

TEST_F(FrameStreamTest, WhatComesInOnePieceWithTheLastOpenFrameIsSealedAlready) {
  std::string wire = launcher.encode(FrameKind::Seal, "secret");
  ASSERT_TRUE(launcher.seal_with(secret));
  wire += launcher.encode(FrameKind::Order, "one");
  wire += launcher.encode(FrameKind::Start, "two");
  agent.add(wire);
  const auto open = agent.next();
  ASSERT_TRUE(open);
  EXPECT_EQ(open->kind, FrameKind::Seal);
  ASSERT_TRUE(agent.seal_with(secret));
  for (const char* bytes : {"one", "two"}) {
    const auto frame = agent.next();
    ASSERT_TRUE(frame);
    EXPECT_EQ(frame->bytes, bytes);
  }
  EXPECT_FALSE(agent.broken());
}

TEST_F(FrameStreamTest, WhatWasChangedOrIsOpenOrComesBackIsRefused) {
  seal_both();
  const std::string wire = launcher.encode(FrameKind::Order, "bytes");
  for (size_t byte = 0; byte < wire.size(); ++byte) {
    FrameStream fresh(End::Agents);
    ASSERT_TRUE(fresh.seal_with(secret));
    std::string changed = wire;
    changed[byte] ^= 1;
    fresh.add(changed + std::string(200'000, '\0'));
    EXPECT_FALSE(fresh.next()) << byte;
    EXPECT_TRUE(fresh.changed() && fresh.broken()) << byte;
  }
  FrameStream not_sealed(End::Launchers);
  agent.add(not_sealed.encode(FrameKind::Signal, "{}") + std::string(200'000, '\0'));
  EXPECT_TRUE(agent.changed());
  launcher.add(wire); // its own
  EXPECT_TRUE(launcher.changed());
}

TEST_F(FrameStreamTest, ASealedStreamOfNoFramesIsBrokenAndNotChanged) {
  seal_both();
  std::string wire = launcher.encode(FrameKind(77), "x");
  agent.add(wire);
  EXPECT_FALSE(agent.next());
  EXPECT_TRUE(agent.broken());
  EXPECT_FALSE(agent.changed());
}

} // namespace
} // namespace hetmp::launch
