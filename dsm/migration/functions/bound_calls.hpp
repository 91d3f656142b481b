// Functions whose effect belongs to the process or the thread that calls them: threads that are made and joined,
// signals, standard input, the process's number and times. Threads on journeys go home for each call of a private
// object. A region that is lent (runtime/regions/lending.hpp) has all of its threads elsewhere, its first one as well,
// which is main's at home; so only such regions are lent that call nothing of the kind. Gates note it (gates.hpp).
#pragma once

#include <string_view>

namespace hetmp::dsm {

/// Whose function it is, of those that programs call of private objects.
enum class CalledLibrary { CLibrary, CxxLibrary, FortranLibrary, Other };

/// Whether a call of the function, of a library that is not hetmp's, may have an effect of the kind, or a result. What
/// is not known has.
bool is_bound_to_process(std::string_view function, CalledLibrary library);

} // namespace hetmp::dsm
