// Frames between launcher and agents: whole and in order however the stream is cut, after whatever a login writes
// first.
#include "runtime/launch/connection/frames.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace hetmp::launch {
namespace {

struct Outcome {
  std::vector<std::pair<FrameKind, std::string>> frames;
  bool broken = false;
  bool greeted = true;
  bool operator==(const Outcome&) const = default;
};

template <class Piece> Outcome read_in_pieces(const std::string& stream, std::string_view greeting, Piece&& piece) {
  FrameDecoder decoder(greeting);
  Outcome outcome;
  for (size_t at = 0; at < stream.size();) {
    const size_t count = std::min(piece(), stream.size() - at);
    decoder.add(std::string_view(stream).substr(at, count));
    at += count;
    while (const auto frame = decoder.next()) {
      EXPECT_FALSE(outcome.broken) << "a frame after the end of the stream";
      outcome.frames.emplace_back(frame->kind, frame->bytes);
    }
    outcome.broken |= decoder.broken();
  }
  outcome.greeted = decoder.greeted();
  return outcome;
}

const auto bytewise = [] { return size_t(1); };
const auto at_once = [] { return size_t(1) << 30; };

Outcome expect_same_however_cut(const std::string& stream, std::string_view greeting = {}) {
  const Outcome whole = read_in_pieces(stream, greeting, at_once);
  std::mt19937 random(uint32_t(stream.size()));
  for (const size_t longest : {2, 7, 100, 5000})
    EXPECT_TRUE(whole == read_in_pieces(stream, greeting, [&] { return 1 + random() % longest; })) << longest;
  return whole;
}

constexpr FrameKind kinds[] = {FrameKind::Ready, FrameKind::Card,  FrameKind::Output, FrameKind::Error,
                               FrameKind::Exit,  FrameKind::Taken, FrameKind::Words,  FrameKind::Order,
                               FrameKind::Start, FrameKind::Input, FrameKind::Signal, FrameKind::Seal};

TEST(Frames, EveryKindAndSizeArrives) {
  std::string stream;
  Outcome expected;
  for (const FrameKind kind : kinds)
    for (const size_t size : {size_t(0), size_t(1), size_t(255), size_t(256), size_t(65536)}) {
      std::string bytes(size, '\0');
      for (size_t i = 0; i < size; ++i)
        bytes[i] = char(i * 7 + size_t(kind));
      stream += encode(kind, bytes);
      expected.frames.emplace_back(kind, bytes);
    }
  EXPECT_TRUE(expect_same_however_cut(stream) == expected);
  EXPECT_TRUE(read_in_pieces(stream.substr(0, 3000), {}, bytewise) ==
              read_in_pieces(stream.substr(0, 3000), {}, at_once));
}

TEST(Frames, LengthsAreLittleEndianOnEveryMachine) {
  const std::string text = encode(FrameKind::Output, std::string(0x010203, 'x'));
  EXPECT_EQ(text.substr(0, 5), std::string("\x03\x03\x02\x01\x00", 5));
  EXPECT_EQ(text.size(), 5u + 0x010203);
}

TEST(Frames, TheLargestFrameArrivesAndALargerOneEndsTheStream) {
  const std::string largest = encode(FrameKind::Output, std::string(largest_frame_bytes, 'x'));
  FrameDecoder decoder;
  decoder.add(largest);
  const auto frame = decoder.next();
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->bytes.size(), largest_frame_bytes);
  EXPECT_FALSE(decoder.broken());
  // Its length alone is enough: nobody waits for the rest.
  decoder.add(encode(FrameKind::Output, std::string(largest_frame_bytes + 1, 'x')).substr(0, 5));
  EXPECT_FALSE(decoder.next());
  EXPECT_TRUE(decoder.broken());
}

TEST(Frames, EveryUnknownKindEndsTheStream) {
  for (int kind = 0; kind < 256; ++kind) {
    const bool known = kind >= int(FrameKind::Ready) && kind <= int(last_frame_kind);
    const std::string stream =
        encode(FrameKind::Card, "a") + encode(FrameKind(kind), "b") + encode(FrameKind::Exit, "c");
    const Outcome outcome = expect_same_however_cut(stream);
    EXPECT_EQ(outcome.broken, !known) << kind;
    EXPECT_EQ(outcome.frames.size(), known ? 3u : 1u) << kind;
  }
}

