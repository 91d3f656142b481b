// The service thread of a node: waits for page faults, messages and the ends of node processes, and hands each to its
// owner. One thread a node.
//
// It touches private memory only (its stack, its thread-local variables, its allocations, what handed_over.hpp has); it
// reads a shared page only when the protocol says that this node has a copy; it waits for no lock.
#pragma once

#include "base/futex.hpp"
#include "dsm/ahead/prefetcher.hpp"
#include "dsm/engine/local_memory.hpp"
#include "dsm/engine/page_engine.hpp"
#include "dsm/engine/page_observer.hpp"
#include "dsm/engine/service_client.hpp"
#include "dsm/engine/turns.hpp"
#include "dsm/space/address_plan.hpp"
#include "dsm/transport/transport.hpp"

#include <optional>
#include <poll.h>
#include <sys/types.h>
#include <vector>

namespace hetmp::dsm {

class ServiceThread {
 public:
  /// Makes a detached thread that uses private memory only; ends the program if it cannot.
  using CreateThread = void (*)(void* (*body)(void*), void* argument);

  ServiceThread(const AddressPlan& plan, MemoryBudget& budget, PageObserver& observer)
      : observer_(observer), memory_(plan, budget), prefetcher_(plan), engine_(plan, memory_, observer, prefetcher_) {}

  /// On the origin, before start(): a node process to watch.
  void watch_node_process(uint32_t node, pid_t pid, int pidfd) { watched_.push_back({node, pid, pidfd}); }
  /// On a new node, before start(): what it inherited from the origin is not its own.
  void watch_nobody() { watched_.clear(); }

  /// Before start(): look for messages instead of sleeping, where there is a CPU for it.
  void poll_busily() { polls_busily_ = true; }

  /// Makes the thread, which waits for begin().
  void start(uint32_t node, Transport& transport, ServiceClient& client, CreateThread create_thread);
  /// Makes the node's memory coherent from here on.
  void begin();

  // Who may call what of these, they say.
  LocalMemory& memory() { return memory_; }
  Prefetcher& prefetcher() { return prefetcher_; }
  PageEngine& engine() { return engine_; }
  Turns& turns() { return turns_; }

 private:
  struct Watched {
    uint32_t node;
    pid_t pid;
    int pidfd;
  };

  static void* thread_body(void* self);
  [[noreturn]] void serve();
  bool work();
  bool do_work();
  bool serve_faults();
  void tell_losses();
  bool all_threads_wait();
  bool look_for_messages();
  bool spin();
  bool has_spare_cpu();
  bool look_instead_of_sleeping();
  void sleep(bool retry_soon);
  void wait(std::optional<int64_t> ns);
  std::optional<int64_t> longest_sleep_ns(bool retry_soon) const;
  void tell_ends();
  void handle_slot(uint32_t from, const Slot& slot);

  FutexWord begun_{0}; ///< 1 from begin() on
  PageObserver& observer_;
  LocalMemory memory_;
  Prefetcher prefetcher_;
  PageEngine engine_;
  Turns turns_{engine_};
  const Transport::Handle handle_ = [this](uint32_t from, const Slot& slot) { handle_slot(from, slot); };
  Transport* transport_ = nullptr; ///< from start() on, like the next
  ServiceClient* client_ = nullptr;
  std::vector<Watched> watched_;
  std::vector<pollfd> poll_; ///< faults, doorbell, then the watched processes
  bool polls_busily_ = false;
  int64_t last_moved_ns_ = 0;  ///< polls_busily_: when messages or faults were last found
  bool pages_moved_ = false;   ///< since the last look for messages and faults
  bool others_run_ = false;    ///< since the last sleep something has come that lets a thread go on
  bool faults_waiting_ = true; ///< perhaps: the last sleep saw some, or there was no sleep since the last look
};

} // namespace hetmp::dsm
