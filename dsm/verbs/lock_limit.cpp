#include "dsm/verbs/lock_limit.hpp"

namespace hetmp::dsm {
namespace {

constexpr uint64_t kib = 1024, mib = 1024 * kib;
/// For what a device's queues take besides.
constexpr uint64_t room_for_queues = 16 * mib;

std::string mib_text(uint64_t bytes) {
  return bytes >= mib ? std::to_string(bytes / mib) + " MiB" : std::to_string(bytes / kib) + " KiB";
}

} // namespace

std::string why_not_locked(const std::string& device, uint64_t bytes, uint64_t limit) {
  const std::string needed = mib_text(bytes + mib - 1) + " of memory cannot be registered with " + device;
  const uint64_t enough = bytes + room_for_queues;
  if (limit >= enough)
    return needed + ": not enough memory";
  return needed + ": a process may lock " + mib_text(limit) + " here; `ulimit -l " + std::to_string(enough / kib) +
         "` or `ulimit -l unlimited` allows it, or memlock in /etc/security/limits.conf does";
}

} // namespace hetmp::dsm
