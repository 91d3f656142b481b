#include "dsm/transports.hpp"

#include <vector>

namespace hetmp::dsm {
namespace {

/// "a, b" + `last` + "c"
std::string join(const std::vector<std::string_view>& words, std::string_view last) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i) {
    if (i != 0)
      text += i + 1 == words.size() ? last : ", ";
    text += words[i];
  }
  return text;
}

std::vector<std::string_view> names_of(bool TransportKind::*property) {
  std::vector<std::string_view> names;
  for (const TransportKind& kind : transport_kinds)
    if (!property || kind.*property)
      names.push_back(kind.name);
  return names;
}

} // namespace

std::string no_transport_of_that_name() {
  const auto names = names_of(nullptr);
  std::string text = names.size() == 2 ? "neither " : "none of ";
  return text += join(names, names.size() == 2 ? " nor " : ", ");
}

std::string transport_names(bool TransportKind::*property) { return join(names_of(property), " or "); }

} // namespace hetmp::dsm
