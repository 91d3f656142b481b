#include "dsm/migration/calls_abroad.hpp"

#include "base/check.hpp"
#include "dsm/migration/as_host.hpp"
#include "dsm/migration/carriers.hpp"
#include "dsm/migration/deputies.hpp"

#include <algorithm>
#include <iterator>

namespace hetmp::dsm {

struct CallsAbroad::StandIns {
  // ---- in another thread's place

  /// As the host, in its process. Null: the guest is to go home first.
  __attribute__((noinline)) static void* ask_deputy(Carrier* carrier) {
    return carrier->ask_deputy() ? carrier : nullptr;
  }
  /// At home: the deputy has made the call before it brought its thread back.
  __attribute__((noinline)) static void find_at_home(GuestAnswer* answer) { *answer = this_process.deputies->answer(); }

  // ---- what stand-ins consist of

  /// False: the caller is to make the call itself. It may have come home in any case. Word by word: a copy of all would
  /// be a call of the C library's.
  HETMP_IN_PLACE static bool make(const GuestCall& call, GuestAnswer& answer) {
    Host* const host = AsHost::of_caller();
    if (!host)
      return false;
    host->call.function = call.function;
    host->call.site = call.site;
    host->call.location = call.location;
    host->call.arguments[0] = call.arguments[0];
    host->call.arguments[1] = call.arguments[1];
    host->call.arguments[2] = call.arguments[2];
    host->call.arguments[3] = call.arguments[3];
    host->call.arguments[4] = call.arguments[4];
    if (!AsHost::do_as(*host, ask_deputy, host->carrier)) {
      this_process.calls->come_home_();
      find_at_home(&answer);
    } else {
      answer.made = host->answer.made;
      answer.results[0] = host->answer.results[0];
      answer.results[1] = host->answer.results[1];
      answer.results[2] = host->answer.results[2];
      answer.results[3] = host->answer.results[3];
    }
    return answer.made != 0;
  }

  /// Calls the function itself, at home.
  template <class Result, class... Arguments>
  HETMP_IN_PLACE static Result at_home(Function function, Arguments... arguments) {
    const CallsAbroad& calls = *this_process.calls;
    return AsHost::at_home<Result>(calls.come_home_, calls.originals_[function], arguments...);
  }

  HETMP_IN_PLACE static uint64_t number_of(const void* address) { return reinterpret_cast<uint64_t>(address); }

  struct Place {
    int number, team_size;
    bool is_known;
  };
  /// Of the guest in its team; asked once a stay: what changes it is called at home.
  HETMP_IN_PLACE static Place find_place() {
    Host* const host = AsHost::of_caller();
    if (host && host->knows_team)
      return {host->number, host->team_size, true};
    GuestAnswer answer;
    const bool is_known = make({.function = GuestFunction::Team}, answer);
    return {int(answer.results[0]), int(answer.results[1]), is_known};
  }

  template <class Value, class Signed>
  HETMP_IN_PLACE static void divide(GuestFunction kind, Function function, uint64_t site, const void* location,
                                    int32_t gtid, int32_t schedule, int32_t* last, Value* lower, Value* upper,
                                    Signed* stride, Signed increment, Signed chunk) {
    GuestAnswer answer;
    if (!make({.function = kind,
               .site = site,
               .location = number_of(location),
               .arguments = {uint64_t(schedule), uint64_t(*lower), uint64_t(*upper), uint64_t(increment),
                             uint64_t(chunk)}},
              answer))
      return at_home<void>(function, location, gtid, schedule, last, lower, upper, stride, increment, chunk);
    if (last)
      *last = int32_t(answer.results[0]);
    *lower = Value(answer.results[1]);
    *upper = Value(answer.results[2]);
    *stride = Signed(answer.results[3]);
  }

  HETMP_IN_PLACE static int32_t reduce(Function function, bool waits, uint64_t site, const void* location, int32_t gtid,
                                       int32_t variables, size_t bytes, void* data, void* combine, void* lock) {
    GuestAnswer answer;
    if (!make({.function = GuestFunction::Reduction,
               .site = site,
               .location = number_of(location),
               .arguments = {uint64_t(variables), number_of(data), number_of(combine), number_of(lock), waits}},
              answer))
      return at_home<int32_t>(function, location, gtid, variables, bytes, data, combine, lock);
    return int32_t(answer.results[0]);
  }

// The address that the call returns to, as a number.
#define HETMP_SITE number_of(__builtin_return_address(0))

  // ---- the stand-ins

