#include "schedulers/together/program_pace.hpp"

#include <algorithm>

namespace hetmp::schedulers {

void ProgramPace::look(uint64_t visits, double iterations, double now_us) {
  const bool is_first = !(last_.us > 0);
  if (!is_first && !(iterations > last_.iterations && now_us > last_.us))
    return; // no visit in between, or one without iterations
  if (is_first) {
    first_visits_ = visits;
  } else {
    least_us_ = std::min(least_us_, (now_us - last_.us) / (iterations - last_.iterations));
    ++intervals_;
  }
  last_ = {visits, iterations, now_us};
}

} // namespace hetmp::schedulers
