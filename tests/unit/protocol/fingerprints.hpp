// A set of states of which only fingerprints are kept, 8 bytes each, and the queue of those still to be
// looked at.
//
// Two of n states share a fingerprint of 63 random bits with probability below n^2 / 2^64: then one of them
// would be taken for visited and not be looked at. For 200 million states that is 0.2 %.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace hetmp::dsm::protocol::model {

/// Never 0, and even: the lowest bit is the table's.
inline uint64_t fingerprint(std::string_view bytes) {
  const auto mix = [](uint64_t a, uint64_t b) {
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(a) * b;
    return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
  };
  uint64_t print = 0x9e3779b97f4a7c15u ^ bytes.size();
  for (size_t at = 0; at < bytes.size(); at += 8) {
    uint64_t word = 0;
    memcpy(&word, bytes.data() + at, std::min<size_t>(8, bytes.size() - at));
    print = mix(print ^ word ^ 0xd1342543de82ef95u, 0xa0761d6478bd642fu ^ at) + word;
  }
  print = mix(print ^ 0xe7037ed1a0b428dbu, 0x8ebc6af09c88c6e3u) & ~uint64_t{1};
  return print != 0 ? print : 2;
}

/// Open addressing, linear probing. The lowest bit of an entry: the state has been expanded, not only queued.
class FingerprintTable {
 public:
  /// Memory is taken as it is used. Throws std::bad_alloc if there is no address space.
  explicit FingerprintTable(size_t entries_log2)
      : mask((size_t{1} << entries_log2) - 1), table(static_cast<uint64_t*>(calloc(mask + 1, 8)), free) {
    if (!table)
      throw std::bad_alloc();
  }
  enum class Known : uint8_t { No, Queued, Expanded };

  /// What was known of the state; from now on it is at least queued, with `expand` expanded.
  Known visit(uint64_t print, bool expand) {
    for (size_t at = (print >> 20) & mask;; at = (at + 1) & mask) {
      uint64_t& entry = table.get()[at];
      if (entry != 0 && (entry & ~uint64_t{1}) != print)
        continue;
      const Known before = entry == 0 ? Known::No : entry & 1 ? Known::Expanded : Known::Queued;
      used += before == Known::No;
      entry = print | (entry & 1) | (expand ? 1 : 0);
      return before;
    }
  }
  size_t size() const { return used; }
  bool full() const { return used > mask / 8 * 7; }

 private:
  size_t mask, used = 0;
  std::unique_ptr<uint64_t, decltype(&free)> table;
};

/// First in, first out, packed.
class KeyQueue {
 public:
  bool empty() const { return chunks.empty(); }
  void push(std::string_view key) {
    if (chunks.empty() || chunks.back().size() + key.size() + 2 > chunk_bytes) {
      chunks.emplace_back();
      chunks.back().reserve(chunk_bytes);
    }
    std::string& chunk = chunks.back();
    chunk.push_back(static_cast<char>(key.size() & 255)), chunk.push_back(static_cast<char>(key.size() >> 8));
    chunk.append(key);
  }
  /// Requires !empty().
  std::string pop() {
    const std::string& chunk = chunks.front();
    const size_t length = static_cast<uint8_t>(chunk[at]) + 256u * static_cast<uint8_t>(chunk[at + 1]);
    std::string key = chunk.substr(at + 2, length);
    at += 2 + length;
    if (at == chunk.size())
      chunks.pop_front(), at = 0;
    return key;
  }

 private:
  static constexpr size_t chunk_bytes = size_t{1} << 18;
  std::deque<std::string> chunks;
  size_t at = 0; ///< in the first chunk
};

} // namespace hetmp::dsm::protocol::model
