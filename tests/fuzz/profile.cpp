// A libFuzzer target: profiles of interconnects. It is a fault, besides what the sanitizers find, when a profile that
// was read does not survive being written and read again, or gives a threshold that is no time.
#include "perf/profile.hpp"
#include "perf/interconnect.hpp"
#include "tests/fuzz/check.hpp"

using namespace hetmp;
using fuzz::check;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  perf::Profile profile = perf::parse_profile(fuzz::text_of(data, size));
  if (!profile.error.empty()) {
    check(profile.entries.empty(), "entries of what was refused");
    return 0;
  }
  const std::string text = perf::format_profile(profile.entries);
  const perf::Profile again = perf::parse_profile(text);
  check(again.error.empty() && perf::format_profile(again.entries) == text, "what was read is not what is written");
  for (const std::string_view name : {perf::shared_memory, perf::tcp})
    for (const uint32_t nodes : {1u, 2u, 64u}) {
      perf::Interconnect known;
      if (perf::apply_profile(profile.entries, name, nodes, known))
        check(known.threshold_us > 0 && known.threshold_us <= 1e9 && known.fault_us >= 0 && known.fault_us <= 1e9,
              "an impossible figure");
    }
  for (const perf::ProfileEntry& entry : std::vector(profile.entries)) {
    perf::merge_entry(profile.entries, entry);
    check(profile.entries.size() == again.entries.size(), "an entry twice");
  }
  return 0;
}
