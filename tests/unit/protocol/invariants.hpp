// The protocol's invariants (letters as in dsm/protocol/node.hpp), checked on a state of the model.
#pragma once

#include "key.hpp"

#include <algorithm>
#include <bit>

namespace hetmp::dsm::protocol::model {

/// W: at most one writable copy, and then no other. Nodes that were lost or know of a loss count: their
/// threads run on.
inline void check_single_writer(World& world, PageNumber page) {
  uint32_t copies = 0, writable = 0;
  for (uint32_t n = 0; n < world.dimensions().nodes; ++n) {
    copies += world.view(n, page).mapping != Mapping::None;
    writable += world.view(n, page).mapping == Mapping::Writable || world.view(n, page).mapping == Mapping::Watched;
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
    world.expect(static_cast<int>(world.node(n).state(page)) ==
                     std::min(static_cast<int>(world.view(n, page).mapping), static_cast<int>(Mapping::Writable)),
                 "D: local state and page table differ");
}

/// D: with no request being served, the directory names those who have a copy or will have it by what home
/// has sent.
inline void check_directory(World& world, PageNumber page, const Sharing& sharing) {
  uint64_t holders = 0;
  bool exclusive = false;
  for (uint32_t n = 0; n < world.dimensions().nodes; ++n) {
    const Mapping mapping = world.view(n, page).mapping;
    holders |= mapping != Mapping::None ? uint64_t{1} << n : 0;
    exclusive |= mapping == Mapping::Writable || mapping == Mapping::Watched;
  }
  for (const InFlight& message : world.flying) {
    const MessageType type = message.message.type;
    if (message.message.page != page)
      continue;
    if (carries_content(type))
      holders |= uint64_t{1} << message.to;
    exclusive |= type == MessageType::DataExclusive || type == MessageType::Grant;
  }
  world.expect(sharing.holders == holders, "D: the directory's holders are not the holders");
  world.expect(sharing.exclusive == exclusive, "D: the directory is wrong about exclusiveness");
  world.expect((holders >> sharing.owner) & 1, "D: the owner is not a holder");
}

/// H: one node is home, or one message is on its way that makes one so and says all that the directory has to
/// know. The registrar always knows which.
inline void check_home(World& world, PageNumber page) {
  uint32_t homes = 0, expected = UINT32_MAX;
  for (uint32_t n = 0; n < world.dimensions().nodes; ++n)
    if (world.node(n).is_home(page))
      ++homes, expected = n;
  for (const InFlight& message : world.flying) {
    const MessageType type = message.message.type;
    if (message.message.page != page)
      continue;
    const bool taken_over =
        names_home(type) && message.message.home == message.to && !world.node(message.to).is_home(page);
    if (taken_over || type == MessageType::Return) {
      const uint32_t owner = type == MessageType::Return ? message.message.requester : message.to;
      ++homes, expected = message.to;
      check_directory(world, page, {uint64_t{1} << owner, owner, true});
    }
  }
  world.expect(homes == 1, "H: no home, or two");
  const uint32_t registrar = world.node(0).registrar(page);
  const bool comes_back = expected == registrar && !world.home(page);
  world.expect(comes_back || world.node(registrar).home(page) == expected, "H: the registrar knows another home");
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
    if (is_request(type) || type == MessageType::FetchShared || type == MessageType::FetchExclusive)
      ++under_way[message.message.requester];
    else if (names_home(type) || type == MessageType::Keep)
      ++under_way[message.to];
  }
  const Node* home = world.home(page);
  if (const Transaction* busy = home ? home->transaction(page) : nullptr) {
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

/// P, for a world in which nothing can go on by itself: it is at rest, or all nodes know that one was lost.
inline void check_rest(World& world) {
  world.expect(world.flying.empty(), "P: messages that cannot be delivered");
  if (world.stopped()) {
    const uint32_t nodes = world.dimensions().nodes;
    world.expect(static_cast<uint32_t>(std::popcount(world.stopped())) == nodes, "P: a survivor that waits for ever");
    return;
  }
  for (PageNumber p = 0; p < world.dimensions().pages; ++p) {
    world.expect(!world.home(p) || !world.home(p)->transaction(p), "P: a transaction that never ends");
    for (uint32_t n = 0; n < world.dimensions().nodes; ++n) {
      const View& view = world.view(n, p);
      world.expect(world.node(n).outstanding(p) == Outstanding::None, "P: a request that is never answered");
      world.expect(!view.reader_blocked && view.writer == WriteThread::None, "P: a thread that waits for ever");
    }
  }
}

/// Everything that must hold in every state. With a seeded bug in the edge only what the program can notice
/// counts; after a loss, what the nodes know need not agree any more.
inline void check_page(World& world, PageNumber page) {
  check_single_writer(world, page);
  check_latest_content(world, page);
  if (world.seeded_bug() != Bug::None || world.stopped())
    return;
  check_agreement(world, page);
  check_home(world, page);
  const Node* home = world.home(page);
  const Transaction* busy = home ? home->transaction(page) : nullptr;
  if (home && (!busy || busy->phase == Phase::Holding))
    check_directory(world, page, home->sharing(page));
  check_one_request(world, page);
}

inline void check(World& world) {
  for (PageNumber p = 0; p < world.dimensions().pages; ++p)
    check_page(world, p);
  if (world.stopped())
    return;
  for (uint32_t n = 0; n < world.dimensions().nodes; ++n) {
    size_t busy = 0;
    for (PageNumber p = 0; p < world.dimensions().pages; ++p)
      busy += world.node(n).transaction(p) != nullptr;
    world.expect(world.node(n).busy_pages() == busy, "O: a side-table entry without a busy page");
  }
}

} // namespace hetmp::dsm::protocol::model
