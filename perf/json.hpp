// The JSON library as this project uses it: without exceptions. A wrong access ends the program, so types are
// looked at first. Not for headers: it is large.
#pragma once

#define JSON_NOEXCEPTION
#define JSON_NO_IO
#include <nlohmann/json.hpp>
