// How far a thread keeps behind another whose iterations it waits for one by one (doacross loops).
//
// Where iterations take less time than a cache line needs from one CPU to another, a thread that goes on as soon as it
// can is stopped at every iteration, and each stop takes the line from who goes ahead. If it lets that one go ahead for
// a moment instead, it finds many iterations posted and goes through them at full speed. Where iterations wait for each
// other in a chain, however, every moment is lost. So it is tried out, and kept as long as a stop is followed by
// several iterations without one.
#pragma once

#include <algorithm>
#include <cstdint>

namespace hetmp::schedulers {

/// Of one thread in one loop nest.
class FollowingDistance {
 public:
  static constexpr uint32_t first_pauses = 16; ///< a fraction of a microsecond
  static constexpr uint32_t most_pauses = 256; ///< several: more gains nothing

  /// An iteration that it wanted had been posted.
  void met() { met_++; }

  /// One had not: for how many pauses of a spinning CPU not even to look.
  uint32_t pauses() {
    const bool pays = met_ >= worth_a_pause;
    met_ = 0;
    if (pauses_ == 0) {
      if (++stops_ >= rest_) {
        stops_ = 0;
        pauses_ = first_pauses;
      }
    } else if (pays) {
      rest_ = 1;
      pauses_ = std::min(pauses_ * 2, most_pauses);
    } else {
      pauses_ = 0;
      rest_ = std::min(rest_ * 4, longest_rest);
    }
    return pauses_;
  }

 private:
  static constexpr uint32_t worth_a_pause = 4; ///< iterations met after one; a thread meets some of its own as well
  static constexpr uint32_t longest_rest = 1024;

  uint32_t met_ = 0;    ///< since the last stop
  uint32_t pauses_ = 0; ///< at the last stop; 0: it rests
  uint32_t stops_ = 0;  ///< since it rests
  uint32_t rest_ = 1;   ///< stops before it is tried again
};

} // namespace hetmp::schedulers
