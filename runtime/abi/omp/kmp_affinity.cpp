// libomp's affinity masks: sets of CPUs that the calling thread can be restricted to.
#include "runtime/abi/omp/kmp_routines.hpp"

#include "base/machine/cpu_list.hpp"
#include "runtime/affinity/environment.hpp"
#include "runtime/process/library.hpp"

#include <algorithm>
#include <vector>

namespace {

constexpr int cpu_limit = 4096;
constexpr int bad_argument = -1;
constexpr int not_available = -2; // a CPU the process may not use

using Mask = std::vector<int>; // ascending

Mask& mask_of(void** handle) { return *static_cast<Mask*>(*handle); }

/// The CPUs the process started with: what a thread may be set to, whatever it is restricted to now.
const Mask& initial_cpus() {
  static const Mask& cpus = *new Mask(hetmp::allowed_cpus());
  return cpus;
}
// Taken when the library is loaded, before any thread is bound.
[[maybe_unused]] const Mask& taken_at_start = initial_cpus();

/// KMP_AFFINITY=disabled.
bool is_disabled() {
  hetmp::runtime::initialise_runtime();
  return hetmp::affinity::program_places().kmp.type == hetmp::affinity::AffinityType::Disabled;
}

int check(int cpu, void** mask) {
  if (is_disabled() || !mask || !*mask || cpu < 0 || cpu >= cpu_limit)
    return bad_argument;
  return std::binary_search(initial_cpus().begin(), initial_cpus().end(), cpu) ? 0 : not_available;
}

} // namespace

void kmp_create_affinity_mask(void** mask) { *mask = new Mask; }

void kmp_destroy_affinity_mask(void** mask) {
  delete static_cast<Mask*>(*mask);
  *mask = nullptr;
}

int kmp_get_affinity_max_proc() { return cpu_limit; }

int kmp_set_affinity(void** mask) {
  if (is_disabled() || !mask || !*mask || mask_of(mask).empty())
    return bad_argument;
  return hetmp::bind_thread(mask_of(mask)) ? 0 : bad_argument;
}

int kmp_get_affinity(void** mask) {
  if (is_disabled() || !mask || !*mask)
    return bad_argument;
  mask_of(mask) = hetmp::allowed_cpus();
  return 0;
}

int kmp_set_affinity_mask_proc(int cpu, void** mask) {
  const int problem = check(cpu, mask);
  if (problem)
    return problem;
  Mask& cpus = mask_of(mask);
  const auto place = std::lower_bound(cpus.begin(), cpus.end(), cpu);
  if (place == cpus.end() || *place != cpu)
    cpus.insert(place, cpu);
  return 0;
}

int kmp_unset_affinity_mask_proc(int cpu, void** mask) {
  const int problem = check(cpu, mask);
  if (problem)
    return problem;
  std::erase(mask_of(mask), cpu);
  return 0;
}

int kmp_get_affinity_mask_proc(int cpu, void** mask) {
  const int problem = check(cpu, mask);
  if (problem == not_available)
    return 0;
  return problem ? problem : std::binary_search(mask_of(mask).begin(), mask_of(mask).end(), cpu);
}

/// Gives the calling thread back the CPUs the process started with.
HETMP_ENTRY int kmp_set_thread_affinity_mask_initial() { return hetmp::bind_thread(initial_cpus()) ? 0 : bad_argument; }

HETMP_ENTRY int kmpc_set_affinity_mask_proc(int cpu, void** mask) { return kmp_set_affinity_mask_proc(cpu, mask); }
HETMP_ENTRY int kmpc_unset_affinity_mask_proc(int cpu, void** mask) { return kmp_unset_affinity_mask_proc(cpu, mask); }
HETMP_ENTRY int kmpc_get_affinity_mask_proc(int cpu, void** mask) { return kmp_get_affinity_mask_proc(cpu, mask); }
