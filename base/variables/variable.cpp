#include "base/variables/variable.hpp"

#include "base/environment.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>

namespace hetmp {
namespace {

struct Row {
  const char* name;
  Variable of; ///< itself, if it is no alias
  Section section;
  Trust trust;
};

constexpr Row rows[] = {
#define HETMP_VARIABLE(name, section, moment, trust, grammar, usual, meaning)                                          \
  {#name, Variable::name, Section::section, Trust::trust},
#define HETMP_ALIAS(name, of, section, grammar, meaning) {#name, Variable::of, Section::section, Trust::Anywhere},
#include "base/variables/variables.def"
};
static_assert(std::size(rows) == variable_count);

constexpr const char* ignored[] = {
#define HETMP_IGNORED(name) #name,
#include "base/variables/variables.def"
};

constexpr std::string_view prefixes[] = {"OMP_", "KMP_", "GOMP_", "LIBOMP_", "HETMP_"};

const Row& row_of(Variable variable) { return rows[size_t(variable)]; }

} // namespace

const char* name_of(Variable variable) { return row_of(variable).name; }

std::optional<Variable> variable_named(std::string_view name) {
  const Row* found = std::find_if(std::begin(rows), std::end(rows), [&](const Row& row) { return row.name == name; });
  return found == std::end(rows) ? std::nullopt : std::optional(Variable(found - rows));
}

Section section_of(Variable variable) { return row_of(variable).section; }

Trust trust_in(Variable variable) { return row_of(variable).trust; }

const char* environment_text(Variable variable) {
  const char* value = getenv(name_of(variable));
  return value && trust_in(variable) == Trust::Owner && is_privileged() ? nullptr : value;
}

std::optional<std::string> environment_value(Variable variable) {
  const char* text = environment_text(variable);
  const std::string_view value = text ? trimmed(text) : std::string_view();
  return value.empty() ? std::nullopt : std::optional(std::string(value));
}

Variable name_given(Variable variable) {
  for (size_t i = 0; i < variable_count; ++i)
    if (rows[i].of == variable && Variable(i) != variable && environment_value(Variable(i)))
      return Variable(i);
  return variable;
}

void complain(Variable variable, std::string_view value, std::string_view problem, std::string_view substitute) {
  complain(name_of(variable), value, problem, substitute);
}

void complain_as_libomp(int number, Variable variable, std::string_view value, std::string_view problem,
                        std::string_view substitute) {
  complain_as_libomp(number, name_of(variable), value, problem, substitute);
}

bool is_of_openmp_runtimes(std::string_view name) {
  return std::any_of(std::begin(prefixes), std::end(prefixes),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

bool is_ignored(std::string_view name) {
  return std::any_of(std::begin(ignored), std::end(ignored), [&](const char* one) { return name == one; });
}

} // namespace hetmp
