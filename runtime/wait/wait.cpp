#include "runtime/wait/wait.hpp"

namespace hetmp::runtime {

constinit Spinning spinning;

} // namespace hetmp::runtime
