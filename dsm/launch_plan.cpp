#include "dsm/launch_plan.hpp"

#include "base/environment.hpp"
#include "base/machine/cpu_list.hpp"
#include "base/node_set.hpp"

#include <algorithm>
#include <limits>

namespace hetmp::dsm {
namespace {

constexpr int64_t largest_number = 1 << 30;

/// Cuts the part before `separator`, or everything, off the front of `text`.
std::string_view cut(std::string_view& text, char separator) {
  const size_t end = std::min(text.find(separator), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

bool parse_number(std::string_view text, int64_t least, int64_t& result) {
  const auto number = parse_integer(text, least, largest_number);
  result = number.value_or(0);
  return number.has_value();
}

/// "STACK,PERSONALITY" as decimal numbers; -1: no limit, or a personality that is not known.
bool parse_layout(std::string_view text, LaunchPlan& plan) {
  const auto stack = parse_integer(cut(text, ','), -1, std::numeric_limits<int64_t>::max());
  const auto personality = parse_integer(text, -1, AddressLayout::unknown);
  if (!stack || !personality)
    return false;
  plan.users_layout = AddressLayout{uint64_t(*stack), unsigned(*personality)};
  return true;
}

bool parse_sockets(std::string_view text, LaunchPlan& plan) {
  while (!text.empty()) {
    std::string_view pair = cut(text, ';');
    int64_t first = 0, second = 0;
    if (!parse_number(cut(pair, ','), -1, first) || !parse_number(pair, -1, second))
      return false;
    plan.sockets.push_back({int(first), int(second)});
  }
  return true;
}

bool parse_hosts(std::string_view text, LaunchPlan& plan) {
  while (!text.empty()) {
    const std::string_view host = cut(text, ';');
    if (host.empty())
      return false;
    plan.hosts.emplace_back(host);
  }
  return true;
}

bool parse_word(std::string_view word, LaunchPlan& plan) {
  const std::string_view name = cut(word, '=');
  int64_t number = 0;
  if (name == "process") {
    const bool right = parse_number(word, 1, number);
    plan.process = pid_t(number);
    return right;
  }
  if (name == "transport") {
    const TransportKind* kind = find_transport(word);
    plan.transport = kind ? kind : plan.transport;
    return kind != nullptr;
  }
  if (name == "sealed") {
    plan.sealed = true;
    return word == "1";
  }
  if (name == "keys") {
    const bool right = parse_number(word, 0, number);
    plan.keys = int(number);
    return right;
  }
  if (name == "words") {
    const bool right = parse_number(word, 0, number);
    plan.words = int(number);
    return right;
  }
  if (name == "node") {
    const bool right = parse_number(word, 0, number);
    plan.node = uint32_t(number);
    return right;
  }
  if (name == "cpus") {
    const auto cpus = parse_cpu_lists(word);
    plan.cpus = cpus.value_or(plan.cpus);
    return cpus.has_value();
  }
  if (name == "layout")
    return parse_layout(word, plan);
  if (name == "sockets")
    return parse_sockets(word, plan);
  if (name == "hosts")
    return parse_hosts(word, plan);
  return false;
}

bool consistent(const LaunchPlan& plan) {
  const size_t nodes = plan.cpus.size();
  if (plan.process <= 0 || nodes < 2 || nodes > most_nodes || plan.node >= nodes)
    return false;
  if (plan.sealed && !plan.transport->can_seal)
    return false;
  if ((plan.keys >= 0) != (plan.sealed && plan.made_by_launcher()))
    return false;
  if (!plan.made_by_launcher())
    return plan.node == 0 && plan.hosts.empty() && plan.words < 0;
  if (!plan.transport->over_hosts || plan.sockets.size() != nodes || plan.hosts.size() != nodes)
    return false;
  for (size_t i = 0; i < nodes; ++i)
    for (const int socket : plan.sockets[i])
      if ((socket < 0) != (i == plan.node))
        return false;
  return true;
}

} // namespace

std::string format_plan(const LaunchPlan& plan) {
  std::string text = "process=" + std::to_string(plan.process);
  text.append(" transport=").append(plan.transport->name);
  if (plan.sealed)
    text += " sealed=1";
  if (plan.keys >= 0)
    text += " keys=" + std::to_string(plan.keys);
  if (plan.words >= 0)
    text += " words=" + std::to_string(plan.words);
  text += " node=" + std::to_string(plan.node) + " cpus=" + format_cpu_lists(plan.cpus);
  if (plan.users_layout)
    text += " layout=" + std::to_string(int64_t(plan.users_layout->stack_bytes)) + ',' +
            std::to_string(int(plan.users_layout->personality));
  if (!plan.made_by_launcher())
    return text;
  text += " sockets=";
  for (const auto& pair : plan.sockets)
    text += std::to_string(pair[0]) + ',' + std::to_string(pair[1]) + ';';
  text += " hosts=";
  for (const std::string& host : plan.hosts)
    text += host + ';';
  return text;
}

std::optional<LaunchPlan> parse_plan(std::string_view text) {
  LaunchPlan plan;
  std::vector<std::string_view> names;
  while (!text.empty()) {
    const std::string_view word = cut(text, ' '), name = word.substr(0, word.find('='));
    if (std::find(names.begin(), names.end(), name) != names.end() || !parse_word(word, plan))
      return {};
    names.push_back(name);
  }
  if (!consistent(plan))
    return {};
  return plan;
}

} // namespace hetmp::dsm
