// Records: what was sealed comes out however the stream is cut, and whatever was changed, left out, repeated, moved or
// meant for somebody else does not.
#include "base/seal/record.hpp"
#include "base/seal/sodium_cipher.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace hetmp::seal {
namespace {

using Bytes = std::vector<uint8_t>;

Key key_of(uint8_t number) {
  Key key;
  for (size_t i = 0; i < key.size(); ++i)
    key[i] = uint8_t(number * 31 + i);
  return key;
}

Bytes text_of(size_t count, uint32_t number = 1) {
  Bytes text(count);
  for (size_t i = 0; i < count; ++i)
    text[i] = uint8_t(number * 13 + i * 7 + (i >> 8));
  return text;
}

struct Outcome {
  Bytes text;
  bool broken = false;
};

class Record : public testing::Test {
 protected:
  void SetUp() override { ASSERT_NE(cipher, nullptr); }

  /// The records of texts of these sizes, each one of a record.
  std::vector<Bytes> seal_each(const std::vector<size_t>& sizes) {
    RecordWriter writer(*cipher, key);
    std::vector<Bytes> records;
    uint32_t number = 0;
    for (const size_t size : sizes) {
      const Bytes text = text_of(size, number++);
      writer.seal(text.data(), text.size(), records.emplace_back());
    }
    return records;
  }
  static Bytes join(const std::vector<Bytes>& parts) {
    Bytes all;
    for (const Bytes& part : parts)
      all.insert(all.end(), part.begin(), part.end());
    return all;
  }

  template <class Piece> Outcome read(const Bytes& stream, Piece&& piece, const Key& with) {
    RecordReader reader(*cipher, with);
    Outcome outcome;
    Bytes plain(most_plain_bytes);
    for (size_t at = 0; at < stream.size() && !reader.broken();) {
      EXPECT_GE(reader.room_bytes(), 1u);
      const size_t count = std::min({piece(), stream.size() - at, reader.room_bytes()});
      memcpy(reader.room(), stream.data() + at, count);
      reader.filled(count);
      at += count;
      while (const size_t opened = reader.next(plain.data()))
        outcome.text.insert(outcome.text.end(), plain.begin(), plain.begin() + std::ptrdiff_t(opened));
    }
    outcome.broken = reader.broken();
    return outcome;
  }
  Outcome read(const Bytes& stream) {
    return read(
        stream, [] { return size_t(1) << 30; }, key);
  }

