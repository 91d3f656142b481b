// What functions of libraries are to a thread of the origin that is executed on another node: which of them do the same
// there as at home. By their names.
#pragma once

#include <cstddef>
#include <string_view>

namespace hetmp::dsm {

/// Whether a function of the C or C++ library of this name depends on nothing but its arguments, memory that they lead
/// to, and the thread's own variables.
bool only_computes(std::string_view function);
/// Whether one of the C library's does so, but may ask for memory meanwhile.
bool computes_in_memory(std::string_view function);
/// Likewise, and it depends on the locale: it reads text in memory. What formats it: dsm/migration/text_abroad.hpp.
bool works_on_text(std::string_view function);
/// By which functions the C library asks for memory, and gives it back; as many as there are.
bool allocates(std::string_view function);
inline constexpr size_t allocating_functions = 4;
/// Whether the function makes the C library treat text otherwise, in its own process.
bool changes_text(std::string_view function);
/// Whether a function of hetmp's of this name brings its thread home by itself (Fabric::come_home), and needs no gate.
bool comes_home_itself(std::string_view function);

} // namespace hetmp::dsm
