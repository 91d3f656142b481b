// The service thread of a node: takes page faults and messages as they come, drives the page protocol, and carries out
// what it asks for. One thread a node, so the protocol's state has one owner and needs no lock.
//
// Rules it lives by: it touches private memory only (its stack, its thread-local variables, its allocations); it reads
// a shared page only when the protocol says that this node has a copy; it never waits for a lock, because whoever holds
// one may be waiting for a page that only this thread can bring.
#pragma once

#include "base/futex.hpp"
#include "dsm/ahead/fault_streams.hpp"
#include "dsm/ahead/push_memory.hpp"
#include "dsm/engine/action_batch.hpp"
#include "dsm/engine/hold_times.hpp"
#include "dsm/engine/page_statistics.hpp"
#include "dsm/engine/user_faults.hpp"
#include "dsm/engine/visit_memory.hpp"
#include "dsm/fabric.hpp"
#include "dsm/protocol/node.hpp"
#include "dsm/space/address_plan.hpp"
#include "dsm/transport/transport.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <poll.h>
#include <sys/types.h>
#include <vector>

namespace hetmp::dsm {

/// Who gets the messages that are not about pages. Called on the service thread.
class ServiceClient {
 public:
  virtual void runtime_message(uint32_t from, const void* bytes, uint32_t size) = 0;
  virtual void control_message(uint32_t from, const Slot& slot) = 0;
  /// So many more pages than before are here, or fewer.
  virtual void pages_moved(int64_t pages) = 0;
  /// After each round of work; true if something is still to be tried again soon.
  virtual bool retry() = 0;
  /// A node process ended. Does not return if the program cannot go on.
  virtual void node_ended(uint32_t node, pid_t pid, int pidfd) = 0;
  /// A node can no longer be reached. Does not return if the program cannot go on.
  virtual void node_lost(const Transport::Loss& loss) = 0;

 protected:
  ~ServiceClient() = default;
};

class Service {
 public:
  explicit Service(const AddressPlan& plan) : plan_(plan) {}

  /// On the origin, before start(): a node process to watch.
  void watch_node_process(uint32_t node, pid_t pid, int pidfd);
  /// On a new node, before start(): what it inherited from the origin is not its own.
  void watch_nobody() { watched_.clear(); }

  /// Makes the thread, which waits for begin().
  void start(uint32_t node, Transport& transport, ServiceClient& client);
  /// Makes the node's memory coherent from here on.
  void begin();

  void read_counters(FaultCounters* counters) const;

  /// Before start(): whether pages that a stream of faults will want are fetched ahead.
  void fetch_ahead(bool wanted) { fetch_ahead_.store(wanted, std::memory_order_relaxed); }
  /// Any thread: some shared memory may not be readable from now on (mprotect). Nothing is fetched ahead any more,
  /// since pages that no thread asked for may then be among those that nobody may read.
  void memory_may_be_unreadable() {
    all_readable_.store(false, std::memory_order_relaxed);
    fetch_ahead(false);
  }

  /// Before start(): whether loops' pages are fetched at the beginning of a visit.
  void fetch_visits(bool wanted) { fetch_visits_ = wanted; }
  /// Any thread: see Fabric. True if the service thread had better be woken, which then begins to fetch.
  bool begin_visit(uint64_t loop) { return visit_mark_.begin(loop) && visits_.worth_waking(VisitMark::loop_of(loop)); }
  void end_visit() { visit_mark_.end(); }

  /// Service thread: see Fabric.
  void push(uintptr_t address, uint32_t to);
  /// Any thread, one at a time: see Fabric. True if push_offer() has something to do, which is the service thread's.
  bool offer(uint64_t purpose, uint64_t nodes, const void* const* addresses, size_t count);
  void push_offer();
  /// Service thread: see Fabric.
  void offer_again(uint64_t purpose) {
    offer_.repeat(purpose);
    push_offer();
  }

  /// Before start(): keep statistics of the pages.
  void watch_pages() {
    if (!statistics_)
      statistics_ = std::make_unique<PageStatistics>();
  }
  /// Likewise, and each fault for a timeline.
  void watch_faults() {
    watch_pages();
    fault_events_.reserve(most_fault_events);
  }
  static constexpr size_t most_fault_events = size_t(1) << 15;
  /// Any thread: see PageStatistics.
  void enter_region(uint64_t region) {
    if (statistics_)
      statistics_->enter_region(region);
  }
  /// Service thread: the statistics of the most interesting pages; returns how many.
  size_t read_pages(PageRecord* records, size_t most, uint64_t* waited_ns);
  /// Service thread: the first faults, and how many more there were.
  const std::vector<FaultEvent>& fault_events(uint64_t* dropped) const {
    *dropped = fault_events_dropped_;
    return fault_events_;
  }

  /// Any thread: no page of the range (of this node's slice) has been asked for by another node yet.
  bool is_unpublished(Segment range) const;

 private:
  using Clock = int64_t; ///< CLOCK_MONOTONIC, nanoseconds
  /// A message of several pages that ask for content: served piece by piece, so that others have their turn.
  struct WaitingRequest {
    uint32_t from;
    PageMessage message;
    uint32_t next; ///< of its pages
  };
  struct Watched {
    uint32_t node;
    pid_t pid;
    int pidfd;
  };

