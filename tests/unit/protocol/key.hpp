// All that decides the future of a world, as bytes; and a world made of such bytes.
//
// Content is reduced to "latest or not": every copy and every message in flight is compared with the latest
// write only. The streak that the policy of moving looks at is left out, since in the model the policy
// answers as it likes. Of a node that takes no events any more only its page table counts, which its threads
// may still use. So worlds that agree in their keys agree in all that follows.
#pragma once

#include "world.hpp"

#include <array>
#include <bit>
#include <cassert>
#include <cstring>
#include <string_view>
#include <vector>

namespace hetmp::dsm::protocol::model {

inline constexpr uint32_t most_key_nodes = 15;

/// Renames nodes and pages without changing what can happen.
struct Renaming {
  std::array<uint8_t, most_key_nodes> node{};  ///< new number by old
  std::array<uint8_t, most_key_nodes> nodes{}; ///< old by new
  std::array<uint8_t, 4> pages{};              ///< old by new

  static Renaming of(const std::vector<uint8_t>& new_nodes, const std::vector<uint8_t>& old_pages) {
    Renaming result;
    for (uint8_t old = 0; old < new_nodes.size(); ++old)
      result.node[old] = new_nodes[old], result.nodes[new_nodes[old]] = old;
    std::copy(old_pages.begin(), old_pages.end(), result.pages.begin());
    return result;
  }
  static Renaming none() {
    Renaming result;
    for (uint8_t i = 0; i < most_key_nodes; ++i)
      result.node[i] = result.nodes[i] = i;
    for (uint8_t p = 0; p < result.pages.size(); ++p)
      result.pages[p] = p;
    return result;
  }
  uint64_t mask(uint64_t old) const {
    uint64_t result = 0;
    for (; old != 0; old &= old - 1)
      result |= uint64_t{1} << node[static_cast<size_t>(std::countr_zero(old))];
    return result;
  }
};

class Key {
 public:
  void clear() { used = 0; }
  template <class T> void byte(T value) {
    assert(used < sizeof bytes);
    bytes[used++] = static_cast<char>(value);
  }
  void mask(uint64_t value) { byte(value), byte(value >> 8); }
  std::string_view view() const { return {bytes, used}; }

 private:
  size_t used = 0;
  char bytes[1024];
};

constexpr bool names_requester(MessageType type) {
  return is_request(type) || type == MessageType::FetchShared || type == MessageType::FetchExclusive ||
         type == MessageType::Return;
}
constexpr bool names_home(MessageType type) {
  return type == MessageType::DataShared || type == MessageType::DataExclusive || type == MessageType::Grant;
}

class KeyWriter {
 public:
  KeyWriter(const World& world, const Renaming& names, Key& key) : world(world), names(names), key(key) {
    assert(world.dimensions().nodes <= most_key_nodes);
    key.clear();
    key.mask(names.mask(world.stopped()));
    for (uint8_t p = 0; p < world.dimensions().pages; ++p)
      write_page(names.pages[p]);
  }

 private:
  void write_page(PageNumber p) {
    for (uint32_t n = 0; n < world.dimensions().nodes; ++n)
      write_view(names.nodes[n], p);
    write_home(p);
    write_flying(p);
  }

  void write_view(uint32_t n, PageNumber p) {
    const View& view = world.view(n, p);
    const bool latest = view.mapping == Mapping::None || view.content == world.expected(p);
    const int table = static_cast<int>(view.mapping) | (latest << 2);
    const Node& node = world.node(n);
    if (world.has_stopped(n)) {
      key.byte(table), key.byte(0), key.byte(0);
      return;
    }
    key.byte(table | (view.reader_blocked << 3) | (static_cast<int>(view.writer) << 4));
    key.byte(static_cast<int>(node.state(p)) | (static_cast<int>(node.outstanding(p)) << 2));
    key.byte(names.node[node.home(p)]);
  }

  void write_home(PageNumber p) {
    const Node* home = world.home(p);
    const auto number = home ? static_cast<uint32_t>(home - &world.node(0)) : most_key_nodes;
    key.byte(home ? names.node[number] : most_key_nodes);
    if (!home || world.has_stopped(number))
      return;
    const Sharing sharing = home->sharing(p);
    key.mask(names.mask(sharing.holders));
    key.byte(names.node[sharing.owner] | (sharing.exclusive << 6) | ((world.holding(p) != 0) << 7));
    const Transaction* busy = home->transaction(p);
    key.byte(busy ? 1 + static_cast<int>(busy->phase) : 0);
    if (!busy)
      return;
    write_request(busy->current), key.mask(names.mask(busy->awaited)), key.byte(busy->queue.size());
    for (uint32_t i = 0; i < busy->queue.size(); ++i)
      write_request(busy->queue.at(i));
  }
  void write_request(const Request& request) { key.byte(names.node[request.node] | (request.write << 6)); }

