// Exit codes of a program that hetmp ends: those of sysexits.h where one says it.
#pragma once

namespace hetmp::exit_code {

inline constexpr int failure = 1;       ///< as libomp and libgomp end a program
inline constexpr int software = 70;     ///< EX_SOFTWARE: what cannot be carried on with
inline constexpr int no_resources = 71; ///< EX_OSERR: the system does not give what is needed
inline constexpr int protocol = 76;     ///< EX_PROTOCOL: a node said what no correct node says

} // namespace hetmp::exit_code
