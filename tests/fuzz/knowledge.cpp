// A libFuzzer target: what is known of programs. It is a fault, besides what the sanitizers find, when what was read
// does not survive being written, with what a run adds as well, or holds a time that is none.
#include "perf/knowledge/knowledge.hpp"
#include "tests/fuzz/check.hpp"

using namespace hetmp;
using fuzz::check;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  perf::Knowledge known, again;
  std::string problem;
  if (!perf::parse_knowledge(fuzz::text_of(data, size), known, problem)) {
    check(!problem.empty() && known.layouts.empty(), "something of what was refused");
    return 0;
  }
  const std::string text = perf::format_knowledge(known);
  check(perf::parse_knowledge(text, again, problem) && perf::format_knowledge(again) == text,
        "what was read is not what is written");
  for (const perf::KnownLayout& layout : again.layouts) {
    for (const perf::KnownRegion& region : layout.regions)
      check(region.home_us >= 0 && region.home_us <= 1e15 && region.lost_until_us >= 0 && region.journeys_rest_us >= 0,
            "an impossible time");
    perf::merge_layout(known, layout);
  }
  check(perf::parse_knowledge(perf::format_knowledge(known), again, problem), "what a run has added cannot be read");
  return 0;
}