TEST(Frames, ATruncatedStreamGivesTheFramesBeforeTheCut) {
  const std::string stream =
      encode(FrameKind::Ready, "one") + encode(FrameKind::Input, "") + encode(FrameKind::Exit, "two");
  for (size_t length = 0; length < stream.size(); ++length) {
    const Outcome outcome = read_in_pieces(stream.substr(0, length), {}, at_once);
    EXPECT_EQ(outcome.frames.size(), length < 8 ? 0u : length < 13 ? 1u : 2u) << length;
    EXPECT_FALSE(outcome.broken);
  }
}

TEST(Frames, NothingIsAFrameBeforeTheGreeting) {
  FrameDecoder decoder(agent_greeting);
  EXPECT_FALSE(decoder.greeted());
  decoder.add(encode(FrameKind::Ready, "x"));
  EXPECT_FALSE(decoder.next());
  EXPECT_EQ(decoder.unread(), encode(FrameKind::Ready, "x"));
}

TEST(Frames, WhatALoginWritesIsSkipped) {
  const std::string greeting(agent_greeting);
  const std::string frames = encode(FrameKind::Ready, "{}") + encode(FrameKind::Card, "x");
  for (const std::string& login : {
           std::string(), std::string("Welcome!\nYou have mail.\n"), std::string(1000, '\xff'),
           greeting.substr(0, greeting.size() - 1) + "0\n",          // nearly one
           greeting.substr(0, 7) + greeting.substr(0, 9) + '\n',     // beginnings of one
           std::string("\x01\x00\x00\x00\x00", 5) + "hetmp-agent-1", // a frame, by chance
       }) {
    const Outcome outcome = expect_same_however_cut(login + greeting + frames, agent_greeting);
    EXPECT_TRUE(outcome.greeted);
    EXPECT_FALSE(outcome.broken);
    ASSERT_EQ(outcome.frames.size(), 2u) << login;
    EXPECT_EQ(outcome.frames[0].second, "{}");
    EXPECT_TRUE(read_in_pieces(login + greeting + frames, agent_greeting, bytewise) == outcome);
  }
}

TEST(Frames, AGreetingInTwoPieces) {
  const std::string stream = std::string(agent_greeting) + encode(FrameKind::Ready, "{}");
  for (size_t cut = 0; cut <= stream.size(); ++cut) {
    FrameDecoder decoder(agent_greeting);
    decoder.add(stream.substr(0, cut));
    decoder.add(stream.substr(cut));
    EXPECT_TRUE(decoder.greeted());
    EXPECT_TRUE(decoder.next()) << cut;
  }
}

TEST(Frames, AGreetingAfterTheFirstIsContent) {
  const std::string bytes(agent_greeting);
  const Outcome outcome =
      expect_same_however_cut(bytes + encode(FrameKind::Output, bytes) + encode(FrameKind::Exit, "{}"), agent_greeting);
  ASSERT_EQ(outcome.frames.size(), 2u);
  EXPECT_EQ(outcome.frames[0].second, bytes);
}

TEST(Frames, ALoginThatWritesForEverIsNoAgent) {
  constexpr size_t limit = size_t(64) << 10;
  const std::string frames = std::string(agent_greeting) + encode(FrameKind::Ready, "{}");
  for (const size_t noise : {limit - agent_greeting.size() - 1, limit - agent_greeting.size(), limit + 1, 3 * limit}) {
    const bool in_time = noise + agent_greeting.size() <= limit;
    const Outcome outcome = expect_same_however_cut(std::string(noise, 'z') + frames, agent_greeting);
    EXPECT_EQ(outcome.broken, !in_time) << noise;
    EXPECT_EQ(outcome.frames.size(), in_time ? 1u : 0u) << noise;
  }
}

TEST(Frames, ChangedStreamsAndNoiseAreReadTheSameHoweverTheyAreCut) {
  std::mt19937 random(7);
  size_t broken = 0, frames = 0;
  for (int i = 0; i < 5000 && !testing::Test::HasFailure(); ++i) {
    std::string stream = random() % 2 ? std::string(agent_greeting) : "";
    const std::string_view greeting = stream.empty() ? std::string_view() : agent_greeting;
    for (size_t k = 1 + random() % 5; k != 0; --k)
      stream += encode(kinds[random() % std::size(kinds)], std::string(random() % 300, char(random() % 12)));
    for (size_t changes = random() % 3; changes != 0; --changes) {
      const size_t at = random() % stream.size();
      if (random() % 2)
        stream[at] = char(random() % 12);
      else
        stream.erase(at, 1 + random() % 3);
      stream += char(random() % 12);
    }
    const Outcome outcome = expect_same_however_cut(stream, greeting);
    broken += outcome.broken;
    frames += outcome.frames.size();
  }
  EXPECT_GT(broken, 500u);
  EXPECT_GT(frames, 5000u);
}

} // namespace
} // namespace hetmp::launch
