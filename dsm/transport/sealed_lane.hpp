// What is sent on one sealed connection: bytes in, records out. All of it is private memory, also while it waits for
// room in the socket, so a system call never meets a page that is elsewhere.
#pragma once

#include "base/seal/record.hpp"

#include <cstddef>
#include <cstdint>
#include <sys/uio.h>
#include <vector>

namespace hetmp::dsm {

/// One thread at a time.
class SealedLane {
 public:
  SealedLane(const seal::Cipher& cipher, const seal::Key& key);

  /// Seals the bytes, behind what waits. Copies them first, a thread of the program may fault on them.
  void add(const iovec* pieces, size_t count);
  /// The same without a copy, for bytes in private memory.
  void add(const std::vector<uint8_t>& bytes) { writer_.seal(bytes.data(), bytes.size(), records_); }

  /// What is to be written; who has written it clears it.
  std::vector<uint8_t>& records() { return records_; }
  const std::vector<uint8_t>& records() const { return records_; }

 private:
  seal::RecordWriter writer_;
  std::vector<uint8_t> plain_;
  std::vector<uint8_t> records_;
};

} // namespace hetmp::dsm
