// Messages out of a stream of bytes: the same however it is cut into pieces, and nothing once it cannot be a stream of
// messages. What the reader gives is compared with a second, simpler one that has the whole stream at once.
#include "dsm/transport/frame_check.hpp"
#include "dsm/transport/frame_reader.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace hetmp::dsm {
namespace {

using Bytes = std::vector<uint8_t>;

struct Message {
  SlotHeader header;
  Bytes data;
  bool operator==(const Message& other) const {
    return memcmp(&header, &other.header, sizeof header) == 0 && data == other.data;
  }
};

struct Outcome {
  std::vector<Message> messages;
  bool broken = false;
};

void append(Bytes& stream, const void* bytes, size_t count) {
  stream.insert(stream.end(), static_cast<const uint8_t*>(bytes), static_cast<const uint8_t*>(bytes) + count);
}

Message make_message(std::mt19937& random, size_t data_bytes) {
  Message message;
  message.header.channel = Channel(random() % (uint32_t(last_channel) + 1));
  message.header.header_bytes = uint16_t(random() % (sizeof message.header.message + 1));
  message.header.data_bytes = uint32_t(data_bytes);
  for (uint8_t& byte : message.header.message)
    byte = uint8_t(random());
  message.data.resize(data_bytes);
  for (uint8_t& byte : message.data)
    byte = uint8_t(random());
  return message;
}

void append(Bytes& stream, const Message& message) {
  append(stream, &message.header, sizeof message.header);
  append(stream, message.data.data(), message.data.size());
  stream.resize(stream.size() + frame_bytes(message.data.size()) - sizeof(SlotHeader) - message.data.size());
}

/// What is in a stream by the description of the format alone.
Outcome read_whole(const Bytes& stream) {
  Outcome outcome;
  for (size_t at = 0; stream.size() - at >= sizeof(SlotHeader);) {
    Message message;
    memcpy(&message.header, &stream[at], sizeof message.header);
    outcome.broken = uint16_t(message.header.channel) > 2 ||
                     message.header.header_bytes > sizeof message.header.message || message.header.data_bytes > 262144;
    const size_t frame = 64 + (message.header.data_bytes + size_t(7)) / 8 * 8;
    if (outcome.broken || stream.size() - at < frame)
      break;
    append(message.data, stream.data() + at + 64, message.header.data_bytes);
    outcome.messages.push_back(message);
    at += frame;
  }
  return outcome;
}

/// `piece()` says how many bytes come next; the reader may have room for fewer.
template <class Piece> Outcome read_in_pieces(const Bytes& stream, Piece&& piece, size_t buffer_bytes = 0) {
  FrameReader reader(buffer_bytes);
  Outcome outcome;
  for (size_t at = 0; at < stream.size();) {
    if (reader.room_bytes() == 0) {
      ADD_FAILURE() << "no room";
      break;
    }
    const size_t count = std::min({piece(), reader.room_bytes(), stream.size() - at});
    memcpy(reader.room(), &stream[at], count);
    reader.filled(count);
    at += count;
    while (const auto slot = reader.next()) {
      EXPECT_FALSE(outcome.broken) << "a message after the end of the stream";
      Message message{slot->header, {}};
      append(message.data, slot->data, slot->header.data_bytes);
      outcome.messages.push_back(message);
    }
    outcome.broken |= reader.broken();
  }
  return outcome;
}

const auto bytewise = [] { return size_t(1); };
const auto at_once = [] { return size_t(1) << 30; };

/// Every manner of cutting gives what the whole stream holds.
void expect_same_however_cut(const Bytes& stream, uint32_t seed) {
  const Outcome expected = read_whole(stream);
  std::mt19937 random(seed);
  const size_t longest = 1 + random() % (random() % 2 ? 100 : 10'000);
  const auto randomly = [&] { return 1 + random() % longest; };
  const auto check = [&](const Outcome& outcome, const char* how) {
    EXPECT_EQ(outcome.messages.size(), expected.messages.size()) << how << ", seed " << seed;
    EXPECT_TRUE(outcome.messages == expected.messages) << how << ", seed " << seed;
    EXPECT_EQ(outcome.broken, expected.broken) << how << ", seed " << seed;
  };
  check(read_in_pieces(stream, at_once), "in pieces as large as the room");
  check(read_in_pieces(stream, randomly), "in random pieces");
  check(read_in_pieces(stream, randomly, random() % 40'000), "in random pieces, another buffer");
}

constexpr size_t sizes[] = {
    0, 1, 7, 8, 9, 63, 64, 65, page_bytes - 9, page_bytes - 8, page_bytes - 1, page_bytes, most_data_bytes};

TEST(FrameReader, EverySizeOfDataHoweverTheStreamIsCut) {
  std::mt19937 random(1);
  Bytes stream;
  std::vector<Message> messages;
  for (const size_t first : sizes)
    for (const size_t second : sizes)
      for (const size_t size : {first, second}) {
        messages.push_back(make_message(random, size));
        append(stream, messages.back());
      }
  for (size_t buffer : {size_t(0), largest_frame + 1, size_t(10'000), size_t(512) << 10}) {
    const Outcome outcome = read_in_pieces(stream, bytewise, buffer);
    EXPECT_TRUE(outcome.messages == messages) << "byte by byte, buffer of " << buffer;
    EXPECT_FALSE(outcome.broken);
    EXPECT_TRUE(read_in_pieces(stream, at_once, buffer).messages == messages) << "buffer of " << buffer;
  }
  for (uint32_t seed = 0; seed < 50; ++seed)
    expect_same_however_cut(stream, seed);
}

TEST(FrameReader, AFrameHasTheSizeOfItsHeaderAndWholeWords) {
  EXPECT_EQ(frame_bytes(0), 64u);
  EXPECT_EQ(frame_bytes(1), 72u);
  EXPECT_EQ(frame_bytes(8), 72u);
  EXPECT_EQ(frame_bytes(9), 80u);
  EXPECT_EQ(frame_bytes(page_bytes), 64u + page_bytes);
  EXPECT_EQ(largest_frame, 64u + most_data_bytes);
}

TEST(FrameReader, MessagesLieWhereTheyMayBeReadInPlace) {
  std::mt19937 random(2);
  Bytes stream;
  for (int i = 0; i < 100; ++i)
    append(stream, make_message(random, random() % 100));
  FrameReader reader(0);
  const size_t count = std::min(stream.size(), reader.room_bytes());
  memcpy(reader.room(), stream.data(), count);
  reader.filled(count);
  size_t read = 0;
  for (; const auto slot = reader.next(); ++read)
    EXPECT_EQ(reinterpret_cast<uintptr_t>(slot->data) % frame_alignment, 0u);
  EXPECT_GT(read, 10u);
}

TEST(FrameReader, EveryImpossibleHeaderEndsTheStreamAtOnce) {
  std::vector<SlotHeader> wrong(8);
  wrong[0].channel = Channel(uint16_t(last_channel) + 1);
  wrong[1].channel = Channel(0xffff);
  wrong[2].header_bytes = sizeof(SlotHeader::message) + 1;
  wrong[3].header_bytes = 0xffff;
  wrong[4].data_bytes = most_data_bytes + 1;
  wrong[5].data_bytes = 0x80000000;
  wrong[6].data_bytes = 0xffffffff;
  wrong[7].data_bytes = 0xfffffff8; // rounded up and added to, this would be small
  std::mt19937 random(3);
  for (const SlotHeader& header : wrong)
    for (const size_t before : {0, 1, 5}) {
      Bytes stream;
      for (size_t i = 0; i < before; ++i)
        append(stream, make_message(random, 100 * i));
      append(stream, &header, sizeof header);
      for (const bool followed : {false, true}) {
        for (int i = 0; followed && i < 3; ++i)
          append(stream, make_message(random, page_bytes));
        for (const Outcome& outcome : {read_in_pieces(stream, bytewise), read_in_pieces(stream, at_once)}) {
          EXPECT_TRUE(outcome.broken) << &header - wrong.data();
          EXPECT_EQ(outcome.messages.size(), before);
        }
      }
    }
}

TEST(FrameReader, ABrokenStreamStaysBroken) {
  FrameReader reader(0);
  memset(reader.room(), 0xff, sizeof(SlotHeader));
  reader.filled(sizeof(SlotHeader));
  EXPECT_FALSE(reader.next());
  EXPECT_TRUE(reader.broken());
  for (int i = 0; i < 1000; ++i) { // there is always room, and what is put there is not read
    ASSERT_GE(reader.room_bytes(), largest_frame);
    memset(reader.room(), 0, largest_frame);
    reader.filled(largest_frame);
    ASSERT_FALSE(reader.next());
    ASSERT_TRUE(reader.broken());
  }
}

TEST(FrameReader, ATruncatedStreamGivesTheMessagesBeforeTheCut) {
  std::mt19937 random(4);
  Bytes stream;
  for (const size_t size : {9, 0, 200, 8, 1})
    append(stream, make_message(random, size));
  for (size_t length = 0; length <= stream.size(); ++length) {
    const Bytes cut(stream.begin(), stream.begin() + std::ptrdiff_t(length));
    const Outcome outcome = read_in_pieces(cut, at_once);
    EXPECT_FALSE(outcome.broken);
    EXPECT_TRUE(outcome.messages == read_whole(cut).messages);
  }
}

/// What a checked reader gives of a stream.
Outcome read_checked(const Bytes& stream) {
  FrameReader reader(0, 0, true);
  Outcome outcome;
  for (size_t at = 0; at < stream.size();) {
    const size_t count = std::min(reader.room_bytes(), stream.size() - at);
    memcpy(reader.room(), &stream[at], count);
    reader.filled(count);
    at += count;
    while (const auto slot = reader.next()) {
      outcome.messages.push_back({slot->header, {}});
      append(outcome.messages.back().data, slot->data, slot->header.data_bytes);
    }
  }
  EXPECT_EQ(reader.changed(), reader.broken());
  outcome.broken = reader.broken();
  return outcome;
}

TEST(FrameReader, ACheckedStreamEndsWithTheMessageThatHasChanged) {
  std::mt19937 random(7);
  std::vector<Message> messages;
  std::vector<size_t> ends;
  Bytes stream;
  for (const size_t size : {0, 8, 1, 300, 0, 64, 33}) {
    messages.push_back(make_message(random, size));
    set_checks(messages.back().header, messages.back().data.data());
    append(stream, messages.back());
    ends.push_back(stream.size());
  }
  EXPECT_TRUE(read_checked(stream).messages == messages);
  for (size_t at = 0; at < stream.size(); ++at)
    for (const uint8_t change : {1, 0x80, 0xff}) {
      Bytes changed = stream;
      changed[at] ^= change;
      const size_t which = size_t(std::upper_bound(ends.begin(), ends.end(), at) - ends.begin());
      const bool filling = at >= ends[which] - (ends[which] - (which ? ends[which - 1] : 0) - sizeof(SlotHeader)) +
                                     messages[which].data.size();
      const Outcome outcome = read_checked(changed);
      EXPECT_EQ(outcome.broken, !filling) << "byte " << at;
      EXPECT_EQ(outcome.messages.size(), filling ? messages.size() : which) << "byte " << at;
    }
}

TEST(FrameReader, ChecksTellWordsThatAreMissingMovedOrZero) {
  Bytes page(page_bytes);
  EXPECT_NE(check_of(page.data(), page.size()), check_of(page.data(), page.size() - 8));
  page[8] = 1;
  const uint32_t one = check_of(page.data(), page.size());
  for (size_t at = 0; at < page.size(); at += 8) {
    Bytes moved(page_bytes);
    moved[at] = 1;
    EXPECT_EQ(check_of(moved.data(), moved.size()) == one, at == 8) << at;
  }
}

/// A valid stream with a few changes that a broken or hostile sender could make.
Bytes mutated_stream(std::mt19937& random) {
  Bytes stream;
  const size_t messages = 1 + random() % 6;
  for (size_t i = 0; i < messages; ++i)
    append(stream, make_message(random, random() % 4 ? random() % 80 : random() % (page_bytes + 1)));
  for (size_t changes = random() % 4; changes != 0 && !stream.empty(); --changes) {
    const auto at = stream.begin() + std::ptrdiff_t(random() % stream.size());
    switch (random() % 5) {
    case 0:
      *at = uint8_t(random());
      break;
    case 1:
      *at ^= uint8_t(1 << random() % 8);
      break;
    case 2:
      stream.erase(at);
      break;
    case 3:
      stream.insert(at, 1 + random() % 70, uint8_t(random() % 3));
      break;
    default:
      stream.erase(at, stream.end());
    }
  }
  return stream;
}

TEST(FrameReader, ChangedStreamsGiveWhatTheyHold) {
  std::mt19937 random(5);
  size_t broken = 0;
  for (uint32_t i = 0; i < 20'000 && !HasFailure(); ++i) {
    const Bytes stream = mutated_stream(random);
    broken += read_whole(stream).broken;
    expect_same_however_cut(stream, i);
  }
  EXPECT_GT(broken, 1000u) << "the changes are to matter";
}

TEST(FrameReader, NoiseGivesWhatItHolds) {
  std::mt19937 random(6);
  size_t read = 0;
  for (uint32_t i = 0; i < 20'000 && !HasFailure(); ++i) {
    Bytes noise(random() % 1000);
    // Small values at first: some of it is then a stream for a while.
    const uint32_t limit = i % 2 ? 256 : 2;
    for (uint8_t& byte : noise)
      byte = random() % 8 ? 0 : uint8_t(random() % limit);
    read += read_whole(noise).messages.size();
    expect_same_however_cut(noise, i);
  }
  EXPECT_GT(read, 1000u) << "some noise is to pass for messages";
}

} // namespace
} // namespace hetmp::dsm
