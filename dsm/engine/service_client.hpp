// What the service thread tells the node process, and asks of it.
#pragma once

#include "dsm/transport/slot.hpp"
#include "dsm/transport/transport.hpp"
#include "dsm/turns/turn_order.hpp"

#include <cstdint>
#include <sys/types.h>

namespace hetmp::dsm {

/// Called on the service thread.
class ServiceClient {
 public:
  /// Before all else: from here on the calling thread is the service thread, and what it allocates must be private.
  virtual void service_begins() = 0;
  /// A message that is not about pages.
  virtual void runtime_message(uint32_t from, const void* bytes, uint32_t size) = 0;
  virtual void control_message(uint32_t from, const Slot& slot) = 0;
  /// To the node's Turns; to this one's own as well.
  virtual void send_turn(uint32_t to, TurnMessage step) = 0;
  /// How many threads, as far as is known, may be executing something in this process, or would if they did not wait
  /// for pages; the largest number if CPUs are shared with other nodes.
  virtual uint32_t threads_at_work() = 0;
  /// How many CPUs they have. 0: less than one.
  virtual uint32_t usable_cpus() = 0;
  /// After each round of work; true if something is still to be tried again soon.
  virtual bool retry() = 0;
  /// A node process ended. Does not return if the program cannot go on.
  virtual void node_ended(uint32_t node, pid_t pid, int pidfd) = 0;
  /// A node can no longer be reached. Does not return if the program cannot go on.
  virtual void node_lost(const Transport::Loss& loss) = 0;

 protected:
  ~ServiceClient() = default;
};

} // namespace hetmp::dsm
