// A libFuzzer target: launch plans, as an environment may hold them. It is a fault, besides what the sanitizers find,
// when a plan that was read does not survive being written and read again, or says what no process could follow.
#include "dsm/launch_plan.hpp"
#include "tests/fuzz/check.hpp"

using namespace hetmp;
using fuzz::check;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto plan = dsm::parse_plan(fuzz::text_of(data, size));
  if (!plan)
    return 0;
  check(plan->process > 0 && plan->cpus.size() >= 2 && plan->cpus.size() <= 64 && plan->node < plan->cpus.size(),
        "an impossible plan");
  for (const auto& cpus : plan->cpus)
    check(!cpus.empty(), "a node without CPUs");
  if (plan->made_by_launcher())
    check(plan->sockets.size() == plan->cpus.size() && plan->hosts.size() == plan->cpus.size(),
          "nodes that are not connected");
  const std::string text = dsm::format_plan(*plan);
  check(text.find('\n') == text.npos || plan->made_by_launcher(), "a plan of several lines");
  check(dsm::parse_plan(text) == plan, "what was read is not what is written");
  return 0;
}
