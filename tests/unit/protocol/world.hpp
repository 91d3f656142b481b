// A model of everything around the protocol: nodes with their page tables, blocked threads, channels, page
// content. The edge's actions act on the model's own page table, so the invariants are checked on what
// threads could really do, not on what the protocol believes. Content is a counter; the sequential model is
// one counter a page.
#pragma once

#include "edge.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace hetmp::dsm::protocol::model {

class World {
 public:
  explicit World(const Size& size, Bug bug = Bug::None);
  World(const World& other);
  World& operator=(const World& other);

  View& view(uint32_t node, PageNumber page) { return views[node * size().pages + page]; }
  const View& view(uint32_t node, PageNumber page) const { return views[node * size().pages + page]; }
  const Node& node(uint32_t n) const { return nodes[n]; }
  /// Null while the directory is under way.
  const Node* home(PageNumber page) const;
  const Size& dimensions() const { return size(); }
  Bug seeded_bug() const { return bug; }
  /// The node whose hold time for the page has to end, plus one, or 0.
  uint32_t holding(PageNumber page) const { return holds[page]; }
  /// The nodes that take no events any more: one that was lost, and those which know.
  uint64_t stopped() const { return stopped_nodes; }
  bool has_stopped(uint32_t n) const { return (stopped_nodes >> n) & 1; }
  /// The sequential model: how often the page has been incremented.
  uint64_t expected(PageNumber page) const { return latest[page]; }

  /// Whether no earlier message of the same page and channel is in flight. Messages of different pages pass
  /// each other freely: that covers every choice of hold times.
  bool deliverable(size_t index) const { return bug == Bug::Overtaking || first_like(index) == index; }
  /// The earliest message of the page and channel of `index`.
  size_t first_like(size_t index) const;

  /// Appends the events by which the world can go on without new faults.
  void progress(std::vector<Event>& events) const;
  /// Appends what else may happen: with `wishes`, what asks for something and the loss of a node.
  void free_events(bool wishes, std::vector<Event>& events) const;

  /// Carries out an event; a violated contract goes to `problem`. Whether the protocol asked if a home may
  /// move is in may_have_moved() afterwards.
  void apply(const Event& event);
  bool may_have_moved() const { return plan.asked; }

  std::string describe(const Event& event) const;

  void expect(bool condition, const char* complaint) {
    if (!condition && problem.empty())
      problem = complaint;
  }

  /// For forged messages.
  Node& mutable_node(uint32_t n) { return nodes[n]; }

  /// Starts over in the state that `read` describes (key.hpp).
  template <class Reader> void load(Reader& read);

  std::vector<InFlight> flying; ///< in the order sent
  std::string problem;          ///< the first violation, by invariant letter

 private:
  struct Plan {
    Size size;
    bool move = false;          ///< what the policy answers next
    mutable bool asked = false; ///< it was asked
  };

  const Size& size() const { return plan.size; }
  static uint32_t registrar_of(const void* plan, PageNumber page) {
    const Size& size = static_cast<const Plan*>(plan)->size;
    return static_cast<uint32_t>((size.one_home ? 0 : page) + size.first_home) % size.nodes;
  }
  static bool may_move(const void* plan, uint32_t, uint32_t) {
    static_cast<const Plan*>(plan)->asked = true;
    return static_cast<const Plan*>(plan)->move;
  }
  Storage storage_of(uint32_t n) {
    return {&local[n * size().pages], &directory[n * size().pages], size().pages, registrar_of, &plan, may_move};
  }

  void fault(uint32_t n, PageNumber page, bool write);
  void fetch_ahead(uint32_t n, PageNumber page, bool write);
  void push(uint32_t to, PageNumber page);
  void stop(uint32_t n);
  void learn(uint32_t n);
  void deliver(size_t index);
  void perform(uint32_t n, const InFlight* incoming) {
    for (const Action& action : actions)
      perform(n, action, incoming);
  }
  void perform(uint32_t n, const Action& action, const InFlight* incoming);
  void send(uint32_t n, const Action& action);
  void spoil(uint32_t n, const Action& action);
  void wake(View& at);

  Plan plan;
  Bug bug;
  std::vector<LocalPage> local;
  std::vector<DirectoryEntry> directory;
  std::vector<Node> nodes;
  std::vector<View> views;
  std::vector<char> holds;
  std::vector<uint64_t> latest;
  uint64_t stopped_nodes = 0;
  uint32_t lost_node = 0;
  Actions actions;
};

} // namespace hetmp::dsm::protocol::model

#include "world_steps.hpp"
