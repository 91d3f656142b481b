// This process as one of several nodes: its memory, its service thread, and the way from one process to many.
#pragma once

#include "base/machine/own_threads.hpp"
#include "dsm/engine/page_observer.hpp"
#include "dsm/engine/service_client.hpp"
#include "dsm/fabric.hpp"
#include "dsm/launch_keys.hpp"
#include "dsm/launch_plan.hpp"
#include "dsm/migration/contexts/context.hpp"
#include "dsm/migration/journeys/travel.hpp"
#include "dsm/migration/migration.hpp"
#include "dsm/objects/anonymous_data.hpp"
#include "dsm/objects/first_variables.hpp"
#include "dsm/objects/shared_variables.hpp"
#include "dsm/observe/observation.hpp"
#include "dsm/process/changes.hpp"
#include "dsm/process/errands.hpp"
#include "dsm/process/file_mapping.hpp"
#include "dsm/process/forking.hpp"
#include "dsm/process/late_objects.hpp"
#include "dsm/process/membership.hpp"
#include "dsm/process/pointer_locks.hpp"
#include "dsm/process/process_state.hpp"
#include "dsm/process/signal_actions.hpp"
#include "dsm/process/thread_keys.hpp"
#include "dsm/space/address_plan.hpp"
#include "dsm/space/heap.hpp"
#include "dsm/space/initial_stack.hpp"
#include "dsm/space/shared_code.hpp"
#include "dsm/space/thread_stacks.hpp"
#include "dsm/transport/transport.hpp"

#include <atomic>
#include <memory>
#include <string>
#include <sys/types.h>
#include <unistd.h>
#include <vector>

namespace hetmp::dsm {

class ServiceThread;

class NodeProcess final : private ServiceClient, private TravelMessages {
 public:
  /// The process's node, or null in a process that is not one of several. The first call decides; it happens at the
  /// first allocation of the process, before any constructor of the program has run.
  static NodeProcess* instance();

  /// In a child that the program has forked: it is none, from now on.
  static void leave();

  /// Makes the nodes' processes, or joins those that a launcher has started: returns on the origin only, when all nodes
  /// are ready; the others serve until the origin ends.
  void start_nodes();

  /// The program's main, to be run by run_main().
  void set_main(int (*main)(int, char**, char**)) { main_call_.main = main; }
  /// Runs it on a thread in shared memory, which then exits with what it returns. Where that leaves by pthread_exit(),
  /// the program ends with its last thread (on this node: those of other nodes end with it).
  [[noreturn]] void run_main(int argc, char** argv, char** environment);
  /// On main's thread, first.
  void main_begins();
  /// The first constructor of all.
  void begin_early();
  void show_main_early();
  void main_is_to_begin() { first_thread_.store(0, std::memory_order_relaxed); } // relaxed: see below
  /// Whether the calling thread executes main, or what comes before it on the origin.
  bool is_mains_thread() const {
    const pthread_t mains = mains_thread_.load(std::memory_order_relaxed); // relaxed: see main_begins()
    return node_ == origin && (mains == 0 || mains == pthread_self());
  }
  /// Who the calling thread is to the program, and who that is to the C library (main_thread.cpp). Any thread.
  pthread_t shown_identity(pthread_t own) const {
    // relaxed, all: written before there are other threads, or by the first one, which is nobody else
    return own == first_thread_.load(std::memory_order_relaxed) ? future_main_.load(std::memory_order_relaxed) : own;
  }
  pthread_t real_identity(pthread_t shown) const {
    const pthread_t first = first_thread_.load(std::memory_order_relaxed); // relaxed, both: as above
    return first != 0 && shown == future_main_.load(std::memory_order_relaxed) ? first : shown;
  }
  /// The calling thread has registered a destructor for a thread-local variable of the object with this address.
  void note_destructor(const void* address) {
    if (thread_pointer() == first_thread_.load(std::memory_order_relaxed)) // relaxed: see shown_identity()
      first_variables_.note_destructor(address);
  }
  /// What has been said once (say_once()): of mutexes that are to be robust, or to have a priority.
  struct Said {
    bool robust = false, priority = false;
  } said;
  /// In private memory: the thread that has begun and the one that runs main use it.
  struct MainCall {
    int (*main)(int, char**, char**) = nullptr;
    int argc = 0;
    char** argv = nullptr;
    char** environment = nullptr;
  };

