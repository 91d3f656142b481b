// The fields of messages between nodes, in the order in which they travel: one list for both directions. For codec.cpp.
#pragma once

#include "runtime/global/codec.hpp"

#include <concepts>
#include <type_traits>

namespace hetmp::runtime::message_fields {

using schedulers::Assignment;
using schedulers::NodeMeasurement;
using schedulers::Range;
using schedulers::Schedule;
using schedulers::ScheduleKind;

/// What travels as the machine has it.
template <class T>
concept Number = (std::integral<T> && !std::same_as<T, bool>) || std::floating_point<T>;
template <class T>
concept Pointer = std::is_pointer_v<T>;

/// T, or const T: one list of fields for both directions.
template <class T, class Of>
concept Is = std::same_as<std::remove_const_t<T>, Of>;

// Fields, in the order in which they travel. The structured bindings do not compile when a structure gets another one.

void fields(auto& codec, Is<ConstructName> auto& it) {
  auto& [team, sequence] = it;
  codec(team, sequence);
}
void fields(auto& codec, Is<Asker> auto& it) {
  auto& [node, ticket] = it;
  codec(node, ticket);
}
void fields(auto& codec, Is<Range> auto& it) {
  auto& [begin, end] = it;
  codec(begin, end);
}
void fields(auto& codec, Is<Schedule> auto& it) {
  auto& [kind, chunk, probe_percent, monotonic, trapezoidal, unsaid] = it;
  codec(kind, chunk, probe_percent, monotonic, trapezoidal, unsaid);
}
void fields(auto& codec, Is<NodeMeasurement> auto& it) {
  auto& [threads, iterations, thread_us, busy_us, granted_cpus, span_us, read_misses, write_misses, write_upgrades,
         asked_locks, instructions, cache_misses] = it;
  codec(threads, iterations, thread_us, busy_us, granted_cpus, span_us, read_misses, write_misses, write_upgrades,
        asked_locks, instructions, cache_misses);
}
void fields(auto& codec, Is<Assignment> auto& it) {
  auto& [pieces, piece_count, distribution, measured, last, chunk, repeats] = it;
  codec.counted(piece_count, pieces);
  codec(distribution, measured, last, chunk, repeats);
}
void fields(auto& codec, Is<affinity::Partition> auto& it) {
  auto& [first, count] = it;
  codec(first, count);
}
void fields(auto& codec, Is<TaskIcvs> auto& it) {
  auto& [nthreads, nthreads_set_by_call, dynamic, max_active_levels, run_schedule, default_device, thread_limit,
         default_allocator, places] = it;
  codec(nthreads, nthreads_set_by_call, dynamic, max_active_levels, run_schedule, default_device, thread_limit,
        default_allocator, places);
}
void fields(auto& codec, Is<DeviceIcvs> auto& it) {
  auto& [teams, teams_thread_limit] = it;
  codec(teams, teams_thread_limit);
}
void fields(auto& codec, Is<ListedSizes> auto& it) {
  auto& [count, first_level, sizes] = it;
  codec.counted(count, sizes);
  codec(first_level);
}
void fields(auto& codec, Is<CodeId> auto& it) {
  auto& [object, offset] = it;
  codec(object, offset);
}
void fields(auto& codec, Is<HandedTask> auto& it) {
  auto& [function, finalise, body, slot, is_final] = it;
  codec(function, finalise, body, slot, is_final);
}
void fields(auto& codec, Is<Handover> auto& it) {
  auto& [origin, count, icvs, tasks] = it;
  codec(origin, icvs);
  codec.counted(count, tasks);
}
void fields(auto& codec, Is<TeamDescription> auto& it) {
  auto& [team, node, nodes, participants, root, threads, first_thread, local_threads, level, active_level, league_teams,
         league_number, float_control, icvs, device, listed, source, microtask, invoke, argument_count, arguments] = it;
  codec(team, node, nodes, participants, root, threads, first_thread, local_threads, level, active_level, league_teams,
        league_number, float_control, icvs, device, listed, source); // microtask and invoke are TeamCode's
  codec.counted(argument_count, arguments);
}
void fields(auto& codec, Is<TeamCode> auto& it) {
  auto& [microtask, invoke] = it;
  codec(microtask, invoke);
}
void fields(auto& codec, Is<TeamStart> auto& it) {
  auto& [part, code] = it;
  codec(code, part);
}
void fields(auto&, Is<ReportWanted> auto&) {}

void fields(auto& codec, Is<Request::Barrier> auto& it) {
  auto& [name, nodes, microtask, word, site] = it;
  codec(name, nodes, microtask, word, site);
}
void fields(auto& codec, Is<Request::Join> auto& it) {
  auto& [name, nodes, microtask, unplaced, threads_stay, trips, bound] = it;
  codec(name, nodes, microtask, unplaced, threads_stay, trips, bound);
}
void fields(auto& codec, Is<Request::AskLoop> auto& it) {
  auto& [name, nodes, microtask, threads, call_site, schedule, trips, done, source] = it;
  codec(name, nodes, microtask, threads, call_site, schedule, trips, done, source);
}
void fields(auto& codec, Is<Request::ReportLoop> auto& it) {
  auto& [name, done] = it;
  codec(name, done);
}
void fields(auto& codec, Is<Request::OrderedWait> auto& it) {
  auto& [loop, index] = it;
  codec(loop, index);
}
void fields(auto& codec, Is<Request::OrderedPost> auto& it) {
  auto& [loop, next] = it;
  codec(loop, next);
}
void fields(auto& codec, Is<Request::Lock> auto& it) { codec(it.key); }
void fields(auto& codec, Is<Request::TryLock> auto& it) { codec(it.key); }
void fields(auto& codec, Is<Request::GiveBackLock> auto& it) {
  auto& [key, again] = it;
  codec(key, again);
}
void fields(auto& codec, Is<Request::KeepLock> auto& it) {
  auto& [key, trial] = it;
  codec(key, trial);
}
void fields(auto& codec, Is<Request::ReleaseLock> auto& it) { codec(it.key); }
void fields(auto& codec, Is<Request::OfferCopies> auto& it) {
  auto& [name, nodes, address, waits] = it;
  codec(name, nodes, address, waits);
}
void fields(auto& codec, Is<Request::TakeCopies> auto& it) {
  auto& [name, nodes, of_node] = it;
  codec(name, nodes, of_node);
}
void fields(auto& codec, Is<Request::ReleaseCopies> auto& it) {
  auto& [name, nodes] = it;
  codec(name, nodes);
}
void fields(auto& codec, Is<Request::AskIdle> auto& it) { codec(it.team); }
void fields(auto& codec, Is<Request::OfferTasks> auto& it) {
  auto& [team, tasks] = it;
  codec(team, tasks);
}
void fields(auto& codec, Is<Request::ReturnTask> auto& it) {
  auto& [origin, slot, nanoseconds] = it;
  codec(origin, slot, nanoseconds);
}
void fields(auto& codec, Is<Request::Cancel> auto& it) {
  auto& [team, nodes, construct, loop] = it;
  codec(team, nodes, construct, loop);
}
void fields(auto& codec, Is<Request> auto& it) {
  auto& [from, content] = it;
  codec(from, content);
}

void fields(auto&, Is<Answer::Go> auto&) {}
void fields(auto& codec, Is<Answer::BarrierOver> auto& it) { codec(it.word); }
void fields(auto& codec, Is<Answer::Joined> auto& it) {
  auto& [trips, bound] = it;
  codec(trips, bound);
}
void fields(auto& codec, Is<Answer::Tasks> auto& it) { codec(it.tasks); }
void fields(auto& codec, Is<Answer::Assigned> auto& it) { codec(it.assignment); }
void fields(auto& codec, Is<Answer::LockGranted> auto& it) {
  auto& [key, recalled] = it;
  codec(key, recalled);
}
void fields(auto& codec, Is<Answer::LockTried> auto& it) {
  auto& [key, taken, recalled] = it;
  codec(key, taken, recalled);
}
void fields(auto& codec, Is<Answer::LockRecalled> auto& it) {
  auto& [key, trial, leaves] = it;
  codec(key, trial, leaves);
}
void fields(auto& codec, Is<Answer::LockHome> auto& it) { codec(it.key); }
void fields(auto& codec, Is<Answer::LockReleased> auto& it) { codec(it.key); }
void fields(auto& codec, Is<Answer::Copies> auto& it) { codec(it.address); }
void fields(auto& codec, Is<Answer::IdleNodes> auto& it) { codec(it.count); }
void fields(auto& codec, Is<Answer::TasksUnwanted> auto& it) { codec(it.tasks); }
void fields(auto& codec, Is<Answer::TaskDone> auto& it) {
  auto& [slot, nanoseconds] = it;
  codec(slot, nanoseconds);
}
void fields(auto& codec, Is<Answer::Cancelled> auto& it) {
  auto& [team, construct] = it;
  codec(team, construct);
}
void fields(auto& codec, Is<Answer> auto& it) {
  auto& [to, content] = it;
  codec(to, content);
}

} // namespace hetmp::runtime::message_fields
