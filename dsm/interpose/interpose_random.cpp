// Random numbers (random_state.hpp), as the C library draws them.
#include "dsm/interpose/kept_results.hpp"

#include <cerrno>
#include <cstdint>
#include <cstdlib>

using hetmp::dsm::kept_results;
using Generators = hetmp::dsm::RandomState::Generators;

namespace {

/// `draw`: a reentrant form; `more`: its arguments between the state and the result.
template <class Result, class Draw, class... More> Result drawn(Draw&& draw, More... more) {
  return kept_results().random.with([&](Generators& all) {
    Result result{};
    draw(more..., &all.congruential, &result);
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
double erand48(unsigned short from[3]) noexcept { return drawn<double>(erand48_r, from); }
long nrand48(unsigned short from[3]) noexcept { return drawn<long>(nrand48_r, from); }
long jrand48(unsigned short from[3]) noexcept { return drawn<long>(jrand48_r, from); }

void srand48(long with) noexcept {
  kept_results().random.with([&](Generators& all) { return srand48_r(with, &all.congruential); });
}

/// What it returns is where the C library keeps the numbers before, and so it is here.
unsigned short* seed48(unsigned short with[3]) noexcept {
  return kept_results().random.with([&](Generators& all) {
    seed48_r(with, &all.congruential);
    return all.congruential.__old_x;
  });
}

void lcong48(unsigned short with[7]) noexcept {
  kept_results().random.with([&](Generators& all) { return lcong48_r(with, &all.congruential); });
}

} // extern "C"
#pragma GCC visibility pop
