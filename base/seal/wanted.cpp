#include "base/seal/wanted.hpp"

#include "base/environment.hpp"
#include "base/variables/variable.hpp"

namespace hetmp::seal {

bool wanted() {
  constexpr Variable variable = Variable::HETMP_ENCRYPT;
  const auto text = environment_value(variable);
  if (!text)
    return false;
  const auto value = parse_boolean(*text);
  if (!value)
    complain(variable, *text, "neither true nor false", "true");
  return value.value_or(true);
}

} // namespace hetmp::seal
