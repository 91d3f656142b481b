// What launcher and agents say to each other, as frames on a pair of byte streams (usually ssh's): a kind, a length,
// bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace hetmp::launch {

enum class FrameKind : uint8_t {
  // agent -> launcher
  Ready = 1, ///< JSON: what this host has
  Card,      ///< JSON: where this node listens
  Output,    ///< bytes of the program's standard output
  Error,     ///< bytes of its standard error
  Exit,      ///< JSON: how the node's process ended. The last one
  Taken,     ///< the program has taken the last Input, or wants none
  Words,     ///< bytes of what the origin says of a lost node (LaunchPlan::words)
  // launcher -> agent
  Order,  ///< JSON: which program, which node
  Start,  ///< JSON: all nodes' cards; the program starts
  Input,  ///< bytes for the program's standard input; none = its end. After each, Taken comes before the next
  Signal, ///< JSON: a signal for the node's process
  Seal    ///< JSON: the secret from which the keys of this connection follow. All after it is sealed, both ways
};
inline constexpr FrameKind last_frame_kind = FrameKind::Seal;

struct Frame {
  FrameKind kind{};
  std::string bytes;
};

/// Precedes an agent's first frame: whatever a login writes before is skipped.
inline constexpr std::string_view agent_greeting = "\nhetmp-agent-1\n";
inline constexpr size_t largest_frame_bytes = size_t(1) << 20;

/// The frame as it travels.
std::string encode(FrameKind kind, std::string_view bytes);

/// Frames out of a stream that comes in any pieces.
class FrameDecoder {
 public:
  /// `greeting`: skip everything up to it and itself first.
  explicit FrameDecoder(std::string_view greeting = {}) : greeting_(greeting) {}

  void add(std::string_view bytes);
  /// The next complete frame, if there is one.
  std::optional<Frame> next();
  /// The stream holds what is no frame, or no greeting within 64 KiB; nothing more will come.
  bool broken() const { return broken_; }
  bool greeted() const { return greeting_.empty(); }
  /// Not greeted: what came instead of the greeting so far, to show to a person.
  const std::string& unread() const { return buffer_; }
  /// What was added behind the last frame that next() has given; it is no longer here.
  std::string take_unread() { return std::exchange(buffer_, {}); }

 private:
  std::string_view greeting_;
  std::string buffer_;
  bool broken_ = false;
};

} // namespace hetmp::launch
