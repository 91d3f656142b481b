// A node's part in thread migration (travel.hpp): one of deputies, at the origin, and carriers, elsewhere.
#pragma once

#include "dsm/migration/calls_abroad.hpp"
#include "dsm/migration/carriers.hpp"
#include "dsm/migration/closed_memory.hpp"
#include "dsm/migration/deputies.hpp"
#include "dsm/migration/gates.hpp"
#include "dsm/migration/memory_abroad.hpp"
#include "dsm/migration/portable_code.hpp"
#include "dsm/migration/tasks_abroad.hpp"
#include "dsm/migration/text_abroad.hpp"
#include "dsm/migration/ways_past_gates.hpp"

#include <cstdint>
#include <string>

namespace hetmp::dsm {

class Migration {
 public:
  /// Before there are other nodes, and before the program's own code runs. False: threads stay where they are.
  /// `have_all_at_home`: see WaysPastGates.
  bool prepare(void (*have_all_at_home)());
  /// Why nobody departs, or nobody any more, in words; null: threads may. After prepare(), any thread.
  const char* why_nobody_departs() const;
  void let_return_by(const void* begin, const void* end) {
    code_.add_return_code(reinterpret_cast<uintptr_t>(begin), reinterpret_cast<uintptr_t>(end));
  }
  void (*come_home() const)() { return gates_.come_home(); }
  /// See Gates. After prepare(), any thread.
  bool take_bound_call() const { return gates_.take_bound_call(); }

  /// Makes a detached thread that uses private memory only.
  using CreateThread = void (*)(void* (*body)(void*), void* argument);
  /// When the node begins to serve. See Deputies::set_up().
  void start_at_origin(TravelMessages& messages, Deputies::ReadFaults read_faults, Deputies::FreeCpus free_cpus,
                       CreateThread create_thread);
  /// `read_faults`: of the node; any thread. `heap`, `free_elsewhere`: of this node, `node`; see
  /// MemoryAbroad.
  void start_elsewhere(TravelMessages& messages, Carriers::ReadFaults read_faults, CreateThread create_thread,
                       Heap& heap, uint32_t node, void (*free_elsewhere)(void* block));

  Deputies& deputies() { return deputies_; }
  Carriers& carriers() { return carriers_; }

 private:
  static void* watch(void* migration);
  void watch_those_away();

  std::string why_not_ = "HETMP_MIGRATION is false, or a launcher has started the nodes"; ///< prepare() was not asked
  PortableCode code_;
  ClosedMemory closed_;
  MemoryAbroad memory_;
  CallsAbroad calls_;
  TasksAbroad tasks_;
  TextAbroad text_;
  WaysPastGates ways_;
  Gates gates_;
  Deputies deputies_;
  Carriers carriers_;
};

} // namespace hetmp::dsm
