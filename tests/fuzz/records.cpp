// A libFuzzer target: the reader of sealed records. The input says which texts are sealed, what somebody on the way
// does to the records, and into which pieces the stream is cut. It is a fault, besides what the sanitizers find, when a
// text comes out that was not sealed in its place, when a stream that nobody changed does not come out whole, and when
// it means something else cut into other pieces.
#include "base/seal/record.hpp"
#include "base/seal/sodium_cipher.hpp"
#include "tests/fuzz/check.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

namespace {

using namespace hetmp::seal;
using hetmp::fuzz::check;
using Bytes = std::vector<uint8_t>;

/// Numbers from the input, zeros behind its end.
class Input {
 public:
  Input(const uint8_t* data, size_t size) : text_(reinterpret_cast<const char*>(data), size) {}
  bool empty() const { return text_.empty(); }
  size_t byte() {
    if (text_.empty())
      return 0;
    const auto value = uint8_t(text_.front());
    text_.remove_prefix(1);
    return value;
  }
  size_t number() { return byte() << 8 | byte(); }
  Bytes rest() {
    const Bytes bytes(text_.begin(), text_.end());
    text_ = {};
    return bytes;
  }

 private:
  std::string_view text_;
};

/// Of this input and no other: what libFuzzer saw compared in one, whole records among that, must not verify in the
/// next.
Key key_of(const uint8_t* data, size_t size) {
  const uint64_t number = hetmp::fuzz::number_of(data, size);
  Key key{};
  memcpy(key.data(), &number, sizeof number);
  return key;
}

struct Outcome {
  Bytes text;
  bool broken = false;
  bool operator==(const Outcome&) const = default;
};

Outcome read(const Cipher& cipher, const Key& key, const Bytes& stream, size_t piece) {
  RecordReader reader(cipher, key);
  Outcome outcome;
  static Bytes plain(most_plain_bytes);
  for (size_t at = 0; at < stream.size() && !reader.broken();) {
    check(reader.room_bytes() >= 1);
    const size_t count = std::min({piece, stream.size() - at, reader.room_bytes()});
    memcpy(reader.room(), stream.data() + at, count);
    reader.filled(count);
    at += count;
    while (const size_t opened = reader.next(plain.data())) {
      check(!reader.broken() && opened <= most_plain_bytes);
      outcome.text.insert(outcome.text.end(), plain.begin(), plain.begin() + std::ptrdiff_t(opened));
    }
  }
  outcome.broken = reader.broken();
  return outcome;
}

/// What somebody on the way may do.
void interfere(Input& input, std::vector<Bytes>& records) {
  const size_t which = input.byte() % records.size(), other = input.byte() % records.size();
  Bytes& record = records[which];
  const auto place = [&] { return std::ptrdiff_t(input.number() % record.size()); };
  switch (input.byte() % 7) {
  case 0:
    record[size_t(place())] ^= uint8_t(input.byte());
    break;
  case 1:
    record.resize(size_t(place()) + 1);
    break;
  case 2:
    record.insert(record.begin() + place(), uint8_t(input.byte()));
    break;
  case 3:
    std::swap(records[which], records[other]);
    break;
  case 4:
    records.insert(records.begin() + std::ptrdiff_t(other), Bytes(record));
    break;
  case 5:
    records.erase(records.begin() + std::ptrdiff_t(which));
    break;
  default: {
    const Bytes anything = input.rest();
    record.insert(record.end(), anything.begin(), anything.end());
  }
  }
}

Bytes join(const std::vector<Bytes>& parts) {
  Bytes all;
  for (const Bytes& part : parts)
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const Cipher* cipher = sodium_cipher();
  check(cipher != nullptr);
  Input input(data, size);
  const Key key = key_of(data, size);
  const size_t piece = input.number() + 1;
  RecordWriter writer(*cipher, key);
  std::vector<Bytes> records;
  Bytes text;
  for (size_t count = input.byte() % 8; count != 0; --count) {
    const Bytes more(input.number() % 5000 + 1, uint8_t(input.byte()));
    writer.seal(more.data(), more.size(), records.emplace_back());
    text.insert(text.end(), more.begin(), more.end());
  }
  const Bytes sealed = join(records);
  check(read(*cipher, key, sealed, piece) == Outcome{text, false});

  while (!input.empty() && !records.empty())
    interfere(input, records);
  const Bytes stream = join(records);
  const Outcome outcome = read(*cipher, key, stream, piece);
  check(outcome == read(*cipher, key, stream, size_t(1) << 30));
  check(outcome.text.size() <= text.size() && std::equal(outcome.text.begin(), outcome.text.end(), text.begin()));
  check(stream == sealed || outcome.broken || outcome.text.size() < text.size() ||
        std::equal(sealed.begin(), sealed.end(), stream.begin())); // whole, and the beginning of a record behind it
  read(*cipher, key, Bytes(data, data + size), piece);             // as a stranger writes them
  return 0;
}
