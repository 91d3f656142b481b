// A libFuzzer target: bytes of other machines, to everything that reads such bytes. Besides what the sanitizers find,
// it is a fault when a stream means something else cut into other pieces, when a message has an impossible size, and
// when a value that was read does not survive being written and read again.
#include "runtime/launch/connection/frames.hpp"
#include "dsm/transport/frame_reader.hpp"
#include "dsm/transport/page_message.hpp"
#include "runtime/launch/orders.hpp"
#include "tests/fuzz/check.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

namespace {

using namespace hetmp;
using fuzz::check;

/// Sizes of pieces, from the input itself.
class Pieces {
 public:
  explicit Pieces(std::string_view input) : input_(input) {}
  size_t next(size_t most) {
    const size_t wanted = input_.empty() ? most : size_t(uint8_t(input_[at_++ % input_.size()])) * 17 + 1;
    return std::min(wanted, most);
  }

 private:
  std::string_view input_;
  size_t at_ = 0;
};

std::string read_messages(std::string_view stream, Pieces pieces) {
  dsm::FrameReader reader(0);
  std::string result;
  while (!stream.empty()) {
    const size_t count = pieces.next(std::min(stream.size(), reader.room_bytes()));
    check(count >= 1);
    memcpy(reader.room(), stream.data(), count);
    reader.filled(count);
    stream.remove_prefix(count);
    while (const auto slot = reader.next()) {
      const dsm::SlotHeader& header = slot->header;
      check(!reader.broken() && header.channel <= dsm::last_channel && header.header_bytes <= sizeof header.message &&
            header.data_bytes <= dsm::most_data_bytes);
      if (const auto pages = dsm::read_page_message(header))
        check(pages->count >= 1 && pages->count <= dsm::most_series_pages && pages->data_bytes() == header.data_bytes &&
              pages->message(pages->count - 1).page - pages->first.page ==
                  uint64_t(int64_t(pages->stride) * (pages->count - 1)));
      result.append(reinterpret_cast<const char*>(&header), sizeof header);
      result.append(reinterpret_cast<const char*>(slot->data), header.data_bytes);
    }
  }
  return result + (reader.broken() ? "broken" : "whole");
}

template <class Read> void read_one(std::string_view json, Read read) {
  if (const auto value = read(json)) {
    const std::string text = launch::to_json(*value);
    check(read(text) == value && launch::to_json(*read(text)) == text);
  }
}

void read_orders(std::string_view json) {
  read_one(json, launch::read_ready);
  read_one(json, launch::read_card);
  read_one(json, launch::read_order);
  read_one(json, launch::read_start);
  read_one(json, launch::read_exit);
  read_one(json, launch::read_signal);
  read_one(json, launch::read_sealing);
}

std::string read_frames(std::string_view stream, Pieces pieces, std::string_view greeting, bool contents) {
  launch::FrameDecoder decoder(greeting);
  std::string result;
  bool broken = false;
  while (!stream.empty()) {
    const size_t count = pieces.next(stream.size());
    decoder.add(stream.substr(0, count));
    stream.remove_prefix(count);
    while (const auto frame = decoder.next()) {
      check(!broken && frame->bytes.size() <= launch::largest_frame_bytes);
      result += launch::encode(frame->kind, frame->bytes);
      if (contents)
        read_orders(frame->bytes);
    }
    broken |= decoder.broken();
  }
  return result + (broken ? "broken" : "whole") + (decoder.greeted() ? "" : " not greeted");
}

} // namespace

/// The first byte says how many of the next are sizes of pieces.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view input(reinterpret_cast<const char*>(data), size);
  if (input.empty())
    return 0;
  const size_t sizes = std::min<size_t>(uint8_t(input[0]) % 16, input.size() - 1);
  const Pieces at_once({}), pieces(input.substr(1, sizes));
  input.remove_prefix(1 + sizes);
  check(read_messages(input, at_once) == read_messages(input, pieces));
  for (const std::string_view greeting : {std::string_view(), launch::agent_greeting})
    check(read_frames(input, at_once, greeting, true) == read_frames(input, pieces, greeting, false));
  read_orders(input);
  return 0;
}
