#include "dsm/transport/frame_reader.hpp"

#include "base/check.hpp"
#include "dsm/transport/frame_check.hpp"

#include <algorithm>
#include <cstring>

namespace hetmp::dsm {
FrameReader::FrameReader(size_t bytes, size_t piece, bool checked)
    : size_(std::max(bytes, largest_frame + piece)), least_room_(std::max(largest_frame, piece)),
      buffer_(new uint8_t[size_]), checked_(checked) {}

std::optional<Slot> FrameReader::next() {
  HETMP_CHECK(begin_ <= end_ && end_ <= size_);
  const size_t waiting = end_ - begin_;
  if (!broken_ && waiting >= sizeof(SlotHeader)) {
    const uint8_t* frame = buffer_.get() + begin_;
    const auto& header = *reinterpret_cast<const SlotHeader*>(frame);
    changed_ = checked_ && header.header_check != header_check(header);
    broken_ = changed_ || !is_possible(header);
    if (!broken_ && waiting >= frame_bytes(header.data_bytes)) {
      changed_ = broken_ = checked_ && header.data_check != check_of(frame + sizeof header, header.data_bytes);
      if (!broken_) {
        begin_ += frame_bytes(header.data_bytes);
        HETMP_CHECK(begin_ <= end_ && begin_ % frame_alignment == 0);
        return Slot{header, frame + sizeof header};
      }
    }
  }
  if (broken_)
    begin_ = end_ = 0;
  else
    make_room();
  HETMP_CHECK(room_bytes() >= 1);
  return {};
}

/// What is left is less than a frame: it moves to the front when little room is behind it.
void FrameReader::make_room() {
  if (begin_ == end_)
    begin_ = end_ = 0;
  if (size_ - end_ >= least_room_ || begin_ == 0)
    return;
  memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
}

} // namespace hetmp::dsm
