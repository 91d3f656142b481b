// A libFuzzer target: bytes of another node's runtime. Besides what the sanitizers find, it is a fault when a message
// that is accepted is not the one that would be sent, when the coordinator or a reader of it cannot bear it, and when a
// name leads to what is no code.
#include "base/elf/code_map.hpp"
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

/// Where a name leads, there is code, and it has that name.
void names_code(CodeId id) {
  static const std::vector<ObjectCode> objects = loaded_code();
  static const CodeMap map(objects);
  const uintptr_t address = map.address_of(id);
  if (address == 0)
    return;
  const bool is_code = std::ranges::any_of(objects, [address](const ObjectCode& object) {
    return std::ranges::any_of(
        object.spans, [address](const ObjectCode::Span& span) { return address >= span.begin && address < span.end; });
  });
  check(is_code, "a name leads to what is no code");
  check(map.id_of(address) == id, "a name leads to what is called otherwise");
}

void names_code(const Message& message) {
  if (const auto* start = std::get_if<TeamStart>(&message)) {
    names_code(start->code.microtask);
    names_code(start->code.invoke);
  }
  const auto* request = std::get_if<Request>(&message);
  const auto* offer = request ? std::get_if<Request::OfferTasks>(&request->content) : nullptr;
  for (uint32_t i = 0; offer && i < offer->tasks.count; ++i) {
    names_code(offer->tasks.tasks[i].function);
    names_code(offer->tasks.tasks[i].finalise);
  }
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
    names_code(message);
    if (const auto* request = std::get_if<Request>(&message))
      ask(coordinator, *request);
  }
  return 0;
}
