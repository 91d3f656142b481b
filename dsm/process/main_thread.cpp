// The thread that executes main: NodeProcess's part.
#include "base/exit_codes.hpp"
#include "base/message.hpp"
#include "dsm/process/node_process.hpp"

#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace hetmp::dsm {
namespace {

/// The program ends on main's stack, as everywhere: exit handlers may look for things there.
void* call_main(void* argument) {
  const auto call = *static_cast<const NodeProcess::MainCall*>(argument);
  exit(call.main(call.argc, call.argv, call.environment));
}

} // namespace

void NodeProcess::run_main(int argc, char** argv, char** environment) {
  main_call_ = {main_call_.main, argc, argv, environment};
  if (const int error = stacks_.create_main(call_main, &main_call_))
    die(exit_code::software, "cannot create main's thread: %s", strerrordesc_np(error));
  while (true)
    pause();
}

} // namespace hetmp::dsm
