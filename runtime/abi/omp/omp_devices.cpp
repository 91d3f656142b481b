// Routines about devices, teams, resources, tools and foreign runtimes. There is no device but the host, which node
// processes are part of, and those that an offloading library serves: it is asked for them.
#include "runtime/abi/omp/offloading_library.hpp"
#include "runtime/abi/omp/omp_routines.hpp"
#include "runtime/process/device_icvs.hpp"
#include "runtime/process/library.hpp"
#include "runtime/regions/league.hpp"
#include "runtime/settings/icv.hpp"
#include "runtime/team/current_thread.hpp"
#include "runtime/team/implicit_task.hpp"

using hetmp::runtime::of_offloading_library;

namespace {

constexpr int interop_empty = -1; // omp_irc_empty: the object holds no foreign runtime

enum PauseKind { pause_soft = 1, pause_hard = 2 };

/// Pausing allows the runtime to give up resources; idle workers sleep anyway, so there is nothing to give
/// up.
int pause(int kind) { return kind == pause_soft || kind == pause_hard ? 0 : 1; }

} // namespace

int omp_get_num_devices() {
  const auto known = of_offloading_library<decltype(omp_get_num_devices)>("omp_get_num_devices");
  return known ? known() : 0;
}
int omp_get_device_num() {
  return omp_get_initial_device(); // device code has a routine of its own
}
int omp_get_initial_device() { return omp_get_num_devices(); }
int omp_is_initial_device() { return 1; }
int omp_get_default_device() { return hetmp::runtime::changeable_icvs(hetmp::runtime::current_task()).default_device; }
void omp_set_default_device(int device) { hetmp::runtime::current_task().icvs.default_device = device; }

int omp_get_num_teams() { return int(hetmp::runtime::league_place(hetmp::runtime::current_task()).teams); }
int omp_get_team_num() { return int(hetmp::runtime::league_place(hetmp::runtime::current_task()).number); }
int omp_get_max_teams() { return hetmp::runtime::max_teams(); }
void omp_set_num_teams(int teams) { hetmp::runtime::set_max_teams(teams); }
int omp_get_teams_thread_limit() { return hetmp::runtime::teams_thread_limit(); }
void omp_set_teams_thread_limit(int limit) { hetmp::runtime::set_teams_thread_limit(limit); }

int omp_pause_resource(int kind, int device) { return device == omp_get_initial_device() ? pause(kind) : 1; }
int omp_pause_resource_all(int kind) { return pause(kind); }
HETMP_ENTRY int __kmpc_get_target_offload() {
  hetmp::runtime::initialise_runtime();
  return int(hetmp::runtime::program_icvs().target_offload);
}
HETMP_ENTRY int __kmpc_pause_resource(int kind) { return pause(kind); }

// Interop objects are the offloading library's; without it there is none but omp_interop_none.
int omp_get_num_interop_properties(const void*) { return 0; }

intptr_t omp_get_interop_int(const void* interop, int property, int* error) {
  if (const auto known = of_offloading_library<decltype(omp_get_interop_int)>("omp_get_interop_int"))
    return known(interop, property, error);
  if (error)
    *error = interop_empty;
  return 0;
}
void* omp_get_interop_ptr(const void* interop, int property, int* error) {
  if (const auto known = of_offloading_library<decltype(omp_get_interop_ptr)>("omp_get_interop_ptr"))
    return known(interop, property, error);
  if (error)
    *error = interop_empty;
  return nullptr;
}
const char* omp_get_interop_str(const void* interop, int property, int* error) {
  if (const auto known = of_offloading_library<decltype(omp_get_interop_str)>("omp_get_interop_str"))
    return known(interop, property, error);
  if (error)
    *error = interop_empty;
  return nullptr;
}
const char* omp_get_interop_name(const void* interop, int property) {
  const auto known = of_offloading_library<decltype(omp_get_interop_name)>("omp_get_interop_name");
  return known ? known(interop, property) : nullptr;
}
const char* omp_get_interop_type_desc(const void* interop, int property) {
  const auto known = of_offloading_library<decltype(omp_get_interop_type_desc)>("omp_get_interop_type_desc");
  return known ? known(interop, property) : nullptr;
}
const char* omp_get_interop_rc_desc(const void* interop, int code) {
  const auto known = of_offloading_library<decltype(omp_get_interop_rc_desc)>("omp_get_interop_rc_desc");
  return known ? known(interop, code) : nullptr;
}
