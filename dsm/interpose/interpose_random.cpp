// Random numbers (random_state.hpp), as the C library draws them. erand48(), nrand48() and jrand48() are left to it:
// they change nothing but what the caller gives, by a multiplier that only lcong48() sets.
#include "dsm/interpose/calling_process.hpp"
#include "dsm/interpose/kept_results.hpp"

#include <cerrno>
#include <cstdint>
#include <cstdlib>

using hetmp::dsm::kept_results;
using hetmp::dsm::NodeProcess;
using hetmp::dsm::origin;
using hetmp::dsm::process_of_caller;
using Generators = hetmp::dsm::RandomState::Generators;

namespace {

/// `draw`: a reentrant form.
template <class Result, class Draw> Result drawn(Draw&& draw) {
  return kept_results().random.with([&](Generators& all) {
    Result result{};
    draw(&all.congruential, &result);
    return result;
  });
}

int32_t next() {
  return kept_results().random.with([](Generators& all) {
    int32_t result = 0;
    random_r(&all.additive, &result);
    return result;
  });
}

void seed(unsigned with) {
  kept_results().random.with([&](Generators& all) { return srandom_r(with, &all.additive); });
}

/// The table that is in use, as initstate() and setstate() give it: its first word tells its kind.
char* table_of(const random_data& state) { return reinterpret_cast<char*>(state.state - 1); }

/// `change(state)`: 0, or -1 with errno. The table that was in use before; null: nothing was changed.
template <class Change> char* table_before(Change&& change) {
  return kept_results().random.with([&](Generators& all) {
    char* const before = table_of(all.additive);
    return change(&all.additive) == 0 ? before : nullptr;
  });
}

} // namespace

#pragma GCC visibility push(default)
extern "C" {

int rand() noexcept { return next(); }
void srand(unsigned with) noexcept { seed(with); }
long random() noexcept { return next(); }
void srandom(unsigned with) noexcept { seed(with); }

char* initstate(unsigned with, char* table, size_t bytes) noexcept {
  return table_before([&](random_data* state) { return initstate_r(with, table, bytes, state); });
}

char* setstate(char* table) noexcept {
  return table_before([&](random_data* state) { return setstate_r(table, state); });
}

double drand48() noexcept { return drawn<double>(drand48_r); }
long lrand48() noexcept { return drawn<long>(lrand48_r); }
long mrand48() noexcept { return drawn<long>(mrand48_r); }

void srand48(long with) noexcept {
  kept_results().multiplier.srand48(with);
  kept_results().random.with([&](Generators& all) { return srand48_r(with, &all.congruential); });
}

/// What it returns is where the C library keeps the numbers before, and so it is here.
unsigned short* seed48(unsigned short with[3]) noexcept {
  kept_results().multiplier.seed48(with);
  return kept_results().random.with([&](Generators& all) {
    seed48_r(with, &all.congruential);
    return all.congruential.__old_x;
  });
}

/// The other nodes' C libraries have the usual multiplier.
void lcong48(unsigned short with[7]) noexcept {
  kept_results().multiplier.lcong48(with);
  NodeProcess* const process = process_of_caller();
  if (process && process->node() == origin && process->has_started()) {
    process->migration().deputies().stay_at_home();
    process->tell_regions_stay();
  }
  kept_results().random.with([&](Generators& all) { return lcong48_r(with, &all.congruential); });
}

} // extern "C"
#pragma GCC visibility pop
