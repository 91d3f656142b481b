#include "base/seal/record.hpp"

#include <algorithm>
#include <cstring>

namespace hetmp::seal {
namespace {

void write_length(uint8_t* header, size_t bytes) {
  for (size_t i = 0; i < record_header_bytes; ++i)
    header[i] = uint8_t(bytes >> (8 * i));
}

size_t read_length(const uint8_t* header) {
  size_t bytes = 0;
  for (size_t i = 0; i < record_header_bytes; ++i)
    bytes |= size_t(header[i]) << (8 * i);
  return bytes;
}

} // namespace

void RecordWriter::seal(const void* bytes, size_t count, std::vector<uint8_t>& records) {
  const auto* plain = static_cast<const uint8_t*>(bytes);
  while (count != 0) {
    const size_t part = std::min(count, most_plain_bytes);
    const size_t at = records.size();
    records.resize(at + record_bytes(part));
    uint8_t* header = records.data() + at;
    write_length(header, part);
    cipher_.seal(key_.data(), number_++, header, record_header_bytes, plain, part, header + record_header_bytes);
    plain += part;
    count -= part;
  }
}

RecordReader::RecordReader(const Cipher& cipher, const Key& key, size_t bytes)
    : cipher_(cipher), key_(key), size_(std::max(bytes, largest_record)), buffer_(new uint8_t[size_]) {}

size_t RecordReader::next(uint8_t* plain) {
  const size_t waiting = end_ - begin_;
  if (!broken_ && waiting >= record_header_bytes) {
    const uint8_t* header = buffer_.get() + begin_;
    const size_t bytes = read_length(header);
    broken_ = bytes == 0 || bytes > most_plain_bytes;
    if (!broken_ && waiting >= record_bytes(bytes)) {
      broken_ = !cipher_.open(key_.data(), number_++, header, record_header_bytes, header + record_header_bytes, bytes,
                              plain);
      begin_ += record_bytes(bytes);
      if (!broken_)
        return bytes;
    }
  }
  if (broken_)
    begin_ = end_ = 0;
  else
    make_room();
  return 0;
}

/// What is left is less than a record: it moves to the front when the rest of it would not fit behind it.
void RecordReader::make_room() {
  if (begin_ == end_)
    begin_ = end_ = 0;
  if (size_ - begin_ >= largest_record)
    return;
  memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
}

} // namespace hetmp::seal
