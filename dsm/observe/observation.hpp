// What a report wants to know of all nodes: the origin asks, each node's service thread answers. The origin never waits
// longer than a second for anybody.
#pragma once

#include "dsm/engine/page_observer.hpp"
#include "dsm/fabric.hpp"
#include "dsm/observe/allocation_sites.hpp"
#include "dsm/space/address_plan.hpp"

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

namespace hetmp::dsm {

class Observation {
 public:
  /// Brings bytes (a page at most) to message() on another node; any thread.
  using Send = std::function<void(uint32_t to, const void* bytes, size_t size)>;

  Observation(const AddressPlan& plan, PageObserver& pages, Send send)
      : plan_(plan), pages_(pages), send_(std::move(send)) {}

  /// Before start(): from now on there will be something to tell.
  void watch();
  /// Likewise: there will be a timeline to tell, with events of the runtime besides.
  void watch_faults(size_t most_event_bytes);
  void set_read_events(size_t (*read_events)(void* to, size_t most)) { read_events_ = read_events; }
  /// Null unless watch() was called.
  AllocationSites* allocation_sites() { return sites_.get(); }

  // Origin, an ordinary thread; one call at a time. See fabric.hpp.
  void gather_pages(void (*take)(void* context, const NodeObservation& seen), void* context);
  AllocationRecord find_allocation(uintptr_t address);
  void gather_timelines(void (*take)(void* context, const NodeTimeline& seen), void* context);

  /// Service thread. False if this cannot be such a message.
  bool message(uint32_t from, uint32_t own_node, const uint8_t* bytes, size_t size);

 private:
  struct Header {
    enum class Kind : uint32_t { AskPages, AskAllocation, AskTimeline, Answer, LastAnswer } kind;
    uint32_t round; ///< late answers to an earlier question are dropped
    uint64_t address;
  };
  struct Round;

  std::shared_ptr<Round> ask(Header::Kind kind, uint64_t address, const std::vector<uint32_t>& nodes, size_t most_bytes,
                             int64_t patience_ns);
  std::vector<uint32_t> all_nodes() const;
  size_t longest_timeline() const;
  void answer(uint32_t to, uint32_t own_node, uint32_t round, const std::vector<uint8_t>& bytes);
  void answer_pages(std::vector<uint8_t>& bytes);
  void answer_allocation(uintptr_t address, std::vector<uint8_t>& bytes);
  void answer_timeline(std::vector<uint8_t>& bytes);
  bool take_answer(uint32_t from, const Header& header, const uint8_t* bytes, size_t size);

  const AddressPlan& plan_;
  PageObserver& pages_;
  const Send send_;
  std::unique_ptr<AllocationSites> sites_;
  bool watches_faults_ = false;
  size_t most_event_bytes_ = 0;
  size_t (*read_events_)(void* to, size_t most) = nullptr;
  std::vector<std::shared_ptr<Round>> rounds_; ///< origin: kept for ever, an answer may come late
  /// Origin: the question that waits for answers. Released by ask(), acquired by take_answer(). relaxed where it is
  /// reset: who still sees it finds a round that stays.
  std::atomic<Round*> current_{nullptr};
  std::vector<uint8_t> own_answer_; ///< service thread; has room for the longest
};

} // namespace hetmp::dsm
