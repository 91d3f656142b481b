// What launcher and agents tell each other: every value arrives as it was, and a text that is not what it should be is
// nothing, whatever is wrong with it.
#include "runtime/launch/connection/frames.hpp"
#include "runtime/launch/orders.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <optional>

namespace hetmp::launch {
namespace {

std::string every_byte() {
  std::string bytes;
  for (int byte = 1; byte < 256; ++byte)
    bytes += char(byte);
  return bytes;
}

Ready some_ready() { return {{0, 1, 5, 4095}, "no userfaultfd: ask the administrator", "no libsodium"}; }

Endpoint some_card() { return {"fe80::1%eth0", 65535}; }

Order some_order() {
  Order order;
  order.node = 63;
  order.host = "user@b.example";
  order.folder = "/home/\xe4 \xff/x";
  order.command = {"./prog", "", "a b", "\"quoted\\", every_byte(), "\xf0\x9f\x98\x80", "\xc3"};
  order.environment = {{"PATH", "/bin"}, {"EMPTY", ""}, {"BYTES", every_byte()}, {"N\xe4ME", "\x80\xbf\xc0"}};
  order.stack_bytes = uint64_t(1) << 63;
  order.encrypt = true;
  return order;
}

Start some_start() {
  Start start;
  for (size_t i = 0; i < start.secret.size(); ++i)
    start.secret[i] = uint8_t(i * 37 + 200);
  start.endpoints = {{"10.0.0.1", 1}, {"::1", 4660}};
  start.hosts = {"a", "b"};
  start.cpus = {{0, 1}, {4095}};
  return start;
}

Exit some_exit() { return {255, 9}; }

Sealing some_sealing() { return {some_start().secret}; }

TEST(Orders, EveryValueArrives) {
  EXPECT_TRUE(read_ready(to_json(some_ready())) == some_ready());
  EXPECT_TRUE(read_ready(to_json(Ready{{0}, ""})) == (Ready{{0}, ""}));
  EXPECT_TRUE(read_card(to_json(some_card())) == some_card());
  EXPECT_TRUE(read_order(to_json(some_order())) == some_order());
  EXPECT_TRUE(read_start(to_json(some_start())) == some_start());
  EXPECT_TRUE(read_sealing(to_json(some_sealing())) == some_sealing());
  for (const Exit& exit : {some_exit(), Exit{0, 0}, Exit{0, 64}})
    EXPECT_TRUE(read_exit(to_json(exit)) == exit);
  for (int signal = 1; signal <= 64; ++signal)
    EXPECT_TRUE(read_signal(to_json(signal)) == signal);
}

TEST(Orders, EveryByteOfAnArgumentSurvives) {
  for (int first = 1; first < 256; ++first)
    for (const int second : {1, 0x22, 0x5c, 0x7f, 0x80, 0xbf, 0xc0, 0xc3, 0xff}) {
      Order order = some_order();
      order.command = {std::string{char(first), char(second)}};
      const auto read = read_order(to_json(order));
      ASSERT_TRUE(read);
      ASSERT_EQ(read->command, order.command) << first << ' ' << second;
    }
}

TEST(Orders, TextIsOneLineOfPlainCharacters) { // whatever travels in it
  for (const std::string& text : {to_json(some_order()), to_json(some_start())})
    EXPECT_EQ(text.find('\n'), std::string::npos);
}

/// Reads with the reader of each kind; true if it gives something.
struct Kind {
  const char* name;
  std::string text;
  std::function<bool(std::string_view)> reads;
};

std::vector<Kind> every_kind() {
  return {
      {"ready", to_json(some_ready()), [](std::string_view text) { return read_ready(text).has_value(); }},
      {"card", to_json(some_card()), [](std::string_view text) { return read_card(text).has_value(); }},
      {"order", to_json(some_order()), [](std::string_view text) { return read_order(text).has_value(); }},
      {"start", to_json(some_start()), [](std::string_view text) { return read_start(text).has_value(); }},
      {"exit", to_json(some_exit()), [](std::string_view text) { return read_exit(text).has_value(); }},
      {"signal", to_json(15), [](std::string_view text) { return read_signal(text).has_value(); }},
      {"sealing", to_json(some_sealing()), [](std::string_view text) { return read_sealing(text).has_value(); }},
  };
}

TEST(Orders, OneThatIsTooLongIsNamedBeforeItIsSent) {
  Order order = some_order();
  EXPECT_EQ(size_problem(to_json(order)), "");
  order.environment["LONG"] = std::string(largest_frame_bytes, 'x');
  EXPECT_NE(size_problem(to_json(order)).find("arguments and its environment"), std::string::npos);
  order.environment.erase("LONG");
  order.command.emplace_back(largest_frame_bytes / 2, '\x01'); // six characters each as it travels
  EXPECT_NE(size_problem(to_json(order)), "");
}

TEST(Orders, WhatIsNoJsonIsNothing) {
  const std::string deep(100'000, '[');
  for (const Kind& kind : every_kind()) {
    ASSERT_TRUE(kind.reads(kind.text)) << kind.name;
    for (size_t length = 0; length < kind.text.size(); ++length)
      ASSERT_FALSE(kind.reads(kind.text.substr(0, length))) << kind.name << " cut at " << length;
    for (const std::string& text :
         {std::string(), std::string(" "), std::string("null"), std::string("true"), std::string("0"),
          std::string("\"text\""), std::string("[]"), std::string("{}"), std::string("[{}]"), std::string("\0", 1),
          std::string("\xff\xfe"), std::string("{\"cpus\":"), kind.text + "x", kind.text + kind.text,
          '[' + kind.text + ']', deep, deep + std::string(deep.size(), ']')})
      EXPECT_FALSE(kind.reads(text)) << kind.name << ": " << text.substr(0, 100);
  }
}

TEST(Orders, OneKindIsNotTakenForAnother) {
  for (const Kind& kind : every_kind())
    for (const Kind& other : every_kind()) {
      const bool signal_of_exit = std::string(kind.name) == "signal" && std::string(other.name) == "exit";
      EXPECT_EQ(kind.reads(other.text), kind.name == std::string(other.name) || signal_of_exit)
          << kind.name << " reads " << other.text.substr(0, 100);
    }
}

/// A text of which one part is replaced, which must be there.
std::string with(std::string text, const std::string& part, const std::string& instead) {
  const size_t found = text.find(part);
  EXPECT_NE(found, std::string::npos) << part << " in " << text;
  return found == std::string::npos ? "" : text.replace(found, part.size(), instead);
}

struct Member {
  const char* name;
  const char* value; ///< as it is written
  std::vector<const char*> wrong;
};

void expect_refused(const std::string& text, const std::vector<Member>& members,
                    const std::function<bool(std::string_view)>& reads) {
  ASSERT_TRUE(reads(text)) << text;
  for (const Member& member : members) {
    const std::string name = '"' + std::string(member.name) + "\":";
    EXPECT_FALSE(reads(with(text, '"' + std::string(member.name) + '"', "\"other\""))) << "without " << member.name;
    for (const char* value : member.wrong)
      EXPECT_FALSE(reads(with(text, name + member.value, name + value))) << member.name << " as " << value;
  }
}

const std::vector<const char*> no_number = {"null", "true",  "false", "\"1\"", "1.5", "1.0",
                                            "1e3",  "1e300", "[]",    "[1]",   "{}",  "99999999999999999999999"};

std::vector<const char*> no_number_and(std::initializer_list<const char*> more) {
  std::vector<const char*> all = no_number;
  all.insert(all.end(), more);
  return all;
}

const std::vector<const char*> no_text = {"null", "true", "1", "1.5", "[]", "[\"a\"]", "{}", "{\"a\":\"b\"}"};
const std::vector<const char*> no_list_of_numbers = {"null",      "true",    "1",      "\"0\"",       "{}",
                                                     "{\"a\":1}", "[\"0\"]", "[1.5]",  "[true]",      "[null]",
                                                     "[[0]]",     "[-1]",    "[4096]", "[4294967296]"};

TEST(Orders, EachMemberOfReadyIsChecked) {
  expect_refused(
      R"({"cpus":[0,1],"problem":"x","no_encryption":"y"})",
      {{"cpus", "[0,1]", no_list_of_numbers}, {"problem", "\"x\"", no_text}, {"no_encryption", "\"y\"", no_text}},
      [](std::string_view text) { return read_ready(text).has_value(); });
}

TEST(Orders, EachMemberOfACardIsChecked) {
  expect_refused(
      R"({"address":"::1","port":80})",
      {{"address", "\"::1\"", no_text}, {"port", "80", no_number_and({"-1", "0", "65536", "70000", "4294967376"})}},
      [](std::string_view text) { return read_card(text).has_value(); });
}

TEST(Orders, EachMemberOfAnOrderIsChecked) {
  expect_refused(
      R"({"node":1,"host":"a","folder":"/","command":["x"],"environment":{"A":"b"},"stack_bytes":8,"encrypt":true})",
      {{"node", "1", no_number_and({"-1", "4294967296"})},
       {"host", "\"a\"", no_text},
       {"folder", "\"/\"", no_text},
       {"command",
        "[\"x\"]",
        {"null", "true", "1", "\"x\"", "{}", "{\"a\":\"x\"}", "[]", "[1]", "[null]", "[[\"x\"]]"}},
       {"environment", "{\"A\":\"b\"}", {"null", "true", "1", "\"A=b\"", "[]", "[\"b\"]", "{\"A\":1}", "{\"A\":null}"}},
       {"stack_bytes", "8", no_number_and({"-1"})},
       {"encrypt", "true", {"null", "1", "0", "\"true\"", "[]", "[true]", "{}"}}},
      [](std::string_view text) { return read_order(text).has_value(); });
}

TEST(Orders, EachMemberOfAStartIsChecked) {
  std::string secret = "[0";
  for (int i = 1; i < 32; ++i)
    secret += ',' + std::to_string(i);
  const std::string shorter = secret.substr(0, secret.rfind(',')) + ']', longer = secret + ",32]";
  const std::string large = secret.substr(0, secret.rfind(',')) + ",256]",
                    negative = secret.substr(0, secret.rfind(',')) + ",-1]";
  secret += ']';
  const std::string text =
      R"({"secret":)" + secret +
      R"(,"endpoints":[{"address":"a","port":1},{"address":"b","port":2}],"hosts":["a","b"],"cpus":[[0],[1]]})";
  expect_refused(
      text,
      {{"secret",
        secret.c_str(),
        {"null", "\"x\"", "[]", "{}", shorter.c_str(), longer.c_str(), large.c_str(), negative.c_str()}},
       {"endpoints",
        R"([{"address":"a","port":1},{"address":"b","port":2}])",
        {"null", "1", "{}", "[]", R"([{"address":"a","port":1}])", R"([{"address":"a","port":1},{"address":"b"}])",
         R"({"x":{"address":"a","port":1},"y":{"address":"b","port":2}})", R"([{"address":"a","port":1},"b"])"}},
       {"hosts",
        R"(["a","b"])",
        {"null", "\"ab\"", "[]", "[\"a\"]", "[\"a\",\"b\",\"c\"]", "[\"a\",1]", R"({"x":"a","y":"b"})"}},
       {"cpus",
        "[[0],[1]]",
        {"null", "[]", "[[0]]", "[0,1]", "[[0],[1],[2]]", "[[0],[\"1\"]]", "[[0],[-1]]", "[[0],[]]",
         R"({"x":[0],"y":[1]})"}}},
      [](std::string_view json) { return read_start(json).has_value(); });
}

TEST(Orders, TheSecretOfASealingIsChecked) {
  const std::string text = to_json(some_sealing());
  const std::string secret = text.substr(text.find('['), text.find(']') - text.find('[') + 1);
  const std::string shorter = secret.substr(0, secret.rfind(',')) + ']',
                    large = secret.substr(0, secret.rfind(',')) + ",256]";
  expect_refused(text, {{"seal", secret.c_str(), {"null", "\"x\"", "[]", "{}", shorter.c_str(), large.c_str()}}},
                 [](std::string_view json) { return read_sealing(json).has_value(); });
}

TEST(Orders, EachMemberOfAnExitIsChecked) {
  expect_refused(R"({"code":3,"signal":4})",
                 {{"code", "3", no_number_and({"4294967296", "-9223372036854775808"})},
                  {"signal", "4", no_number_and({"4294967296"})}},
                 [](std::string_view text) { return read_exit(text).has_value(); });
}

TEST(Orders, ASignalIsANumber) {
  expect_refused(R"({"signal":15})", {{"signal", "15", no_number_and({"4294967296", "0", "-9", "65"})}},
                 [](std::string_view text) { return read_signal(text).has_value(); });
}

} // namespace
} // namespace hetmp::launch