  const Cipher* cipher = sodium_cipher();
  const Key key = key_of(1);
};

TEST_F(Record, EverySizeComesOutHoweverTheStreamIsCut) {
  RecordWriter writer(*cipher, key);
  Bytes stream, text;
  std::mt19937 random(5);
  for (const size_t size : {size_t(1), size_t(7), size_t(64), size_t(4160), most_plain_bytes - 1, most_plain_bytes,
                            most_plain_bytes + 1, 3 * most_plain_bytes + 5, size_t(2)}) {
    const Bytes more = text_of(size, uint32_t(size));
    writer.seal(more.data(), more.size(), stream);
    text.insert(text.end(), more.begin(), more.end());
  }
  for (const size_t longest : {size_t(1), size_t(3), size_t(50), size_t(5000), size_t(100'000)}) {
    const Outcome outcome = read(
        stream, [&] { return 1 + random() % longest; }, key);
    EXPECT_FALSE(outcome.broken) << longest;
    EXPECT_EQ(outcome.text, text) << longest;
  }
}

TEST_F(Record, WhatIsGivenAtOnceBecomesAsFewRecordsAsPossible) {
  RecordWriter writer(*cipher, key);
  Bytes records;
  const Bytes text = text_of(most_plain_bytes + 10);
  writer.seal(text.data(), most_plain_bytes, records);
  EXPECT_EQ(records.size(), largest_record);
  writer.seal(text.data(), text.size(), records);
  EXPECT_EQ(records.size(), 2 * largest_record + record_bytes(10));
  writer.seal(text.data(), 0, records);
  EXPECT_EQ(records.size(), 2 * largest_record + record_bytes(10)) << "nothing is no record";
}

TEST_F(Record, TheSameTextNeverLooksTheSame) {
  const Bytes text = text_of(100);
  RecordWriter writer(*cipher, key);
  Bytes first, second;
  writer.seal(text.data(), text.size(), first);
  writer.seal(text.data(), text.size(), second);
  EXPECT_NE(first, second);
  EXPECT_EQ(std::search(first.begin(), first.end(), text.begin(), text.begin() + 8), first.end());
}

TEST_F(Record, EveryChangedByteIsRefused) {
  const std::vector<Bytes> records = seal_each({33, 20, 9});
  const Bytes stream = join(records);
  const Bytes whole = read(stream).text;
  for (size_t byte = 0; byte < stream.size(); ++byte)
    for (const uint8_t by : {0x01, 0x80, 0xff}) {
      Bytes changed = stream;
      changed[byte] ^= by;
      const Outcome outcome = read(changed);
      // A length that became larger waits for bytes that do not come; anything else is noticed. Nothing of the changed
      // record or behind it is ever given.
      const size_t good = byte < records[0].size() ? 0 : byte < records[0].size() + records[1].size() ? 33 : 53;
      ASSERT_EQ(outcome.text, Bytes(whole.begin(), whole.begin() + std::ptrdiff_t(good))) << byte;
      Bytes longer = changed;
      longer.resize(longer.size() + 2 * largest_record);
      ASSERT_TRUE(read(longer).broken) << byte;
    }
}

TEST_F(Record, ATruncatedRecordIsNone) {
  const Bytes stream = join(seal_each({33}));
  for (size_t length = 0; length < stream.size(); ++length) {
    const Outcome outcome = read(Bytes(stream.begin(), stream.begin() + std::ptrdiff_t(length)));
    EXPECT_TRUE(outcome.text.empty());
    EXPECT_FALSE(outcome.broken) << "more may come";
  }
  for (size_t cut = 0; cut < stream.size(); ++cut) { // a byte left out, and the stream goes on
    Bytes shorter = stream;
    shorter.erase(shorter.begin() + std::ptrdiff_t(cut));
    shorter.resize(shorter.size() + 2 * largest_record);
    const Outcome outcome = read(shorter);
    EXPECT_TRUE(outcome.text.empty()) << cut;
    EXPECT_TRUE(outcome.broken) << cut;
  }
}

TEST_F(Record, ARecordInAnothersPlaceIsRefused) {
  const std::vector<Bytes> records = seal_each({10, 10, 10});
  const Bytes whole = read(join(records)).text;
  ASSERT_EQ(whole.size(), 30u);
  const auto expect_refused = [&](const std::vector<Bytes>& instead, size_t good) {
    const Outcome outcome = read(join(instead));
    EXPECT_TRUE(outcome.broken);
    EXPECT_EQ(outcome.text, Bytes(whole.begin(), whole.begin() + std::ptrdiff_t(good)));
  };
  expect_refused({records[1], records[0], records[2]}, 0);              // moved
  expect_refused({records[0], records[2], records[1]}, 10);             // moved
  expect_refused({records[0], records[0], records[1]}, 10);             // repeated
  expect_refused({records[0], records[1], records[2], records[1]}, 30); // repeated later
  expect_refused({records[0], records[2]}, 10);                         // left out
  expect_refused({records[1], records[2]}, 0);                          // the first left out
}

TEST_F(Record, AnotherKeyOpensNothing) {
  const Bytes stream = join(seal_each({10, 4096}));
  for (uint8_t number = 2; number < 10; ++number) {
    const Outcome outcome = read(
        stream, [] { return size_t(1) << 30; }, key_of(number));
    EXPECT_TRUE(outcome.broken);
    EXPECT_TRUE(outcome.text.empty());
  }
  for (size_t bit = 0; bit < 8 * key_bytes; ++bit) {
    Key near = key;
    near[bit / 8] ^= uint8_t(1u << bit % 8);
    EXPECT_TRUE(read(
                    stream, [] { return size_t(1) << 30; }, near)
                    .broken)
        << bit;
  }
}

TEST_F(Record, LengthsAreBoundedBeforeAnythingIsWaitedFor) {
  for (const uint32_t length : {0u, uint32_t(most_plain_bytes) + 1, 0x01000000u, 0x7fffffffu, 0xffffffffu}) {
    Bytes stream(record_header_bytes);
    for (size_t i = 0; i < stream.size(); ++i)
      stream[i] = uint8_t(length >> (8 * i));
    EXPECT_TRUE(read(stream).broken) << length;
  }
}

TEST_F(Record, NothingComesAfterWhatWasRefused) {
  std::vector<Bytes> records = seal_each({10, 10});
  RecordReader reader(*cipher, key);
  Bytes bad = records[0];
  bad.back() ^= 1;
  Bytes plain(most_plain_bytes);
  memcpy(reader.room(), bad.data(), bad.size());
  reader.filled(bad.size());
  EXPECT_EQ(reader.next(plain.data()), 0u);
  EXPECT_TRUE(reader.broken());
  for (const Bytes& good : records) {
    memcpy(reader.room(), good.data(), good.size());
    reader.filled(good.size());
    EXPECT_EQ(reader.next(plain.data()), 0u);
    EXPECT_TRUE(reader.broken());
  }
}

TEST_F(Record, TheCipherIsTheOneThatItIsSaidToBe) {
  const Key zero{};
  uint8_t text[64] = {}, sealed[64 + tag_bytes];
  cipher->seal(zero.data(), 0, nullptr, 0, text, sizeof text, sealed);
  // RFC 8439, appendix A.1, test vector 2: the keystream of block 1.
  constexpr uint8_t keystream[] = {0x9f, 0x07, 0xe7, 0xbe, 0x55, 0x51, 0x38, 0x7a,
                                   0x98, 0xba, 0x97, 0x7c, 0x73, 0x2d, 0x08, 0x0d};
  EXPECT_EQ(memcmp(sealed, keystream, sizeof keystream), 0);
  uint8_t back[64] = {1};
  EXPECT_TRUE(cipher->open(zero.data(), 0, nullptr, 0, sealed, sizeof text, back));
  EXPECT_EQ(memcmp(back, text, sizeof text), 0);
  EXPECT_FALSE(cipher->open(zero.data(), 1, nullptr, 0, sealed, sizeof text, back));
  EXPECT_FALSE(cipher->open(zero.data(), uint64_t(1) << 32, nullptr, 0, sealed, sizeof text, back));
}

} // namespace
} // namespace hetmp::seal
