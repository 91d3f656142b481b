#include "base/variables/description.hpp"

#include "base/variables/grammars.hpp"

#include <iterator>

namespace hetmp {
namespace {

/// Of an alias: what it is another name of decides the rest.
constexpr Moment moment_of(Variable variable) {
  switch (variable) {
#define HETMP_VARIABLE(name, section, moment, trust, grammar, usual, meaning)                                          \
  case Variable::name:                                                                                                 \
    return Moment::moment;
#include "base/variables/variables.def"
  default:
    return Moment::Start;
  }
}

constexpr Description descriptions[] = {
#define HETMP_VARIABLE(name, section, moment, trust, grammar, usual, meaning)                                          \
  {Variable::name, Moment::moment, grammars::grammar, usual, meaning},
#define HETMP_ALIAS(name, of, section, grammar, meaning)                                                               \
  {Variable::of, moment_of(Variable::of), grammars::grammar, "", meaning},
#include "base/variables/variables.def"
};
static_assert(std::size(descriptions) == variable_count);

} // namespace

const Description& description_of(Variable variable) { return descriptions[size_t(variable)]; }

} // namespace hetmp
