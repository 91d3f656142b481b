// Messages out of a stream of bytes: the wire format of stream transports, read without copying.
//
// A frame is a SlotHeader as it is in memory, then its data, filled up to a multiple of 8 bytes; all nodes of a run
// have one byte order and one build of this library. The stream may come in any pieces. What comes is not trusted: no
// length in it is used before it was checked, and the first frame that cannot be ends the stream. Where frames have
// checks, that is the first one that has changed: a changed length would otherwise wait for bytes that nobody sends.
#pragma once

#include "base/check.hpp"
#include "dsm/transport/slot.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace hetmp::dsm {

inline constexpr size_t frame_alignment = 8;

constexpr size_t frame_bytes(size_t data_bytes) {
  return sizeof(SlotHeader) + (data_bytes + frame_alignment - 1) / frame_alignment * frame_alignment;
}
inline constexpr size_t largest_frame = frame_bytes(most_data_bytes);

class FrameReader {
 public:
  /// Room for `bytes` of the stream, at least one frame. Whenever next() has given null there is room for `piece` bytes
  /// more, for a stream that comes in pieces which may be so large; by default for what is missing of a frame.
  /// `checked`: frames have checks (frame_check.hpp).
  explicit FrameReader(size_t bytes, size_t piece = 0, bool checked = false);

  /// Where the next bytes of the stream go, and how many there is room for: at least 1.
  uint8_t* room() { return buffer_.get() + end_; }
  size_t room_bytes() const { return size_ - end_; }
  /// So many have been put there.
  void filled(size_t bytes) {
    HETMP_CHECK(bytes <= room_bytes());
    end_ += bytes;
  }

  /// The next complete message, or none: then either more has to come or broken(). Valid until the next call.
  std::optional<Slot> next();
  /// The stream had a frame that cannot be; `next` gives nothing more.
  bool broken() const { return broken_; }
  /// And that because bytes are not what was sent.
  bool changed() const { return changed_; }
  /// A frame has begun to come, and its end has not.
  bool has_part() const { return begin_ != end_; }

 private:
  void make_room();

  size_t size_;
  size_t least_room_;                 ///< behind what is left of a frame
  std::unique_ptr<uint8_t[]> buffer_; ///< [begin_, end_) is not yet read
  size_t begin_ = 0;
  size_t end_ = 0;
  bool checked_;
  bool broken_ = false;
  bool changed_ = false;
};

} // namespace hetmp::dsm
