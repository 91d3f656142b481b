// Where hidden helper threads (tasking/helpers.hpp) run: KMP_HIDDEN_HELPER_AFFINITY.
#pragma once

#include <cstdint>

namespace hetmp::affinity {

/// The calling thread, helper `number` from 1 on, goes to its place, or to all CPUs of the program if helpers are not
/// bound; it may have been made by a thread that is. With `tell`, and if the variable says verbose, a line tells where
/// it is.
void seat_helper(uint32_t number, bool tell);

/// Whether the variable says verbose: then each helper is to tell where it is. Reads the variable the first time;
/// before any helper is there.
bool helpers_tell_places();

} // namespace hetmp::affinity
