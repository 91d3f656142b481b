// Runtime messages as bytes: requests, answers, starts of a team's parts. Pure. Whatever bytes are decoded, no length
// is trusted, and a value that no correct node sends is refused here or by whoever the message is for.
//
// Numbers travel as the machine has them, without gaps: all nodes run one build on one kind of machine. Each
// structure's fields are listed once, for writing and reading alike.
#pragma once

#include "runtime/global/requests.hpp"
#include "runtime/global/team_description.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>

namespace hetmp::runtime {

/// The origin's service thread is to make the report.
struct ReportWanted {};

using Message = std::variant<ReportWanted, Request, Answer, TeamStart>;

/// A message on its way.
class EncodedMessage {
 public:
  /// At least what the longest message needs, that of a team with most_forwarded_arguments.
  static constexpr size_t most_bytes = 2560;

  explicit EncodedMessage(const Request& request);
  explicit EncodedMessage(const Answer& answer);
  explicit EncodedMessage(const TeamStart& start) : EncodedMessage(start.part, start.code) {}
  EncodedMessage(const TeamDescription& part, const TeamCode& code);
  explicit EncodedMessage(ReportWanted);

  const std::byte* data() const { return bytes_; }
  uint32_t size() const { return size_; }
  std::span<const std::byte> bytes() const { return {bytes_, size_}; }

 private:
  std::byte bytes_[most_bytes];
  uint32_t size_ = 0;
};

/// Null, and `to` is what the bytes mean; or why they mean nothing, in words that end a sentence ("that ..."). Texts of
/// the message lie in `bytes`.
[[nodiscard]] const char* decode(std::span<const std::byte> bytes, Message& to);

} // namespace hetmp::runtime