  /// The program has ended on the origin, all its exit handlers have run: ends the other node processes and this one.
  /// Returns in a process that only descends from the origin by the program's own fork().
  void end(int exit_code);

  uint32_t node() const { return node_; }
  Heap& heap() { return heap_; }
  ThreadStacks& stacks() { return stacks_; }
  OwnThreads& own_threads() { return own_threads_; }
  const AddressPlan& plan() const { return plan_; }
  Fabric& fabric() { return fabric_; }
  Migration& migration() { return migration_; }
  Changes& changes() { return changes_; }
  Errands& errands() { return errands_; }
  FileData& file_data() { return file_data_; }
  FileMappings& files() { return files_; }
  Forking& forking() { return forking_; }
  const InitialStack& initial_stack() const { return initial_stack_; }
  LateObjects& late_objects() { return late_objects_; }
  LeftActions& left_actions() { return left_actions_; }
  ProcessState& state() { return state_; }
  ThreadKeys& thread_keys() { return thread_keys_; }
  const SharedVariables& shared_variables() const { return shared_variables_; }
  PointerLocks& pointer_locks() { return pointer_locks_; }
  /// How the runtime sets what a signal does; null before it has said so, or where it has no way of its own.
  SetAction runtimes_sigaction() const { return hooks_.set_signal; }
  /// Null unless somebody wants to know where blocks are allocated.
  AllocationSites* allocation_sites() { return observation_.allocation_sites(); }

  /// Any thread: see LocalMemory::may_be_unreadable().
  void memory_may_be_unreadable();

  /// Frees a block of another node's heap: its owner does it.
  void free_remote(void* block);
  /// Gives part of another node's slice back that was mapped there: its owner does it.
  void unmap_remote(Segment range);
  /// For changes.hpp, and for nobody else.
  void send_change(uint32_t to, const Change& change);
  void answer_change(uint32_t to, int error, uint64_t result);
  /// Whether there are other nodes by now.
  bool has_started() const { return transport_ != nullptr; }
  /// On the origin false while constructors of the program run. relaxed: its own thread's.
  bool main_has_begun() const { return node() != origin || mains_thread_.load(std::memory_order_relaxed) != 0; }
  /// False in a child that this node's process has made.
  bool is_this_process() const { return getpid() == own_pid_; }
  /// Of this node's slice: no other node has asked for any of it.
  bool unpublished(Segment range) const;

  /// A slice is used in parts, each from its beginning: those of the heap, and the stacks.
  static constexpr unsigned parts = Heap::parts + 1;
  static Segment part(uint32_t node, unsigned part) {
    return part < Heap::parts ? Heap::part(node, part) : AddressPlan::stack_part(node);
  }
  /// Of this node's slice: what lies behind has never been used. Any thread.
  uintptr_t used_until(unsigned part) const {
    return part < Heap::parts ? heap_.used_until(part) : stacks_.used_until();
  }
  /// Those of which something has been used: the first one's bit is the lowest.
  uint64_t parts_in_use() const {
    static_assert(parts <= 64);
    uint64_t bits = 0;
    for (unsigned i = 0; i < parts; ++i)
      bits |= uint64_t(used_until(i) > part(node_, i).begin) << i;
    return bits;
  }
  /// Otherwise the other nodes are copies of the origin's process and have its descriptors.
  bool made_by_launcher() const { return launch_.made_by_launcher(); }
  /// exit() was called on this node, which is not the origin: the origin is to do it. Does not return.
  [[noreturn]] void exit_at_origin(int code);

  /// An object was loaded that binds threads of the program to the origin. On the origin.
  void tell_bound_to_origin() const {
    if (hooks_.bound_to_origin)
      hooks_.bound_to_origin();
  }

  /// The program has set something for its process that other nodes cannot be given. On the origin.
  void tell_regions_stay() const {
    if (hooks_.regions_stay)
      hooks_.regions_stay();
  }

