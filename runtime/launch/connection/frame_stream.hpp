// One end of the connection between launcher and agent: frames, both ways, in the open until the launcher seals the
// connection. Reading and writing are the owner's.
#pragma once

#include "base/seal/record.hpp"
#include "runtime/launch/connection/frames.hpp"
#include "runtime/launch/connection/handshake.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace hetmp::launch {

class FrameStream {
 public:
  enum class End : uint8_t { Launchers, Agents };

  /// `greeting`: what precedes the other end's first frame (frames.hpp).
  explicit FrameStream(End end, std::string_view greeting = {}) : end_(end), decoder_(greeting) {}

  /// From here on everything is sealed, in both directions: what came behind the last frame that next() has given, too.
  /// False if there is no cipher here.
  bool seal_with(const Secret& secret);

  /// The frame as it is to be written.
  std::string encode(FrameKind kind, std::string_view bytes);

  /// What was read, in whatever pieces it comes.
  void add(std::string_view bytes);
  /// The next complete frame, if there is one.
  std::optional<Frame> next() { return decoder_.next(); }
  /// The stream holds what cannot be; nothing more will come.
  bool broken() const { return changed() || decoder_.broken(); }
  /// Broken because what came is not what the other end has sealed.
  bool changed() const { return reader_ && reader_->broken(); }

 private:
  const End end_;
  FrameDecoder decoder_;
  std::unique_ptr<seal::RecordWriter> writer_; ///< null until the connection is sealed
  std::unique_ptr<seal::RecordReader> reader_;
  std::unique_ptr<uint8_t[]> plain_; ///< of one record
};

} // namespace hetmp::launch
