#include "runtime/launch/orders.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace hetmp::launch {
namespace {

using nlohmann::json;

/// Bytes that are no text (in arguments, in the environment) must survive: every byte becomes one character.
std::string as_text(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) {
    const auto value = uint8_t(byte);
    if (value < 0x80) {
      text += byte;
    } else {
      text += char(0xc0 | value >> 6);
      text += char(0x80 | (value & 0x3f));
    }
  }
  return text;
}

std::string as_bytes(const std::string& text) {
  std::string bytes;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto value = uint8_t(text[i]);
    if (value >= 0xc0 && i + 1 < text.size())
      bytes += char((value & 0x3) << 6 | (uint8_t(text[++i]) & 0x3f));
    else
      bytes += text[i];
  }
  return bytes;
}

json json_of(const Endpoint& card) { return {{"address", card.address}, {"port", card.port}}; }

Endpoint endpoint_of(const json& value) {
  return {value.at("address").get<std::string>(), value.at("port").get<uint16_t>()};
}

/// Runs `read` on the parsed text; nothing if either throws.
template <class Read>
auto parsed(std::string_view text, Read&& read) -> std::optional<decltype(read(json()))> {
  try {
    return read(json::parse(text));
  } catch (const json::exception&) {
    return {};
  }
}

} // namespace

std::string to_json(const Ready& ready) { return json{{"cpus", ready.cpus}, {"problem", ready.problem}}.dump(); }

std::string to_json(const Endpoint& card) { return json_of(card).dump(); }

std::string to_json(const Order& order) {
  json command = json::array();
  for (const std::string& word : order.command)
    command.push_back(as_text(word));
  json environment = json::object();
  for (const auto& [name, value] : order.environment)
    environment[as_text(name)] = as_text(value);
  return json{{"node", order.node},          {"host", order.host},       {"folder", as_text(order.folder)},
              {"command", command},          {"environment", environment}, {"stack_bytes", order.stack_bytes}}
      .dump();
}

std::string to_json(const Start& start) {
  json endpoints = json::array();
  for (const Endpoint& endpoint : start.endpoints)
    endpoints.push_back(json_of(endpoint));
  return json{{"secret", start.secret}, {"endpoints", endpoints}, {"hosts", start.hosts}, {"cpus", start.cpus}}.dump();
}

std::string to_json(const Exit& exit) { return json{{"code", exit.code}, {"signal", exit.signal}}.dump(); }

std::string to_json(int signal) { return json{{"signal", signal}}.dump(); }

std::optional<Ready> read_ready(std::string_view text) {
  return parsed(text, [](const json& value) {
    return Ready{value.at("cpus").get<std::vector<int>>(), value.at("problem").get<std::string>()};
  });
}

std::optional<Endpoint> read_card(std::string_view text) { return parsed(text, endpoint_of); }

std::optional<Order> read_order(std::string_view text) {
  return parsed(text, [](const json& value) {
    Order order;
    order.node = value.at("node").get<uint32_t>();
    order.host = value.at("host").get<std::string>();
    order.folder = as_bytes(value.at("folder").get<std::string>());
    for (const json& word : value.at("command"))
      order.command.push_back(as_bytes(word.get<std::string>()));
    for (const auto& [name, setting] : value.at("environment").items())
      order.environment[as_bytes(name)] = as_bytes(setting.get<std::string>());
    order.stack_bytes = value.at("stack_bytes").get<uint64_t>();
    return order;
  });
}

std::optional<Start> read_start(std::string_view text) {
  const auto start = parsed(text, [](const json& value) {
    Start result;
    result.secret = value.at("secret").get<Secret>();
    for (const json& endpoint : value.at("endpoints"))
      result.endpoints.push_back(endpoint_of(endpoint));
    result.hosts = value.at("hosts").get<std::vector<std::string>>();
    result.cpus = value.at("cpus").get<std::vector<std::vector<int>>>();
    return result;
  });
  if (start && (start->endpoints.size() != start->hosts.size() || start->endpoints.size() != start->cpus.size()))
    return {};
  return start;
}

std::optional<Exit> read_exit(std::string_view text) {
  return parsed(text, [](const json& value) { return Exit{value.at("code").get<int>(), value.at("signal").get<int>()}; });
}

std::optional<int> read_signal(std::string_view text) {
  return parsed(text, [](const json& value) { return value.at("signal").get<int>(); });
}

} // namespace hetmp::launch