 private:
  explicit NodeProcess(LaunchPlan plan);
  static NodeProcess* decide();

  void load_cipher();
  void load_rdma();
  void add_rdma(Transport::Place& place);
  void prepare_objects();
  static void* allocate_for_all(size_t bytes);
  void prepare_migration(const std::vector<LoadedObject>& objects, const std::vector<bool>& are_private);
  static void have_all_at_home();
  void start_migration();
  void make_node_processes();
  void join_node_processes();
  void become(uint32_t node);
  void forget_others_memory();
  void serve();
  [[noreturn]] void serve_as_node(uint32_t node);

  void service_begins() override;
  void runtime_message(uint32_t from, const void* bytes, uint32_t size) override;
  void control_message(uint32_t from, const Slot& slot) override;
  uint32_t threads_at_work() override;
  uint32_t usable_cpus() override;
  void send_observation(uint32_t to, const void* bytes, size_t size);
  void send_turn(uint32_t to, TurnMessage step) override;
  /// Any thread: the service thread looks for pages to ask for ahead.
  void wake_service();
  /// Any thread: see Fabric.
  void begin_visit(uint64_t loop);
  void bring_home();
  void send_departure(uint32_t to, const DepartureMessage& departure) override;
  void send_homecoming(const HomecomingMessage& homecoming) override;
  void call_home(uint32_t node, uint64_t deputy) override;
  void invite_home(uint32_t node, uint64_t deputy, Invitation invitation) override;
  void send_guest_call(uint64_t deputy, const GuestCall& call) override;
  void send_guest_answer(uint32_t node, uint64_t deputy, uint32_t phase, const GuestAnswer& answer) override;
  bool retry() override;
  void node_ended(uint32_t node, pid_t pid, int pidfd) override { members_.node_ended(node, pid, pidfd); }
  void node_lost(const Transport::Loss& loss) override { members_.node_lost(loss); }

  LaunchPlan launch_;
  const seal::Cipher* cipher_ = nullptr; ///< if the plan is sealed, from start_nodes() on
  const RdmaPlugin* rdma_ = nullptr;     ///< if the transport needs one, and there is one, likewise
  std::string rdma_problem_;             ///< why there is none
  std::string why_interconnect_;         ///< see Fabric
  ConnectionKeys keys_;                  ///< likewise, of a process that a launcher has started, until it joins
  AddressPlan plan_;
  SharedCode code_{plan_};
  std::unique_ptr<Transport> transport_; ///< null until the nodes start
  MemoryBudget budget_;
  Heap heap_;
  PageObserver pages_;
  const std::unique_ptr<ServiceThread> service_;
  Observation observation_{plan_, pages_,
                           [this](uint32_t to, const void* bytes, size_t size) { send_observation(to, bytes, size); }};
  std::vector<void*> to_free_;    ///< service thread: blocks whose class was locked when their message came
  std::vector<Segment> to_unmap_; ///< likewise
  Fabric fabric_{};
  RuntimeHooks hooks_{};
  uint32_t node_ = origin;
  pid_t own_pid_ = 0; ///< of the node that this process has become
  ThreadStacks stacks_;
  OwnThreads own_threads_;
  Migration migration_;
  pid_t origin_pid_ = 0;
  Membership members_{launch_};
  MainCall main_call_;
  std::atomic<pthread_t> mains_thread_{0};                  ///< on the origin
  std::atomic<pthread_t> first_thread_{0}, future_main_{0}; ///< until main begins, see shown_identity()
  FirstVariables first_variables_;
  FutexWord main_has_left_{0}; ///< 1: by pthread_exit(). Released by main_begins()'s key, acquired by run_main()
  InitialStack initial_stack_;
  FileData file_data_;
  Errands errands_;
  Changes changes_;
  FileMappings files_{*this};
  Forking forking_;
  LateObjects late_objects_;
  LeftActions left_actions_;
  ProcessState state_{*this};
  ThreadKeys thread_keys_{*this};
  SharedVariables shared_variables_;
  PointerLocks pointer_locks_;

  friend struct FabricFunctions;
  friend struct ControlReceiver;
};

} // namespace hetmp::dsm
