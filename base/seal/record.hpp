// A sealed stream: records, each of them a length, that many bytes of ciphertext, a tag.
//
//   length   4 bytes, little-endian: of the plain text, from 1 to 64 KiB; covered by the tag
//   text     the plain text's ciphertext
//   tag      16 bytes
//
// Records have no numbers on the way: both ends count them, and the count is the cipher's nonce. So a record that was
// changed, left out, repeated or moved does not verify, and the first one that does not ends the stream. Where records
// begin and end has nothing to do with the messages inside.
#pragma once

#include "base/seal/cipher.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace hetmp::seal {

inline constexpr size_t record_header_bytes = 4;
inline constexpr size_t most_plain_bytes = size_t(64) << 10; ///< in one record

constexpr size_t record_bytes(size_t plain_bytes) { return record_header_bytes + plain_bytes + tag_bytes; }
inline constexpr size_t largest_record = record_bytes(most_plain_bytes);

/// One direction's sender. Not to be copied: two of them would use a number twice. One thread at a time.
class RecordWriter {
 public:
  RecordWriter(const Cipher& cipher, const Key& key) : cipher_(cipher), key_(key) {}
  ~RecordWriter() { explicit_bzero(key_.data(), key_.size()); }
  RecordWriter(const RecordWriter&) = delete;
  RecordWriter& operator=(const RecordWriter&) = delete;

  /// Appends the records of `count` bytes to `records`: as few as possible.
  void seal(const void* bytes, size_t count, std::vector<uint8_t>& records);

 private:
  const Cipher& cipher_;
  Key key_;
  uint64_t number_ = 0; ///< of the next record
};

/// One direction's receiver. The stream may come in any pieces, and no length in it is used before it was checked.
class RecordReader {
 public:
  /// Room for `bytes` of the stream, at least one record.
  RecordReader(const Cipher& cipher, const Key& key, size_t bytes = 0);
  ~RecordReader() { explicit_bzero(key_.data(), key_.size()); }
  RecordReader(const RecordReader&) = delete;
  RecordReader& operator=(const RecordReader&) = delete;

  /// Where the next bytes of the stream go, and how many there is room for: at least 1 once next() has given 0.
  uint8_t* room() { return buffer_.get() + end_; }
  size_t room_bytes() const { return size_ - end_; }
  /// So many have been put there.
  void filled(size_t bytes) { end_ += bytes; }

  /// Opens the next complete record to `plain`, where there is room for most_plain_bytes, and returns the number of
  /// bytes in it; 0 if there is none: then either more has to come or broken().
  size_t next(uint8_t* plain);
  /// A record could not be, or did not verify; next() gives nothing more.
  bool broken() const { return broken_; }
  /// A record has begun to come, and its end has not.
  bool has_part() const { return begin_ != end_; }

 private:
  void make_room();

  const Cipher& cipher_;
  Key key_;
  uint64_t number_ = 0; ///< of the next record
  size_t size_;
  std::unique_ptr<uint8_t[]> buffer_; ///< [begin_, end_) is not yet opened
  size_t begin_ = 0;
  size_t end_ = 0;
  bool broken_ = false;
};

} // namespace hetmp::seal
