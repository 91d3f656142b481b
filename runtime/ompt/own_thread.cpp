#include "runtime/ompt/own_thread.hpp"

namespace hetmp::runtime {

constinit thread_local OwnThread own_thread;

} // namespace hetmp::runtime
