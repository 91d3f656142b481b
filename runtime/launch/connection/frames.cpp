#include "runtime/launch/connection/frames.hpp"

#include <cstring>

namespace hetmp::launch {
namespace {

constexpr size_t header_bytes = 1 + sizeof(uint32_t);
constexpr size_t longest_login = size_t(64) << 10;

} // namespace

std::string encode(FrameKind kind, std::string_view bytes) {
  const auto size = uint32_t(bytes.size());
  std::string text(header_bytes, '\0');
  text[0] = char(kind);
  for (size_t i = 0; i < sizeof size; ++i) // little-endian: launcher and agents may differ
    text[1 + i] = char(size >> (8 * i) & 0xff);
  return text.append(bytes);
}

void FrameDecoder::add(std::string_view bytes) {
  buffer_.append(bytes);
  if (greeting_.empty())
    return;
  const size_t found = buffer_.find(greeting_);
  if (found != std::string::npos && found + greeting_.size() <= longest_login) { // in whatever pieces it comes
    buffer_.erase(0, found + greeting_.size());
    greeting_ = {};
  } else if (buffer_.size() > longest_login) {
    broken_ = true;
  }
}

std::optional<Frame> FrameDecoder::next() {
  if (broken_ || !greeting_.empty() || buffer_.size() < header_bytes)
    return {};
  uint32_t size = 0;
  for (size_t i = 0; i < sizeof size; ++i)
    size |= uint32_t(uint8_t(buffer_[1 + i])) << (8 * i);
  const auto kind = FrameKind(uint8_t(buffer_[0]));
  if (kind < FrameKind::Ready || kind > last_frame_kind || size > largest_frame_bytes) {
    broken_ = true;
    return {};
  }
  if (buffer_.size() < header_bytes + size)
    return {};
  Frame frame{kind, buffer_.substr(header_bytes, size)};
  buffer_.erase(0, header_bytes + size);
  return frame;
}

} // namespace hetmp::launch
