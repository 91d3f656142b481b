// What is stored for each page: two bytes on every node, a directory entry of 12 bytes at the page's home.
// Both arrays belong to the edge, which maps zero memory lazily; all-zero bytes mean "the home is where the
// plan has it, and exclusive there; nothing going on".
#pragma once

#include "base/check.hpp"
#include "dsm/protocol/home_policy.hpp"
#include "dsm/protocol/message.hpp"

#include <cstdint>

namespace hetmp::dsm::protocol {

/// What this node may do with a page.
enum class LocalState : uint8_t {
  Invalid,  ///< no copy: any access faults
  Shared,   ///< mapped write-protected: a write faults. Other nodes may hold Shared copies
  Exclusive ///< mapped writable: no other node holds a copy
};

/// The request this node has sent to (or, at home, entered in) the page's directory and that was not yet
/// answered.
enum class Outstanding : uint8_t { None, Read, Write };

/// State of one page on one node.
class LocalPage {
 public:
  /// `at_registrar`: the plan has the page's home at this node.
  LocalState state(bool at_registrar) const {
    const uint8_t stored = bits & 3;
    if (stored == 0)
      return at_registrar ? LocalState::Exclusive : LocalState::Invalid;
    return static_cast<LocalState>(stored - 1);
  }
  Outstanding outstanding() const { return static_cast<Outstanding>(bits >> 2); }
  void set(LocalState state, Outstanding outstanding) {
    bits = static_cast<uint8_t>((static_cast<uint8_t>(state) + 1) | (static_cast<uint8_t>(outstanding) << 2));
  }
  /// Where the page's home is as far as this node knows: see Node::home().
  uint32_t home(uint32_t registrar) const { return moved_to == 0 ? registrar : moved_to - 1u; }
  void set_home(uint32_t home, uint32_t registrar) {
    HETMP_CHECK(home < most_nodes);
    moved_to = static_cast<uint8_t>(home == registrar ? 0 : home + 1);
  }

 private:
  uint8_t bits = 0;     ///< bits 0-1: 0 untouched, else LocalState + 1; bits 2-3: Outstanding
  uint8_t moved_to = 0; ///< 0: the registrar, else a node + 1
};
static_assert(sizeof(LocalPage) == 2);

/// Who holds a page, as its home sees it.
struct Sharing {
  uint64_t holders = 0;  ///< bit n: node n has a copy (or one is on its way to it); never empty
  uint32_t owner = 0;    ///< the latest writer; a holder whenever the page is idle. Sends content when home has none
  bool exclusive = true; ///< the owner, then the only holder, may write
};

/// Directory entry of one page, at its home. 12 bytes: split words keep the alignment at 4.
class DirectoryEntry {
 public:
  Sharing sharing(uint32_t home) const {
    if (!(word & touched))
      return {uint64_t{1} << home, home, true};
    return {(uint64_t{high} << 32) | low, word & owner_mask, (word & exclusive) != 0};
  }
  void set(const Sharing& sharing) {
    HETMP_CHECK(sharing.owner < most_nodes && sharing.holders != 0); // L: the content is somewhere
    // W: who may write is the only holder.
    HETMP_CHECK(!sharing.exclusive || sharing.holders == uint64_t{1} << sharing.owner);
    low = static_cast<uint32_t>(sharing.holders);
    high = static_cast<uint32_t>(sharing.holders >> 32);
    word = (word & ~(owner_mask | exclusive)) | sharing.owner | touched | (sharing.exclusive ? exclusive : 0);
  }
  /// See home_policy.hpp.
  uint32_t streak() const { return (word >> streak_shift) & longest_streak; }
  void set_streak(uint32_t streak) {
    HETMP_CHECK(streak <= longest_streak);
    word = (word & ~(longest_streak << streak_shift)) | (streak << streak_shift);
  }
  /// Index of the page's transaction in the side table; 0 when it is idle.
  uint32_t slot() const { return word >> slot_shift; }
  void set_slot(uint32_t slot) {
    HETMP_CHECK(slot <= largest_slot && (slot == 0 || this->slot() == 0)); // O: one transaction
    word = (word & ((1u << slot_shift) - 1)) | (slot << slot_shift);
  }
  static constexpr uint32_t largest_slot = (1u << 22) - 1;

 private:
  static constexpr uint32_t owner_mask = 63, exclusive = 64, touched = 128, streak_shift = 8, slot_shift = 10;
  static_assert(longest_streak == (1u << (slot_shift - streak_shift)) - 1);
  uint32_t low = 0, high = 0; ///< Sharing::holders
  uint32_t word = 0;          ///< bits 0-5 owner, 6 exclusive, 7 touched, 8-9 streak, 10-31 slot
};
static_assert(sizeof(DirectoryEntry) == 12 && alignof(DirectoryEntry) == 4);

/// Where a node keeps its pages. The arrays outlive the Node; entries are touched only for pages in use.
struct Storage {
  LocalPage* local = nullptr;          ///< `pages` entries
  DirectoryEntry* directory = nullptr; ///< `pages` entries; only those whose home is or was this node are used
  PageNumber pages = 0;
  /// A page's registrar: its first home, which later knows where its home is. A pure function, the same on
  /// every node, below the number of nodes.
  uint32_t (*home_of)(const void* plan, PageNumber page) = nullptr;
  const void* plan = nullptr; ///< passed to home_of and moves
  /// Whether the home goes with an exclusive page. The protocol is right whatever it answers.
  bool (*moves)(const void* plan, uint32_t streak, uint32_t nodes) = [](const void*, uint32_t streak, uint32_t nodes) {
    return home_moves(streak, nodes);
  };
};

} // namespace hetmp::dsm::protocol
