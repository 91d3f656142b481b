#include "dsm/transport/sealed_lane.hpp"

#include "base/check.hpp"
#include "dsm/transport/frame_reader.hpp"

namespace hetmp::dsm {

SealedLane::SealedLane(const seal::Cipher& cipher, const seal::Key& key) : writer_(cipher, key) {
  plain_.reserve(largest_frame);
  records_.reserve(seal::record_bytes(largest_frame));
}

void SealedLane::add(const iovec* pieces, size_t count) {
  plain_.clear();
  for (size_t i = 0; i < count; ++i) {
    const auto* bytes = static_cast<const uint8_t*>(pieces[i].iov_base);
    plain_.insert(plain_.end(), bytes, bytes + pieces[i].iov_len);
  }
  HETMP_CHECK(plain_.size() <= largest_frame); // for which there is memory already
  add(plain_);
}

} // namespace hetmp::dsm
