#include "runtime/affinity/helper_places.hpp"

#include "base/environment.hpp"
#include "base/machine/cpu_list.hpp"
#include "base/message.hpp"
#include "base/variables/variable.hpp"
#include "runtime/affinity/environment.hpp"
#include "runtime/affinity/kmp_environment.hpp"

#include <sys/syscall.h>
#include <unistd.h>

namespace hetmp::affinity {
namespace {

constexpr Variable variable = Variable::KMP_HIDDEN_HELPER_AFFINITY;
constexpr int number_of_levels_message = 252; // libomp's, of which there is one for each wording
constexpr int number_of_bound_message = 254;

struct HelperPlaces {
  KmpAffinity affinity;
  std::vector<Place> places; ///< of helper 1, 2, ... and round again; empty: they are not bound
};

HelperPlaces read_places() {
  HelperPlaces result;
  result.affinity = read_kmp_affinity(variable);
  const ProgramPlaces& program = program_places();
  if (!binds(result.affinity) || program.kmp.type == AffinityType::Disabled)
    return result;
  const bool complaints = set_complaints(result.affinity.warnings && complaints_are_wanted());
  result.places =
      kmp_places(result.affinity, result.affinity.respect ? program.cpus : online_cpus(program.cpus), variable);
  set_complaints(complaints);
  // Programs look for these lines in libomp's words.
  const bool single_cpus =
      result.affinity.type == AffinityType::Explicit || result.affinity.granularity == TopologyLevel::Threads;
  if (result.affinity.verbose && !single_cpus)
    inform_as_libomp(number_of_levels_message, "%s: Threads may migrate across %d innermost levels of machine",
                     name_of(variable), int(result.affinity.granularity));
  return result;
}

const HelperPlaces& helper_places() {
  static const HelperPlaces& places = *new HelperPlaces(read_places()); // never destroyed
  return places;
}

} // namespace

bool helpers_tell_places() { return helper_places().affinity.verbose; }

void seat_helper(uint32_t number, bool tell) {
  const std::vector<Place>& places = helper_places().places;
  if (places.empty()) {
    if (program_places().bind())
      bind_thread(program_places().cpus);
    return;
  }
  const Place& place = places[(number - 1) % places.size()];
  // A refusal leaves the thread where it is: slower, but right. libomp counts a thread that executes nothing as the
  // first.
  if (bind_thread(place) && tell && helpers_tell_places())
    inform_as_libomp(number_of_bound_message, "%s: pid %d tid %d thread %u bound to OS proc set %s", name_of(variable),
                     int(getpid()), int(syscall(SYS_gettid)), number + 1, format_cpu_list(place).c_str());
}

} // namespace hetmp::affinity
