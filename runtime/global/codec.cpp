#include "runtime/global/codec.hpp"

#include "base/check.hpp"
#include "runtime/global/codec_fields.hpp"
#include "runtime/global/heard_cancellations.hpp"

#include <cmath>
#include <cstring>
#include <type_traits>
#include <utility>

namespace hetmp::runtime {
namespace {

using namespace message_fields;

/// The last of an enumeration that travels.
template <class E> constexpr E last_of = E{};
template <> constexpr ScheduleKind last_of<ScheduleKind> = ScheduleKind::HetProbeI;
template <> constexpr Assignment::Distribution last_of<Assignment::Distribution> = Assignment::Distribution::Guided;

// What is wrong with values whose fields could all be read.

constexpr const char* no_such_node = "names a node that there cannot be";
constexpr const char* no_code = "names no code to execute";
constexpr const char* nothing_to_cancel = "cancels what there cannot be";

template <class T> const char* problem(const T&) { return nullptr; }
const char* problem(const Asker& it) { return it.node < most_nodes ? nullptr : no_such_node; }
const char* problem(const Request::TakeCopies& it) { return it.of_node < most_nodes ? nullptr : no_such_node; }
const char* problem(const Request::ReturnTask& it) { return it.origin < most_nodes ? nullptr : no_such_node; }
/// Threads number what they meet from 2 on (loops/cancelling.cpp).
bool can_be_cancelled(uint64_t team, uint32_t construct) { return team != 0 && construct != 1; }
const char* problem(const Request::Cancel& it) {
  const bool is_region = it.construct == HeardCancellations::whole_region;
  return can_be_cancelled(it.team, it.construct) && !(is_region && it.loop != 0) ? nullptr : nothing_to_cancel;
}
const char* problem(const Answer::Cancelled& it) {
  return can_be_cancelled(it.team, it.construct) ? nullptr : nothing_to_cancel;
}
const char* problem(const Schedule& it) {
  return it.probe_percent > 0 && it.probe_percent <= 100 ? nullptr : "has a probe that is no part of a loop";
}
const char* problem(const NodeMeasurement& it) {
  return std::isfinite(it.thread_us) && std::isfinite(it.busy_us) && std::isfinite(it.span_us) &&
                 std::isfinite(it.granted_cpus)
             ? nullptr
             : "has a time that is no number";
}
const char* problem(const Assignment& it) {
  uint64_t next = 0;
  for (const Range& piece : std::span(it.pieces, it.piece_count)) {
    if (piece.begin < next || piece.empty())
      return "has pieces of a loop that do not follow each other";
    next = piece.end;
  }
  return nullptr;
}
const char* problem(const HandedTask& it) { return it.function ? nullptr : no_code; }
const char* problem(const TeamCode& it) { return it.microtask && it.invoke ? nullptr : no_code; }
const char* problem(const Handover& it) {
  if (it.origin >= most_nodes)
    return no_such_node;
  return it.count != 0 ? nullptr : "hands over no task";
}
const char* problem(const TeamDescription& it) {
  if (it.node >= most_nodes || it.participants.size() != it.nodes || !it.participants.contains(it.node))
    return no_such_node;
  if (it.local_threads == 0 || it.first_thread >= it.threads || it.local_threads > it.threads - it.first_thread)
    return "starts threads that are not the team's";
  return float_control::is_valid(it.float_control) ? nullptr : "has threads compute as no processor does";
}

class Writer {
 public:
  explicit Writer(std::span<std::byte> to) : to_(to) {}

  void operator()(const auto&... values) { (put(values), ...); }
  template <class T, size_t most> void counted(uint32_t count, const T (&values)[most]) {
    HETMP_CHECK(count <= most);
    put(count);
    for (const T& value : std::span(values, count))
      put(value);
  }
  uint32_t size() const { return uint32_t(size_); }

 private:
  void raw(const void* from, size_t bytes) {
    HETMP_CHECK(bytes <= to_.size() - size_);
    memcpy(to_.data() + size_, from, bytes);
    size_ += bytes;
  }

  template <class T> void put(const T& value) {
    if constexpr (Number<T> || std::is_enum_v<T> || std::same_as<T, bool>)
      raw(&value, sizeof value);
    else if constexpr (Pointer<T>)
      put(reinterpret_cast<uintptr_t>(value));
    else
      fields(*this, value);
  }
  void put(NodeSet value) { put(value.bits()); }
  void put(std::string_view text) {
    put(uint32_t(text.size()));
    if (!text.empty())
      raw(text.data(), text.size());
  }
  template <class... T> void put(const std::variant<T...>& value) {
    put(uint8_t(value.index()));
    std::visit([this](const auto& content) { this->put(content); }, value);
  }