  /// Channels race, so only the order within a page and channel belongs to the state.
  void write_flying(PageNumber p) {
    const InFlight* order[256];
    uint32_t count = 0;
    const auto channel = [&](const InFlight* m) { return names.node[m->from] * 16 + names.node[m->to]; };
    for (const InFlight& message : world.flying) {
      if (message.message.page != p)
        continue;
      uint32_t place = count++;
      for (; place > 0 && channel(order[place - 1]) > channel(&message); --place)
        order[place] = order[place - 1];
      order[place] = &message;
    }
    key.byte(count);
    for (uint32_t i = 0; i < count; ++i) {
      const Message& message = order[i]->message;
      key.byte(channel(order[i])), key.byte(message.type);
      key.byte(names_requester(message.type) ? names.node[message.requester]
               : names_home(message.type)    ? names.node[message.home]
                                             : 0);
      key.byte(carries_content(message.type) && order[i]->content != world.expected(p));
    }
  }

  const World& world;
  const Renaming& names;
  Key& key;
};

inline std::string key_of(const World& world) {
  Key key;
  KeyWriter(world, Renaming::none(), key);
  return std::string(key.view());
}

class KeyReader {
 public:
  explicit KeyReader(std::string_view key) : key(key) {}
  uint32_t byte() { return static_cast<uint8_t>(key[at++]); }
  uint64_t mask() {
    const uint64_t low = byte();
    return low | (byte() << 8);
  }
  Request request() {
    const uint32_t value = byte();
    return {static_cast<uint8_t>(value & 63), (value & 64) != 0};
  }

 private:
  std::string_view key;
  size_t at = 0;
};

/// The latest content is 1, whatever is stale is 0. Nodes are made anew with their tables as the key has
/// them.
template <class Reader> void World::load(Reader& read) {
  flying.clear(), problem.clear();
  stopped_nodes = read.mask();
  lost_node = stopped_nodes ? static_cast<uint32_t>(std::countr_zero(stopped_nodes)) : 0; // any of them
  std::vector<TransactionTable> tables(size().nodes);
  for (PageNumber p = 0; p < size().pages; ++p) {
    latest[p] = 1, holds[p] = 0;
    const uint32_t registrar = registrar_of(&plan, p);
    for (uint32_t n = 0; n < size().nodes; ++n) {
      const uint32_t table = read.byte(), state = read.byte(), home = read.byte();
      view(n, p) = {(table >> 2) & 1, static_cast<Mapping>(table & 3), (table & 8) != 0,
                    static_cast<WriteThread>(table >> 4)};
      LocalPage& page = local[n * size().pages + p] = {};
      page.set(static_cast<LocalState>(state & 3), static_cast<Outstanding>(state >> 2));
      // A node that has stopped is no home unless the key says so below; any other number will do.
      page.set_home(has_stopped(n) ? (n + 1) % size().nodes : home, registrar);
      directory[n * size().pages + p] = {};
    }
    const uint32_t home = read.byte();
    if (home != most_key_nodes && has_stopped(home))
      local[home * size().pages + p].set_home(home, registrar);
    else if (home != most_key_nodes) {
      DirectoryEntry& entry = directory[home * size().pages + p];
      const uint64_t holders = read.mask();
      const uint32_t owner = read.byte(), phase = read.byte();
      entry.set({holders, owner & 63, (owner & 64) != 0});
      holds[p] = static_cast<char>(owner & 128 ? home + 1 : 0);
      if (phase != 0) {
        entry.set_slot(tables[home].acquire());
        Transaction& busy = tables[home][entry.slot()];
        busy.phase = static_cast<Phase>(phase - 1);
        busy.current = read.request(), busy.awaited = read.mask();
        for (uint32_t waiting = read.byte(); waiting > 0; --waiting)
          busy.queue.push(read.request());
      }
    }
    for (uint32_t count = read.byte(); count > 0; --count) {
      const uint32_t channel = read.byte();
      const auto type = static_cast<MessageType>(read.byte());
      const uint32_t named = read.byte(), stale = read.byte();
      flying.push_back({static_cast<uint8_t>(channel / 16), static_cast<uint8_t>(channel % 16),
                        message_of(type, p, names_requester(type) ? named : 0, names_home(type) ? named : 0),
                        stale ? 0u : 1u});
    }
  }
  for (uint32_t n = 0; n < size().nodes; ++n)
    nodes[n] = Node(n, size().nodes, storage_of(n), std::move(tables[n]));
}

} // namespace hetmp::dsm::protocol::model
