// libhetmp_papi.so: which events are counted, and how a thread counts them. An event is PAPI's if PAPI can
// count it here, otherwise the kernel's own of that name.
#include "perf/counter_plugin.hpp"

#include "perf/papi/event_set.hpp"
#include "perf/papi/kernel_event.hpp"

#include <cstdio>
#include <memory>
#include <new>

namespace hetmp::perf {
namespace {

struct Event {
  enum class Source : uint8_t { None, Papi, Kernel } source = Source::None;
  int code = 0;
  KernelEvent kernel{};
  std::string name;
  explicit operator bool() const { return source != Source::None; }
};

struct Choice {
  Event instructions, misses; ///< instructions may be none
};

class CountingThread {
 public:
  bool start(const Event& instructions, const Event& misses); ///< either may be none
  bool read(CounterReading& reading) const;

 private:
  /// Where an event's count is found.
  struct Slot {
    Event::Source source = Event::Source::None;
    int index = 0; ///< in the event set
    KernelCounter counter;
  };
  bool prepare(Slot& slot, const Event& event, int* codes, int& count);
  static uint64_t value_of(const Slot& slot, const long long* values, bool& complete);

  EventSet set_;
  bool uses_set_ = false;
  Slot instructions_, misses_;
};

bool CountingThread::prepare(Slot& slot, const Event& event, int* codes, int& count) {
  slot.source = event.source;
  if (event.source == Event::Source::Kernel)
    return slot.counter.start(event.kernel);
  if (event.source == Event::Source::Papi) {
    slot.index = count++;
    codes[slot.index] = event.code;
  }
  return true;
}

bool CountingThread::start(const Event& instructions, const Event& misses) {
  int codes[EventSet::most_events], count = 0;
  if (!prepare(instructions_, instructions, codes, count) || !prepare(misses_, misses, codes, count))
    return false;
  uses_set_ = count > 0;
  return !uses_set_ || set_.start(codes, count);
}

uint64_t CountingThread::value_of(const Slot& slot, const long long* values, bool& complete) {
  uint64_t value = 0;
  if (slot.source == Event::Source::Papi)
    value = uint64_t(values[slot.index]);
  if (slot.source == Event::Source::Kernel)
    complete &= slot.counter.read(value);
  return value;
}

bool CountingThread::read(CounterReading& reading) const {
  long long values[EventSet::most_events] = {};
  bool complete = !uses_set_ || set_.read(values);
  CounterReading result;
  result.instructions = value_of(instructions_, values, complete);
  result.cache_misses = value_of(misses_, values, complete);
  if (complete)
    reading = result;
  return complete;
}

/// Really counts for a moment: what can be named cannot always be counted, and some virtual machines count
/// nothing but zero.
bool works(const Event& instructions, const Event& misses) {
  CountingThread thread;
  CounterReading reading;
  return thread.start(instructions, misses) && thread.read(reading) && (!instructions || reading.instructions > 0);
}

bool works_alone(const Event& misses) { return works(Event{}, misses); }

/// None if the event is not known or not to be counted here.
Event find_event(const std::string& name) {
  Event event;
  event.name = name;
  if (const auto code = find_papi_event(name)) {
    event.source = Event::Source::Papi;
    event.code = *code;
    if (works_alone(event))
      return event;
  }
  if (const auto kernel = find_kernel_event(name)) {
    event.source = Event::Source::Kernel;
    event.kernel = *kernel;
    if (works_alone(event))
      return event;
  }
  return {};
}

Event first_of(std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (Event event = find_event(name))
      return event;
  return {};
}

Event default_instructions() {
  Event event = first_of({"PAPI_TOT_INS", "perf::PERF_COUNT_HW_INSTRUCTIONS"});
  return works(event, Event{}) ? event : Event{};
}

/// Misses of the last cache that can be seen beside the instructions.
Event default_misses(const Event& instructions) {
  for (const char* name : {"PAPI_L3_TCM", "PAPI_L2_TCM", "perf::PERF_COUNT_HW_CACHE_MISSES"})
    if (Event event = find_event(name); event && works(instructions, event))
      return event;
  return {};
}

std::string why_no_instructions() {
  std::string why = why_no_hardware_counters();
  if (why.empty())
    why = start_papi();
  return why.empty() ? "this machine counts no instructions" : why;
}

std::string why_not(const std::string& name) {
  if (!is_papi_preset(name) && !find_kernel_event(name) && !find_papi_event(name))
    return name + " is no event that PAPI knows on this machine";
  const std::string why = why_no_hardware_counters();
  return name + " cannot be counted" + (why.empty() ? " on this machine" : ": " + why);
}

/// Empty if `choice` counts something, otherwise why not.
std::string choose_default(Choice& choice) {
  choice.instructions = default_instructions();
  if (!choice.instructions)
    return why_no_instructions();
  choice.misses = default_misses(choice.instructions);
  return choice.misses ? "" : "this machine counts no cache misses";
}

std::string choose_named(const std::string& misses, const char* instructions, Choice& choice) {
  choice.misses = find_event(misses);
  if (!choice.misses)
    return why_not(misses);
  choice.instructions = instructions ? find_event(instructions) : default_instructions();
  if (instructions && !choice.instructions)
    return why_not(instructions);
  if (!works(choice.instructions, choice.misses))
    return misses + " cannot be counted together with " + choice.instructions.name;
  return {};
}

/// What threads count. Set by choose(), then only read.
Choice& chosen() {
  static Choice& choice = *new Choice; // never destroyed: threads may count until the process ends
  return choice;
}

std::string names_of(const Choice& choice) {
  if (choice.instructions)
    return choice.instructions.name + ", " + choice.misses.name;
  return choice.misses.name + " (instructions not counted: " + why_no_instructions() + ")";
}

void choose(const char* misses, const char* instructions, CounterChoice* result) {
  start_papi();
  Choice choice;
  const std::string problem = misses ? choose_named(misses, instructions, choice) : choose_default(choice);
  result->counts = problem.empty();
  if (result->counts) {
    snprintf(result->events, sizeof result->events, "%s", names_of(choice).c_str());
    chosen() = choice;
  } else {
    snprintf(result->problem, sizeof result->problem, "%s", problem.c_str());
  }
}

void* start() {
  auto thread = std::make_unique<CountingThread>();
  return thread->start(chosen().instructions, chosen().misses) ? thread.release() : nullptr;
}

bool read(void* thread, CounterReading* reading) { return static_cast<CountingThread*>(thread)->read(*reading); }

void stop(void* thread) {
  delete static_cast<CountingThread*>(thread);
  forget_thread();
}

constexpr CounterPlugin plugin{counter_plugin_version, choose, start, read, stop};

} // namespace
} // namespace hetmp::perf

#pragma GCC visibility push(default)
extern "C" const hetmp::perf::CounterPlugin* hetmp_counter_plugin() { return &hetmp::perf::plugin; }
#pragma GCC visibility pop