  std::span<std::byte> to_;
  size_t size_ = 0;
};

/// Remembers the first that is wrong; reads zeros from there on.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> from) : from_(from) {}

  void operator()(auto&... values) { (get(values), ...); }
  template <class T, size_t most> void counted(uint32_t& count, T (&values)[most]) {
    get(count);
    if (count > most)
      refuse("counts more than there may be");
    if (wrong_)
      count = 0;
    for (T& value : std::span(values, count))
      get(value);
  }
  /// Null: all was read, and all was right.
  const char* end() {
    if (!from_.empty())
      refuse("is too long");
    return wrong_;
  }
  template <class... T> void get(std::variant<T...>& value) {
    uint8_t index = 0;
    get(index);
    if (index >= sizeof...(T))
      refuse("is of a kind that there is not");
    if (!wrong_)
      choose(value, index, std::index_sequence_for<T...>{});
  }

 private:
  void refuse(const char* why) {
    if (!wrong_)
      wrong_ = why;
    from_ = {};
  }

  const std::byte* take(size_t bytes) {
    if (bytes > from_.size()) {
      refuse("is too short");
      return nullptr;
    }
    const std::byte* taken = from_.data();
    from_ = from_.subspan(bytes);
    return taken;
  }

  template <class T> void get(T& value) {
    if constexpr (Number<T>) {
      const std::byte* bytes = take(sizeof value);
      value = {};
      if (bytes)
        memcpy(&value, bytes, sizeof value);
    } else if constexpr (std::is_enum_v<T>) {
      std::underlying_type_t<T> number = 0;
      get(number);
      if (number > static_cast<std::underlying_type_t<T>>(last_of<T>))
        refuse("has a value that its kind has not");
      value = wrong_ ? T{} : static_cast<T>(number);
    } else if constexpr (Pointer<T>) {
      uintptr_t address = 0;
      get(address);
      value = reinterpret_cast<T>(address);
    } else {
      fields(*this, value);
      if (const char* why = problem(value); why && !wrong_)
        refuse(why);
    }
  }
  void get(bool& value) {
    uint8_t number = 0;
    get(number);
    if (number > 1)
      refuse("has a truth value that is neither");
    value = number == 1;
  }
  void get(NodeSet& value) {
    uint64_t bits = 0;
    get(bits);
    value = NodeSet::of_bits(bits);
  }
  void get(std::string_view& text) {
    uint32_t length = 0;
    get(length);
    if (length > Request::longest_source)
      refuse("has a text that is too long");
    const std::byte* bytes = wrong_ ? nullptr : take(length);
    text = bytes ? std::string_view(reinterpret_cast<const char*>(bytes), length) : std::string_view();
  }
  template <class Variant, size_t... which> void choose(Variant& value, uint8_t index, std::index_sequence<which...>) {
    ((which == index ? get(value.template emplace<which>()) : void()), ...);
  }

  std::span<const std::byte> from_;
  const char* wrong_ = nullptr;
};

template <class T, class... Others> constexpr uint8_t place_in(const std::variant<Others...>*) {
  uint8_t place = 0, found = 0;
  ((std::same_as<T, Others> ? void(found = place) : void(), ++place), ...);
  return found;
}

/// As it would be written as part of a Message, which is not made for it: by its parts.
template <class T> uint32_t write(std::span<std::byte> to, const auto&... parts) {
  Writer writer(to);
  writer(place_in<T>(static_cast<const Message*>(nullptr)), parts...);
  return writer.size();
}

} // namespace

static_assert(EncodedMessage::most_bytes >= sizeof(TeamStart) && EncodedMessage::most_bytes >= sizeof(Answer) &&
                  EncodedMessage::most_bytes >= sizeof(Request) + Request::longest_source,
              "nothing is longer as bytes than as a structure, but for the texts it points to");

EncodedMessage::EncodedMessage(const Request& request) : size_(write<Request>(bytes_, request)) {}
EncodedMessage::EncodedMessage(const Answer& answer) : size_(write<Answer>(bytes_, answer)) {}
EncodedMessage::EncodedMessage(const TeamDescription& part, const TeamCode& code)
    : size_(write<TeamStart>(bytes_, code, part)) {}
EncodedMessage::EncodedMessage(ReportWanted wanted) : size_(write<ReportWanted>(bytes_, wanted)) {}

const char* decode(std::span<const std::byte> bytes, Message& to) {
  Reader reader(bytes);
  reader.get(to);
  return reader.end();
}

} // namespace hetmp::runtime
