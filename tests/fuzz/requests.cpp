// A libFuzzer target: bytes of another node's runtime. Besides what the sanitizers find, it is a fault when a message
// that is accepted is not the one that would be sent, and when the coordinator or a reader of it cannot bear it.
#include "runtime/global/codec.hpp"
#include "runtime/global/coordinator.hpp"
#include "tests/fuzz/check.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <vector>

namespace {

using namespace hetmp;
using namespace hetmp::runtime;
using fuzz::check;

constexpr size_t cpus_of_a_node = 2;
constexpr size_t nodes = 4;

void is_sent_so(std::string_view bytes, const Message& message) {
  const auto same = [&](const auto& content) {
    const EncodedMessage again(content);
    return again.size() == bytes.size() && memcmp(again.data(), bytes.data(), bytes.size()) == 0;
  };
  check(std::visit(same, message), "what is accepted would be sent otherwise");
}

/// What it answers has to be fit to travel.
void ask(Coordinator& coordinator, const Request& request) {
  std::vector<Answer> answers;
  const bool right = coordinator.handle(request, answers);
  check(right || answers.empty(), "a request that cannot be is answered");
  for (const Answer& answer : answers) {
    const EncodedMessage encoded(answer);
    Message message;
    check(answer.to.node < nodes, "a node that there is not is answered");
    check(!decode(encoded.bytes(), message), "an answer that nobody accepts");
  }
}

} // namespace

/// Messages behind one another, each with two bytes in front that say how long it is.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Coordinator coordinator({}, std::vector<uint32_t>(nodes, cpus_of_a_node));
  std::string_view input = fuzz::text_of(data, size);
  while (input.size() >= 2) {
    const size_t wanted = size_t(uint8_t(input[0])) | size_t(uint8_t(input[1])) << 8;
    input.remove_prefix(2);
    // Of its own, so that the sanitizer sees who reads behind its end.
    const std::vector<char> bytes(input.begin(), input.begin() + std::ptrdiff_t(std::min(wanted, input.size())));
    input.remove_prefix(bytes.size());
    Message message;
    if (decode(std::as_bytes(std::span(bytes)), message))
      continue;
    is_sent_so({bytes.data(), bytes.size()}, message);
    if (const auto* request = std::get_if<Request>(&message))
      ask(coordinator, *request);
  }
  return 0;
}
