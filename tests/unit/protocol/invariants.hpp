// The protocol's invariants (letters as in dsm/protocol/node.hpp), checked on a state of the model.
#pragma once

#include "world.hpp"

#include <bit>

namespace hetmp::dsm::protocol::model {

inline bool is_request(MessageType type) {
  return type == MessageType::ReadRequest || type == MessageType::WriteRequest;
}

/// W: at most one writable copy, and then no other.
inline void check_single_writer(World& world, PageNumber page) {
  uint32_t copies = 0, writable = 0;
  for (uint32_t n = 0; n < world.dimensions().nodes; ++n) {
    copies += world.view(n, page).mapping != Mapping::None;
    writable += world.view(n, page).mapping == Mapping::Writable;
  }
  world.expect(writable == 0 || copies == 1, "W: a writable copy beside another copy");
}

/// L: what can be read, and what is under way, is what the sequential model says.
inline void check_latest_content(World& world, PageNumber page) {
  for (uint32_t n = 0; n < world.dimensions().nodes; ++n) {
    const View& view = world.view(n, page);
    world.expect(view.mapping == Mapping::None || view.content == world.expected(page), "L: a stale copy");
  }
  for (const InFlight& message : world.flying)
    if (message.message.page == page && carries_content(message.message.type))
      world.expect(message.content == world.expected(page), "L: stale content under way");
}

/// The protocol's idea of a node's copy is the page table's.
inline void check_agreement(World& world, PageNumber page) {
  for (uint32_t n = 0; n < world.dimensions().nodes; ++n)
    world.expect(static_cast<int>(world.node(n).state(page)) == static_cast<int>(world.view(n, page).mapping),
                 "D: local state and page table differ");
}

/// D: with no request being served, the directory names those who have a copy or will have it by what home
/// has sent.
inline void check_directory(World& world, PageNumber page) {
  const Transaction* busy = world.home(page).transaction(page);
  if (busy && busy->phase != Phase::Holding)
    return;
  uint64_t holders = 0;
  bool exclusive = false;
  for (uint32_t n = 0; n < world.dimensions().nodes; ++n) {
    const Mapping mapping = world.view(n, page).mapping;
    holders |= mapping != Mapping::None ? uint64_t{1} << n : 0;
    exclusive |= mapping == Mapping::Writable;
  }
  for (const InFlight& message : world.flying) {
    const MessageType type = message.message.type;
    if (message.message.page != page)
      continue;
    if (carries_content(type))
      holders |= uint64_t{1} << message.to;
    exclusive |= type == MessageType::DataExclusive || type == MessageType::Grant;
  }
  const Sharing sharing = world.home(page).sharing(page);
  world.expect(sharing.holders == holders, "D: the directory's holders are not the holders");
  world.expect(sharing.exclusive == exclusive, "D: the directory is wrong about exclusiveness");
  world.expect((holders >> sharing.owner) & 1, "D: the owner is not a holder");
}

/// O: a node that waits for an answer has exactly one request, or answer to it, under way; another node has
/// none.
inline void check_one_request(World& world, PageNumber page) {
  const uint32_t nodes = world.dimensions().nodes;
  uint8_t under_way[most_nodes] = {};
  for (const InFlight& message : world.flying) {
    const MessageType type = message.message.type;
    if (message.message.page != page)
      continue;
    if (is_request(type))
      ++under_way[message.from];
    else if (carries_content(type) || type == MessageType::Grant)
      ++under_way[message.to];
    else if (type == MessageType::FetchShared || type == MessageType::FetchExclusive)
      ++under_way[message.message.requester];
  }
  if (const Transaction* busy = world.home(page).transaction(page)) {
    for (uint32_t i = 0; i < busy->queue.size(); ++i)
      ++under_way[busy->queue.at(i).node];
    if (busy->phase == Phase::Invalidating)
      ++under_way[busy->current.node];
  }
  for (uint32_t n = 0; n < nodes; ++n) {
    const bool waits = world.node(n).outstanding(page) != Outstanding::None;
    world.expect(under_way[n] == (waits ? 1 : 0), "O: a node waits without a request, or has two");
    const View& view = world.view(n, page);
    world.expect(waits || (!view.reader_blocked && view.writer != WriteThread::Blocked),
                 "P: a thread waits and nobody knows");
  }
}

/// P, for a world in which nothing can go on by itself: it is at rest.
inline void check_rest(World& world) {
  world.expect(world.flying.empty(), "P: messages that cannot be delivered");
  for (PageNumber p = 0; p < world.dimensions().pages; ++p) {
    world.expect(!world.home(p).transaction(p), "P: a transaction that never ends");
    for (uint32_t n = 0; n < world.dimensions().nodes; ++n) {
      const View& view = world.view(n, p);
      world.expect(world.node(n).outstanding(p) == Outstanding::None, "P: a request that is never answered");
      world.expect(!view.reader_blocked && view.writer == WriteThread::None,
                   "P: a thread that waits for ever");
    }
  }
}

/// Everything that must hold in every state. With a seeded bug in the edge only what the program can notice
/// counts.
inline void check_page(World& world, PageNumber page) {
  check_single_writer(world, page);
  check_latest_content(world, page);
  if (world.seeded_bug() != Bug::None)
    return;
  check_agreement(world, page);
  check_directory(world, page);
  check_one_request(world, page);
}

inline void check(World& world) {
  size_t busy[most_nodes] = {};
  for (PageNumber p = 0; p < world.dimensions().pages; ++p) {
    check_page(world, p);
    busy[world.node(0).home(p)] += world.home(p).transaction(p) != nullptr;
  }
  for (uint32_t n = 0; n < world.dimensions().nodes; ++n)
    world.expect(world.node(n).busy_pages() == busy[n], "O: a side-table entry without a busy page");
}

} // namespace hetmp::dsm::protocol::model
