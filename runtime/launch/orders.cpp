#include "runtime/launch/orders.hpp"

#include "runtime/launch/connection/frames.hpp"

#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

namespace hetmp::launch {
namespace {

using nlohmann::json;

constexpr int highest_cpu = 4095; // see base/machine/cpu_list.hpp
constexpr int highest_signal = 64;

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

/// Of the right type, but not with such a value.
struct Impossible {};

/// json's own conversions take 1.5, true and what is out of range for whole numbers.
template <class Number>
Number number_of(const json& value, Number least = std::numeric_limits<Number>::min(),
                 Number most = std::numeric_limits<Number>::max()) {
  if (value.is_number_unsigned()) {
    const auto number = value.get<uint64_t>();
    if (std::cmp_greater_equal(number, least) && std::cmp_less_equal(number, most))
      return Number(number);
  } else if (value.is_number_integer()) {
    const auto number = value.get<int64_t>();
    if (std::cmp_greater_equal(number, least) && std::cmp_less_equal(number, most))
      return Number(number);
  }
  throw Impossible();
}

/// json iterates over any value.
const json& list(const json& value) {
  if (!value.is_array())
    throw Impossible();
  return value;
}

std::vector<int> cpus_of(const json& value) {
  std::vector<int> cpus;
  for (const json& cpu : list(value))
    cpus.push_back(number_of(cpu, 0, highest_cpu));
  return cpus;
}

Secret secret_of(const json& value) {
  Secret secret;
  if (list(value).size() != secret.size())
    throw Impossible();
  for (size_t i = 0; i < secret.size(); ++i)
    secret[i] = number_of<uint8_t>(value[i]);
  return secret;
}

Endpoint endpoint_of(const json& value) {
  return {value.at("address").get<std::string>(), number_of<uint16_t>(value.at("port"), 1)};
}

/// Runs `read` on the parsed text; nothing if either throws.
template <class Read> auto parsed(std::string_view text, Read&& read) -> std::optional<decltype(read(json()))> {
  try {
    return read(json::parse(text));
  } catch (const json::exception&) {
    return {};
  } catch (const Impossible&) {
    return {};
  }
}

} // namespace

std::string to_json(const Ready& ready) {
  return json{{"cpus", ready.cpus}, {"problem", ready.problem}, {"no_encryption", ready.no_encryption}}.dump();
}

std::string to_json(const Endpoint& card) { return json_of(card).dump(); }

std::string to_json(const Order& order) {
  json command = json::array();
  for (const std::string& word : order.command)
    command.push_back(as_text(word));
  json environment = json::object();
  for (const auto& [name, value] : order.environment)
    environment[as_text(name)] = as_text(value);
  return json{{"node", order.node},      {"host", order.host},         {"folder", as_text(order.folder)},
              {"command", command},      {"environment", environment}, {"stack_bytes", order.stack_bytes},
              {"encrypt", order.encrypt}}
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

std::string to_json(const Sealing& sealing) { return json{{"seal", sealing.secret}}.dump(); }

std::string size_problem(std::string_view order_json) {
  if (order_json.size() <= largest_frame_bytes)
    return {};
  return "the program's arguments and its environment make " + std::to_string(order_json.size()) +
         " bytes as they travel to a host, and at most " + std::to_string(largest_frame_bytes) + " can";
}

std::optional<Ready> read_ready(std::string_view text) {
  return parsed(text, [](const json& value) {
    return Ready{cpus_of(value.at("cpus")), value.at("problem").get<std::string>(),
                 value.at("no_encryption").get<std::string>()};
  });
}

std::optional<Endpoint> read_card(std::string_view text) { return parsed(text, endpoint_of); }

std::optional<Order> read_order(std::string_view text) {
  return parsed(text, [](const json& value) {
    Order order;
    order.node = number_of<uint32_t>(value.at("node"));
    order.host = value.at("host").get<std::string>();
    order.folder = as_bytes(value.at("folder").get<std::string>());
    for (const json& word : list(value.at("command")))
      order.command.push_back(as_bytes(word.get<std::string>()));
    const json& environment = value.at("environment");
    if (order.command.empty() || !environment.is_object())
      throw Impossible();
    for (const auto& [name, setting] : environment.items())
      order.environment[as_bytes(name)] = as_bytes(setting.get<std::string>());
    order.stack_bytes = number_of<uint64_t>(value.at("stack_bytes"));
    if (!value.at("encrypt").is_boolean())
      throw Impossible();
    order.encrypt = value.at("encrypt").get<bool>();
    return order;
  });
}

std::optional<Start> read_start(std::string_view text) {
  return parsed(text, [](const json& value) {
    Start start;
    start.secret = secret_of(value.at("secret"));
    for (const json& endpoint : list(value.at("endpoints")))
      start.endpoints.push_back(endpoint_of(endpoint));
    for (const json& host : list(value.at("hosts")))
      start.hosts.push_back(host.get<std::string>());
    for (const json& cpus : list(value.at("cpus")))
      if (start.cpus.emplace_back(cpus_of(cpus)).empty())
        throw Impossible();
    if (start.endpoints.size() != start.hosts.size() || start.endpoints.size() != start.cpus.size())
      throw Impossible();
    return start;
  });
}

std::optional<Exit> read_exit(std::string_view text) {
  return parsed(text, [](const json& value) {
    return Exit{number_of<int>(value.at("code")), number_of<int>(value.at("signal"))};
  });
}

std::optional<Sealing> read_sealing(std::string_view text) {
  return parsed(text, [](const json& value) { return Sealing{secret_of(value.at("seal"))}; });
}

std::optional<int> read_signal(std::string_view text) {
  return parsed(text, [](const json& value) { return number_of(value.at("signal"), 1, highest_signal); });
}

} // namespace hetmp::launch
