// Some of the program's nodes: of a team, of a decision, of those that are asked.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <type_traits>

namespace hetmp {

/// Nodes of one program: one bit each in a word, here and in what they send each other.
inline constexpr uint32_t most_nodes = 64;

/// A set of node numbers below most_nodes. Trivially copyable: it travels in messages.
class NodeSet {
 public:
  /// Ascending node numbers.
  class Iterator {
   public:
    using value_type = uint32_t;
    using difference_type = std::ptrdiff_t;

    constexpr Iterator() = default;
    constexpr explicit Iterator(uint64_t left) : left_(left) {}
    constexpr uint32_t operator*() const { return static_cast<uint32_t>(std::countr_zero(left_)); }
    constexpr Iterator& operator++() {
      left_ &= left_ - 1;
      return *this;
    }
    constexpr Iterator operator++(int) {
      const Iterator before = *this;
      ++*this;
      return before;
    }
    constexpr bool operator==(const Iterator&) const = default;

   private:
    uint64_t left_ = 0;
  };

  /// None.
  constexpr NodeSet() = default;
  static constexpr NodeSet of(uint32_t node) { return NodeSet(uint64_t{1} << node); }
  /// Nodes 0 to `count` - 1; `count` <= most_nodes.
  static constexpr NodeSet first_of(uint32_t count) {
    return NodeSet(count >= most_nodes ? ~uint64_t{0} : (uint64_t{1} << count) - 1);
  }
  /// However many there are.
  static constexpr NodeSet all() { return first_of(most_nodes); }
  /// Bit i: node i.
  static constexpr NodeSet of_bits(uint64_t bits) { return NodeSet(bits); }

  constexpr uint64_t bits() const { return bits_; }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr uint32_t size() const { return static_cast<uint32_t>(std::popcount(bits_)); }
  /// Any number may be asked about.
  constexpr bool contains(uint32_t node) const { return node < most_nodes && (bits_ >> node & 1) != 0; }
  constexpr bool contains(NodeSet others) const { return (others.bits_ & ~bits_) == 0; }
  /// The lowest and the highest number; of a set that is not empty.
  constexpr uint32_t first() const { return static_cast<uint32_t>(std::countr_zero(bits_)); }
  constexpr uint32_t last() const { return static_cast<uint32_t>(std::bit_width(bits_)) - 1; }

  constexpr void add(uint32_t node) { bits_ |= of(node).bits_; }
  constexpr void remove(uint32_t node) { bits_ &= ~of(node).bits_; }
  constexpr NodeSet with(uint32_t node) const { return *this | of(node); }
  constexpr NodeSet without(uint32_t node) const { return *this - of(node); }

  constexpr NodeSet operator|(NodeSet others) const { return NodeSet(bits_ | others.bits_); }
  constexpr NodeSet operator&(NodeSet others) const { return NodeSet(bits_ & others.bits_); }
  constexpr NodeSet operator-(NodeSet others) const { return NodeSet(bits_ & ~others.bits_); }
  constexpr bool operator==(const NodeSet&) const = default;

  constexpr Iterator begin() const { return Iterator(bits_); }
  constexpr Iterator end() const { return Iterator(0); }

 private:
  constexpr explicit NodeSet(uint64_t bits) : bits_(bits) {}

  uint64_t bits_ = 0;
};
static_assert(std::is_trivially_copyable_v<NodeSet> && sizeof(NodeSet) == sizeof(uint64_t));
static_assert(std::forward_iterator<NodeSet::Iterator>);

/// The numbers, for a person.
std::string to_string(NodeSet nodes, const char* separator = ",");

} // namespace hetmp
