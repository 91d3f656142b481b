// Carries out what the protocol asks for: neighbouring pages together where the order allows it (action_batch.hpp).
#pragma once

#include "dsm/ahead/witnesses.hpp"
#include "dsm/engine/action_batch.hpp"
#include "dsm/engine/hold_times.hpp"
#include "dsm/engine/local_memory.hpp"
#include "dsm/engine/page_observer.hpp"
#include "dsm/transport/transport.hpp"
#include "dsm/turns/storm_meter.hpp"

#include <cstdint>

namespace hetmp::dsm {

/// Of the service thread.
class ActionExecutor {
 public:
  /// Whom it tells what has gone.
  class Listener {
   public:
    virtual void right_lost(PageRange pages) = 0; ///< to write them
    virtual void copies_lost(PageRange pages) = 0;

   protected:
    ~Listener() = default;
  };

  ActionExecutor(const AddressPlan& plan, LocalMemory& memory, PageObserver& observer, HoldTimes& holds,
                 StormMeter& meter, const Witnesses& witnesses, Listener& listener)
      : plan_(plan), memory_(memory), observer_(observer), holds_(holds), meter_(meter), witnesses_(witnesses),
        listener_(listener) {}
  void set_transport(Transport& transport) { transport_ = &transport; }

  /// Takes over the actions of one event; `content` came with it, null for zeros. They have been carried out after
  /// finish() at the latest, which comes before the next event of the same page.
  void add(const protocol::Actions& actions, const uint8_t* content);
  void finish();

 private:
  void carry_out_one_by_one(const protocol::Actions& actions, const uint8_t* content);
  void protect(PageRange pages);
  void unprotect(PageRange pages, UserFaults::Waiters waiters);
  /// `held`: a thread waits for them, and gets the time to use them.
  void came(PageRange pages, bool writable, bool held = true);
  void install(const ActionBatch::Installation& installation, bool held = true);
  void install_witnesses_apart(uintptr_t address, PageRange pages, const uint8_t* content);
  void send(const ActionBatch::Sending& sending);
  void send_content(uint32_t to, PageMessage message);
  void drop(PageRange pages);

  const AddressPlan& plan_;
  LocalMemory& memory_;
  PageObserver& observer_;
  HoldTimes& holds_;
  StormMeter& meter_;
  const Witnesses& witnesses_; ///< stay write-protected
  Listener& listener_;
  Transport* transport_ = nullptr;
  ActionBatch batch_; ///< of the events since finish(); no two of the same page
};

} // namespace hetmp::dsm