  HETMP_STAND_IN static void kmpc_barrier(const void* location, int32_t gtid) {
    GuestAnswer answer;
    if (!make({.site = HETMP_SITE, .location = number_of(location)}, answer))
      at_home<void>(KmpcBarrier, location, gtid);
  }
  HETMP_STAND_IN static void gomp_barrier() {
    GuestAnswer answer;
    if (!make({.site = HETMP_SITE}, answer))
      at_home<void>(GompBarrier);
  }

#define HETMP_STATIC_INIT(suffix, value, signed_value)                                                                 \
  HETMP_STAND_IN static void static_init_##suffix(const void* location, int32_t gtid, int32_t schedule, int32_t* last, \
                                                  value* lower, value* upper, signed_value* stride,                    \
                                                  signed_value increment, signed_value chunk) {                        \
    divide(GuestFunction::StaticLoop##suffix, StaticInit##suffix, HETMP_SITE, location, gtid, schedule, last, lower,   \
           upper, stride, increment, chunk);                                                                           \
  }
  HETMP_STATIC_INIT(4, int32_t, int32_t)
  HETMP_STATIC_INIT(4u, uint32_t, int32_t)
  HETMP_STATIC_INIT(8, int64_t, int64_t)
  HETMP_STATIC_INIT(8u, uint64_t, int64_t)
#undef HETMP_STATIC_INIT

  HETMP_STAND_IN static void static_fini(const void* location, int32_t gtid) {
    if (Host* const host = AsHost::of_caller())
      host->loop_ended = true;
    else
      at_home<void>(StaticFini, location, gtid);
  }

  HETMP_STAND_IN static int32_t kmpc_single(const void* location, int32_t gtid) {
    GuestAnswer answer;
    if (!make({.function = GuestFunction::Single, .location = number_of(location)}, answer))
      return at_home<int32_t>(KmpcSingle, location, gtid);
    return int32_t(answer.results[0]);
  }
  HETMP_STAND_IN static bool gomp_single() {
    GuestAnswer answer;
    if (!make({.function = GuestFunction::Single}, answer))
      return at_home<bool>(GompSingle);
    return answer.results[0] != 0;
  }

  HETMP_STAND_IN static int32_t kmpc_master(const void* location, int32_t gtid) {
    const Place place = find_place();
    return place.is_known ? place.number == 0 : at_home<int32_t>(KmpcMaster, location, gtid);
  }
  HETMP_STAND_IN static int32_t kmpc_masked(const void* location, int32_t gtid, int32_t filter) {
    const Place place = find_place();
    return place.is_known ? place.number == filter : at_home<int32_t>(KmpcMasked, location, gtid, filter);
  }

  HETMP_STAND_IN static int32_t reduce_and_wait(const void* location, int32_t gtid, int32_t variables, size_t bytes,
                                                void* data, void* combine, void* lock) {
    return reduce(Reduce, true, HETMP_SITE, location, gtid, variables, bytes, data, combine, lock);
  }
  HETMP_STAND_IN static int32_t reduce_nowait(const void* location, int32_t gtid, int32_t variables, size_t bytes,
                                              void* data, void* combine, void* lock) {
    return reduce(ReduceNowait, false, HETMP_SITE, location, gtid, variables, bytes, data, combine, lock);
  }
  HETMP_STAND_IN static void end_reduce(const void* location, int32_t gtid, void* lock) {
    GuestAnswer answer;
    if (!make({.function = GuestFunction::ReductionEnds, .site = HETMP_SITE}, answer))
      at_home<void>(EndReduce, location, gtid, lock);
  }

  HETMP_STAND_IN static int thread_number() {
    const Place place = find_place();
    return place.is_known ? place.number : at_home<int>(ThreadNumber);
  }
  HETMP_STAND_IN static int team_size() {
    const Place place = find_place();
    return place.is_known ? place.team_size : at_home<int>(TeamSize);
  }
  HETMP_STAND_IN static int fortran_thread_number() {
    const Place place = find_place();
    return place.is_known ? place.number : at_home<int>(FortranThreadNumber);
  }
  HETMP_STAND_IN static int fortran_team_size() {
    const Place place = find_place();
    return place.is_known ? place.team_size : at_home<int>(FortranTeamSize);
  }
#undef HETMP_SITE

