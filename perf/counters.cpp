#include "perf/counters.hpp"

#include "base/environment.hpp"
#include "base/library_folder.hpp"
#include "base/plugin.hpp"
#include "base/private_section.hpp"
#include "base/variables/variable.hpp"
#include "perf/counter_plugin.hpp"

#include <atomic>
#include <dlfcn.h>
#include <optional>
#include <pthread.h>

namespace hetmp::perf {
namespace {

constexpr Variable variable = Variable::HETMP_COUNTERS;
constexpr const char* without_counters = "CPU time per iteration";

/// The plugin while there is one that counts. A forked child has none: its handles would read its parent's
/// counters.
std::atomic<const CounterPlugin*> active{nullptr};

CounterSettings& settings() {
  static CounterSettings& instance = *new CounterSettings; // never destroyed: threads may count until the process ends
  return instance;
}

struct EventNames {
  std::string misses, instructions; ///< empty = the default
};

/// Nothing if the text is not one name or two.
std::optional<EventNames> parse_names(std::string_view text) {
  const size_t comma = text.find(',');
  EventNames names;
  names.misses = trimmed(text.substr(0, comma));
  if (comma != text.npos)
    names.instructions = trimmed(text.substr(comma + 1));
  const bool lacks_second = comma != text.npos && names.instructions.empty();
  if (names.misses.empty() || lacks_second || names.instructions.find(',') != std::string::npos)
    return {};
  return names;
}

constexpr Plugin papi{counter_plugin_file, "PAPI", HETMP_WITH_PAPI};

/// Null, and why, if there is no usable plugin.
const CounterPlugin* load_plugin(std::string& problem) {
  const std::string folder =
      settings().folder.empty() ? library_folder(reinterpret_cast<const void*>(&counters_state)) : settings().folder;
  void* library = hetmp::load_plugin(papi, folder, RTLD_LOCAL, problem);
  if (!library)
    return nullptr;
  using Entry = const CounterPlugin* (*)();
  const Entry entry = reinterpret_cast<Entry>(dlsym(library, "hetmp_counter_plugin"));
  const CounterPlugin* plugin = entry ? entry() : nullptr;
  if (plugin && plugin->version == counter_plugin_version)
    return plugin;
  problem = std::string(counter_plugin_file) + " belongs to another version of hetmp";
  return nullptr;
}

const char* or_null(const std::string& name) { return name.empty() ? nullptr : name.c_str(); }

/// Chooses events; returns the state. What stands in HETMP_COUNTERS is followed entirely or not at all.
std::string choose_events(const CounterPlugin* plugin, const std::string& no_plugin) {
  const std::optional<std::string> text = environment_value(variable);
  std::optional<EventNames> names = text ? parse_names(*text) : EventNames{};
  std::string problem = names ? no_plugin : "neither MISSES nor MISSES,INSTRUCTIONS";
  CounterChoice choice;
  if (plugin && names) {
    plugin->choose(or_null(names->misses), or_null(names->instructions), &choice);
    problem = choice.problem;
  }
  if (text && !choice.counts) {
    CounterChoice substitute;
    if (plugin)
      plugin->choose(nullptr, nullptr, &substitute);
    if (settings().complain)
      complain(variable, *text, problem, substitute.counts ? substitute.events : without_counters);
    choice = substitute;
    problem = plugin ? choice.problem : no_plugin;
  }
  if (!choice.counts)
    return problem;
  active.store(plugin,
               std::memory_order_release); // pairs with the acquire in plugin_if_active(): its choice is made
  return choice.events;
}

const std::string& load_once() {
  static const std::string& state = *[] {
    const PrivateSection section;
    std::string problem;
    const CounterPlugin* plugin = load_plugin(problem);
    auto* text = new std::string(choose_events(plugin, problem));
    // relaxed: this thread has stored it, if anybody has; a forked child has one thread.
    if (active.load(std::memory_order_relaxed))
      pthread_atfork(nullptr, nullptr, [] { active.store(nullptr, std::memory_order_relaxed); });
    return text;
  }();
  return state;
}

/// acquire: pairs with the release in choose_events().
const CounterPlugin* plugin_if_active() { return active.load(std::memory_order_acquire); }

} // namespace

double misses_per_kilo_instruction(const CounterReading& counted) {
  if (counted.instructions == 0)
    return -1;
  return 1000.0 * double(counted.cache_misses) / double(counted.instructions);
}

void set_counter_settings(const CounterSettings& wanted) { settings() = wanted; }

bool counters_available() {
  load_once();
  return plugin_if_active() != nullptr;
}

const std::string& counters_state() { return load_once(); }

bool start_thread_counters(ThreadCounters& counters) {
  if (counters.plugin_thread_)
    return plugin_if_active() != nullptr;
  if (counters.refused_)
    return false;
  load_once();
  if (const CounterPlugin* plugin = plugin_if_active()) {
    const PrivateSection section;
    counters.plugin_thread_ = plugin->start();
  }
  counters.refused_ = !counters.plugin_thread_;
  return !counters.refused_;
}

CounterReading read_thread_counters(const ThreadCounters& counters) {
  CounterReading reading;
  const CounterPlugin* plugin = counters.plugin_thread_ ? plugin_if_active() : nullptr;
  if (!plugin)
    return reading;
  const PrivateSection section;
  plugin->read(counters.plugin_thread_, &reading);
  return reading;
}

void stop_thread_counters(ThreadCounters& counters) {
  const CounterPlugin* plugin = counters.plugin_thread_ ? plugin_if_active() : nullptr;
  if (plugin) {
    const PrivateSection section;
    plugin->stop(counters.plugin_thread_);
  }
  counters = {};
}

} // namespace hetmp::perf