  // service.cpp: the thread, and what comes by message.
  static void* thread_body(void* self);
  void run();
  bool work();
  void serve_faults();
  void sleep(bool retry_soon);
  void wake_waiters_if_due();
  void handle_slot(uint32_t from, const Slot& slot);
  void do_what_is_due();

  // service_messages.cpp: the messages of the protocol, one by one, of those that came.
  void handle_page_message(uint32_t from, const PageMessage& message, const uint8_t* content);
  void take_apart(uint32_t from, const PageMessage& message, uint32_t begin, uint32_t end, const uint8_t* content);
  bool serve_waiting();
  void serve_next(size_t index);
  void handle_message(uint32_t from, const protocol::Message& message, const uint8_t* content);
  void deliver(uint32_t from, const protocol::Message& message, const uint8_t* content);

  // service_faults.cpp: what threads of this node want.
  void handle_fault(const PageFault& fault);
  void fault(PageNumber page, bool write);
  void fetch_with(PageNumber page, const PageSeries& series, bool write);
  bool may_fetch_ahead(PageNumber page, PageNumber with) const;
  void count(const PageFault& fault);
  void note_arrival(uintptr_t page, bool writable);

  // service_visits.cpp: what loops touch from visit to visit.
  void look_at_visit();
  bool ask_for_remembered();
  void remember(PageNumber page, bool write);
  bool may_remember(PageNumber page) const;

  // service_pushes.cpp: what goes to nodes that have not asked.
  void push_page(PageNumber page, uint32_t to);
  void note_request(const protocol::Message& message);

  // service_actions.cpp: what the protocol asks for.
  void add_actions(const uint8_t* content);
  void carry_out_batch();
  void carry_out_one_by_one(const uint8_t* content);
  void send(const ActionBatch::Sending& sending);
  void send_content(uint32_t to, PageMessage message);
  const uint8_t* read_past_protection(uintptr_t page);

  // service_memory.cpp: pages of this node.
  void set_up_memory(uint32_t node);
  void watch_others_memory();
  void publish(PageNumber page);
  /// Calls work(address, piece) for the pages in pieces of consecutive addresses, of at most most_data_pages:
  /// neighbouring numbers are neighbouring addresses but where one segment of memory ends and the next begins.
  template <class Work> void for_each_piece(PageRange pages, Work work) const {
    while (pages.count != 0) {
      const uint32_t count = plan_.consecutive(pages.first, std::min(pages.count, most_data_pages));
      work(plan_.address_of(pages.first), PageRange{pages.first, count});
      pages.first += count;
      pages.count -= count;
    }
  }
  void protect(PageRange pages);
  void fill_absent(uintptr_t address, PageRange pages);
  /// `held`: a thread waits for them, and gets the time to use them.
  void install(const ActionBatch::Installation& installation, bool held = true);
  void drop(PageRange pages);
  void give_zeros(PageNumber page, bool writable);

  uint32_t node_ = origin; ///< from start() on
  FutexWord begun_{0};     ///< 1 from begin() on
  const AddressPlan& plan_;
  const Transport::Handle handle_ = [this](uint32_t from, const Slot& slot) { handle_slot(from, slot); };
  Transport* transport_ = nullptr;
  ServiceClient* client_ = nullptr;
  UserFaults faults_;
  std::unique_ptr<protocol::Node> protocol_;
  protocol::Storage storage_;
  protocol::Actions actions_;
  ActionBatch batch_;             ///< of the events since it was carried out last; no two of the same page
  uint8_t* page_flags_ = nullptr; ///< for each page: see service_memory.cpp
  FaultStreams streams_;
  std::atomic<bool> fetch_ahead_{true}; ///< relaxed: whenever it is seen
  Offer offer_;
  PushMemory pushes_;
  bool fetch_visits_ = true;
  VisitMark visit_mark_;
  uint64_t visit_seen_ = 0; ///< the mark at the last look
  VisitMemory visits_;
  static constexpr size_t most_on_their_way = 16;
  std::vector<VisitMemory::Wanted> to_ask_;
  size_t next_to_ask_ = 0;
  std::vector<PageNumber> on_their_way_; ///< of those asked for; some may have come
  std::atomic<bool> all_readable_{true}; ///< relaxed: whoever sets it goes on only when all nodes have
  int own_memory_ = -1;                  ///< /proc/self/mem, for memory that may not be readable
  uint8_t page_copy_[page_bytes];
  HoldTimes holds_;
  std::vector<WaitingRequest> waiting_;
  size_t next_waiting_ = 0;                    ///< whose turn it is
  bool lost_copies_ = false;                   ///< since the last look at threads that sleep on words in shared memory
  Clock next_look_ = 0;                        ///< not before: looking costs time
  std::unique_ptr<PageStatistics> statistics_; ///< null unless somebody wants to know
  std::vector<FaultEvent> fault_events_;       ///< room for most_fault_events, or none
  uint64_t fault_events_dropped_ = 0;
  std::vector<Watched> watched_;
  std::vector<pollfd> poll_;   ///< faults, doorbell, then the watched processes
  bool faults_waiting_ = true; ///< perhaps: the last sleep saw some, or there was no sleep since the last look
  struct {
    std::atomic<uint64_t> read_misses{0}, write_misses{0}, write_upgrades{0}, invalidations{0}, bytes_received{0};
  } counters_; ///< written by the service thread only; relaxed: each is a statistic of its own
};

} // namespace hetmp::dsm