  /// Whether the task has no children to wait for. Asked once a stay: what it generates there is executed at once.
  HETMP_IN_PLACE static bool has_no_children() {
    if (Host* const host = AsHost::of_caller(); host && host->has_no_children)
      return true;
    GuestAnswer answer;
    if (!make({.function = GuestFunction::ChildTasks}, answer))
      return false;
    if (Host* const host = AsHost::of_caller()) // still
      host->has_no_children = true;
    return true;
  }
  /// For each task that takes part in a reduction the same answer, as long as the guest stays: a taskgroup begins and
  /// ends at home. `kind`: see GuestFunction. False: the caller, which may have come home, is to ask there.
  HETMP_IN_PLACE static bool find_copy(GuestFunction kind, uint64_t group, uint64_t pointer, ReducedVariable& found) {
    if (Host* const host = AsHost::of_caller())
      for (uint32_t i = 0; i < host->reduced_count; ++i)
        if (host->reduced[i].group == group && host->reduced[i].pointer == pointer) {
          found = host->reduced[i];
          return true;
        }
    GuestAnswer answer;
    if (!make({.function = kind, .arguments = {group, pointer}}, answer))
      return false;
    found = {group, pointer, answer.results[0], answer.results[1]};
    if (Host* const host = AsHost::of_caller(); host && host->reduced_count < Host::most_reduced) { // still
      host->reduced[host->reduced_count] = found;
      host->reduced_count = host->reduced_count + 1;
    }
    return true;
  }
  HETMP_STAND_IN static void* kmpc_reduction_data(int32_t gtid, void* group, void* variable) {
    ReducedVariable found;
    if (!find_copy(GuestFunction::ReductionCopy, number_of(group), number_of(variable), found))
      return at_home<void*>(KmpcReductionData, gtid, group, variable);
    return reinterpret_cast<void*>(found.copy);
  }
  /// What is a copy already stays as it is when it is asked for once more, at home.
  HETMP_STAND_IN static void gomp_reduction_remap(size_t count, size_t originals, void** pointers) {
    for (size_t i = 0; i < count; ++i) {
      ReducedVariable found;
      if (!find_copy(GuestFunction::MappedCopy, 0, number_of(pointers[i]), found))
        return at_home<void>(GompReductionRemap, count, originals, pointers);
      pointers[i] = reinterpret_cast<void*>(found.copy);
      if (i < originals)
        pointers[count + i] = reinterpret_cast<void*>(found.variable);
    }
  }
  HETMP_STAND_IN static void gomp_taskwait() {
    if (!has_no_children())
      at_home<void>(GompTaskwait);
  }
  HETMP_STAND_IN static int32_t kmpc_taskwait(const void* location, int32_t gtid) {
    return has_no_children() ? 0 : at_home<int32_t>(KmpcTaskwait, location, gtid);
  }
};

uintptr_t CallsAbroad::stand_in(std::string_view name, uintptr_t function) {
  const StandIn all[functions] = {
      {"__kmpc_barrier", StandIns::kmpc_barrier},
      {"GOMP_barrier", StandIns::gomp_barrier},
      {"__kmpc_for_static_init_4", StandIns::static_init_4},
      {"__kmpc_for_static_init_4u", StandIns::static_init_4u},
      {"__kmpc_for_static_init_8", StandIns::static_init_8},
      {"__kmpc_for_static_init_8u", StandIns::static_init_8u},
      {"__kmpc_for_static_fini", StandIns::static_fini},
      {"__kmpc_single", StandIns::kmpc_single},
      {"GOMP_single_start", StandIns::gomp_single},
      {"__kmpc_master", StandIns::kmpc_master},
      {"__kmpc_masked", StandIns::kmpc_masked},
      {"__kmpc_reduce", StandIns::reduce_and_wait},
      {"__kmpc_reduce_nowait", StandIns::reduce_nowait},
      {"__kmpc_end_reduce", StandIns::end_reduce},
      {"omp_get_thread_num", StandIns::thread_number},
      {"omp_get_num_threads", StandIns::team_size},
      {"omp_get_thread_num_", StandIns::fortran_thread_number},
      {"omp_get_num_threads_", StandIns::fortran_team_size},
      {"GOMP_taskwait", StandIns::gomp_taskwait},
      {"__kmpc_omp_taskwait", StandIns::kmpc_taskwait},
      {"__kmpc_task_reduction_get_th_data", StandIns::kmpc_reduction_data},
      {"GOMP_task_reduction_remap", StandIns::gomp_reduction_remap},
  };
  const uintptr_t found = keep_original(all, name, function, originals_);
  HETMP_CHECK(found == 0 || this_process.calls == this);
  return found;
}

bool CallsAbroad::is_made_anywhere(std::string_view name) {
  constexpr std::string_view those[] = {"__kmpc_end_masked", "__kmpc_end_master",  "__kmpc_end_single",
                                        "__kmpc_flush",      "hetmp_get_node_num", "hetmp_get_num_nodes"};
  return std::find(std::begin(those), std::end(those), name) != std::end(those);
}

} // namespace hetmp::dsm
