// Names that were probably meant to be one of hetmp's variables. Pure; allocates nothing.
#pragma once

#include "base/variables/variable.hpp"

#include <optional>
#include <string_view>

namespace hetmp {

/// Of a name that begins with HETMP_ and is none of the table's: the variable that is one or two letters away from it,
/// if one is. A name that is near none may be somebody else's (HETMP_ROOT of an environment module), and is no matter.
std::optional<Variable> probably_meant(std::string_view name);

} // namespace hetmp
