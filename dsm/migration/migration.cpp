#include "dsm/migration/migration.hpp"

#include "base/clock.hpp"
#include "base/machine/cpu_list.hpp"
#include "dsm/migration/past_gates.hpp"
#include "dsm/migration/this_process.hpp"
#include "dsm/objects/private_objects.hpp"
#include "dsm/objects/written_parts.hpp"

#include <algorithm>
#include <ctime>
#include <dlfcn.h>
#include <sys/prctl.h>

namespace hetmp::dsm {

namespace {

constexpr timespec between_looks = {0, 2'000'000};
constexpr int longest_storm = 2;      ///< looks
constexpr int longest_of_change = 10; ///< and when two threads have changed places, whose pages follow them
constexpr int looks_of_free_cpu = 2;  ///< before it is told
constexpr int looks_until_retold = 4; ///< to the next one

/// What such a tool knows of memory lies where nodes do not share it.
bool is_watched_by_sanitizer() {
  return dlsym(RTLD_DEFAULT, "__asan_init") || dlsym(RTLD_DEFAULT, "__tsan_init") || dlsym(RTLD_DEFAULT, "__msan_init");
}

} // namespace

bool Migration::prepare(void (*have_all_at_home)()) {
  const std::vector<LoadedObject> objects = loaded_objects();
  const std::vector<ObjectFacts> facts = facts_of(objects);
  const std::vector<bool> are_private = which_are_private(facts), are_closed = which_only_the_program_calls(facts);
  const std::vector<bool> are_open = which_serve_the_process(facts);
  why_not_ = is_watched_by_sanitizer()
                 ? "a sanitizer watches the program"
                 : find_way_past_gates(objects, are_private, find_written_parts(objects, are_open));
  if (!why_not_.empty())
    return false;
  closed_.consist_of(find_written_parts(objects, are_closed));
  code_.find();
  deputies_.prepare(code_, gates_);
  this_process.memory = &memory_;
  this_process.calls = &calls_;
  this_process.tasks = &tasks_;
  this_process.text = &text_;
  this_process.ways = &ways_;
  ways_.prepare(have_all_at_home, those_that_are(false, objects, are_private));
  tasks_.set_task_end(task_signs_at(), Deputies::task_is_over);
  if (!gates_.build(travel_flag(), {memory_, calls_, tasks_, text_}, ways_))
    why_not_ = "there is no memory for gates";
  return why_not_.empty();
}

const char* Migration::why_nobody_departs() const {
  if (!why_not_.empty())
    return why_not_.c_str();
  if (const char* const why = ways_.taken())
    return why;
  return deputies_.may_depart() ? nullptr : "an object was loaded after the start, or a handler set for their signal";
}

void Migration::start_at_origin(TravelMessages& messages, Deputies::ReadFaults read_faults,
                                Deputies::FreeCpus free_cpus, CreateThread create_thread) {
  if (!deputies_.set_up(messages, free_cpus, read_faults))
    return;
  if (ways_.taken()) // before there were nodes
    deputies_.stay_at_home();
  create_thread(watch, this);
}

void Migration::start_elsewhere(TravelMessages& messages, Carriers::ReadFaults read_faults, CreateThread create_thread,
                                Heap& heap, uint32_t node, void (*free_elsewhere)(void* block)) {
  memory_.serve(heap, node, free_elsewhere);
  const auto cpus = uint32_t(std::max<size_t>(allowed_cpus().size(), 1));
  carriers_.set_up(gates_, closed_, memory_, messages, read_faults, cpus, create_thread);
}

void* Migration::watch(void* migration) {
  prctl(PR_SET_NAME, "hetmp-travel");
  static_cast<Migration*>(migration)->watch_those_away();
  return nullptr;
}

/// Threads of the origin that wait for their pages half of the time gain nothing by those that are away. Where a CPU is
/// free, one that has too little of another may have that.
void Migration::watch_those_away() {
  int stormy = 0, with_free_cpu = 0;
  uint64_t changes = 0;
  while (true) {
    deputies_.wait_for_departure();
    const uint64_t waited_before = deputies_.faults().waited_ns;
    const int64_t before = monotonic_ns();
    nanosleep(&between_looks, nullptr);
    // A calm look ends a storm, but not the patience with a change of places, which is less than 0.
    stormy = int64_t(deputies_.faults().waited_ns - waited_before) > (monotonic_ns() - before) / 2
                 ? stormy + 1
                 : std::min(stormy + 1, 0);
    if (std::exchange(changes, deputies_.changes_of_places()) != changes)
      stormy = longest_storm - longest_of_change;
    if (stormy >= longest_storm) {
      deputies_.call_home();
      stormy = 0;
    }
    with_free_cpu = deputies_.has_free_cpu() ? with_free_cpu + 1 : 0;
    if (with_free_cpu >= looks_of_free_cpu && (with_free_cpu - looks_of_free_cpu) % looks_until_retold == 0)
      deputies_.invite_one_home();
  }
}

} // namespace hetmp::dsm
