#include "runtime/launch/connection/frame_stream.hpp"

#include "base/seal/sodium_cipher.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

namespace hetmp::launch {

bool FrameStream::seal_with(const Secret& secret) {
  const seal::Cipher* cipher = seal::sodium_cipher();
  if (!cipher)
    return false;
  seal::KeyPair keys = keys_with_agent(secret, end_ == End::Launchers);
  writer_ = std::make_unique<seal::RecordWriter>(*cipher, keys.send);
  reader_ = std::make_unique<seal::RecordReader>(*cipher, keys.receive);
  plain_.reset(new uint8_t[seal::most_plain_bytes]);
  seal::forget(keys);
  add(decoder_.take_unread());
  return true;
}

std::string FrameStream::encode(FrameKind kind, std::string_view bytes) {
  std::string frame = launch::encode(kind, bytes);
  if (!writer_)
    return frame;
  std::vector<uint8_t> records;
  writer_->seal(frame.data(), frame.size(), records);
  return {reinterpret_cast<const char*>(records.data()), records.size()};
}

void FrameStream::add(std::string_view bytes) {
  if (!reader_)
    return decoder_.add(bytes);
  while (!bytes.empty() && !reader_->broken()) {
    const size_t count = std::min(bytes.size(), reader_->room_bytes());
    memcpy(reader_->room(), bytes.data(), count);
    reader_->filled(count);
    bytes.remove_prefix(count);
    while (const size_t opened = reader_->next(plain_.get()))
      decoder_.add({reinterpret_cast<const char*>(plain_.get()), opened});
  }
}

} // namespace hetmp::launch
