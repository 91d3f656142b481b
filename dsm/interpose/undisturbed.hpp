// A call of the program's that gives up, with EINTR, when any signal's handler has run, though it was installed with
// SA_RESTART. The travel signal (migration/journeys/travel.hpp) is none of the program's: it does not come meanwhile.
#pragma once

#include "dsm/migration/deputies.hpp"

namespace hetmp::dsm {

/// Around such a call, in a region or not: a timer that a region has set may come after its end. Leaves errno alone.
class Undisturbed {
 public:
  Undisturbed() : deputy_(deputy_of_caller()), held_(deputy_ ? deputy_->hold_signals() : 0) {}
  ~Undisturbed() {
    if (deputy_)
      deputy_->let_signals_come(held_);
  }
  Undisturbed(const Undisturbed&) = delete;
  Undisturbed& operator=(const Undisturbed&) = delete;

 private:
  Deputy* const deputy_;
  const int64_t held_;
};

} // namespace hetmp::dsm
