// The variables of the environment that hetmp reads (variables.def), and the one place that reads them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hetmp {

/// Each is named as the variable is, so that a search for the name finds its row and its readers.
enum class Variable : uint8_t {
#define HETMP_VARIABLE(name, section, moment, trust, grammar, usual, meaning) name,
#define HETMP_ALIAS(name, of, section, grammar, meaning) name,
#include "base/variables/variables.def"
};

inline constexpr size_t variable_count = 0
#define HETMP_VARIABLE(name, section, moment, trust, grammar, usual, meaning) +1
#define HETMP_ALIAS(name, of, section, grammar, meaning) +1
#include "base/variables/variables.def"
    ;

const char* name_of(Variable variable);
/// The one of that name, in the same case.
std::optional<Variable> variable_named(std::string_view name);

/// What a variable is about; internal ones are set by hetmp for its own processes.
enum class Section : uint8_t { Nodes, Loops, Reports, OpenMP, Libomp, Others, Internal };
Section section_of(Variable variable);

/// Whether a variable's value is followed in a privileged process (is_privileged(), base/environment.hpp).
enum class Trust : uint8_t {
  Anywhere, ///< it is a number or a word
  Owner,    ///< it names a file, a program, a host or what else is to be opened: as if not set in such a process
};
Trust trust_in(Variable variable);

/// What the environment holds, unchanged; null if the variable is not set, or not to be believed here. Allocates
/// nothing.
const char* environment_text(Variable variable);

/// The same without surrounding blanks; nothing when it is unset or blank.
std::optional<std::string> environment_value(Variable variable);

/// The one of the variable's names that counts: its aliases come before it, in the order of their rows; itself if none
/// of them has a value.
Variable name_given(Variable variable);

/// Says: "NAME=value: <what is wrong>; using <substitute>"; as the functions of base/environment.hpp.
void complain(Variable variable, std::string_view value, std::string_view problem, std::string_view substitute);
void complain_as_libomp(int number, Variable variable, std::string_view value, std::string_view problem,
                        std::string_view substitute);

/// Whether a name begins as those of OpenMP runtimes do: OMP_, KMP_, GOMP_, LIBOMP_, HETMP_.
bool is_of_openmp_runtimes(std::string_view name);

/// Whether it is one of libomp's that hetmp ignores without a word.
bool is_ignored(std::string_view name);

} // namespace hetmp
