// Where a program begins and ends: main runs in shared memory on the origin, and only the origin exits.
#include "dsm/process/node_process.hpp"

#include <dlfcn.h>
#include <unistd.h>

namespace hetmp::dsm {
namespace {

using Main = int (*)(int, char**, char**);

int main_in_shared_memory(int argc, char** argv, char** environment) {
  NodeProcess::instance()->run_main(argc, argv, environment);
}

/// The first constructor of all (`-z initfirst`), also before the C library's own, which sets `environ` to the same.
__attribute__((constructor)) void before_other_constructors(int, char**, char** environment) {
  if (!environ)
    environ = environment;
  if (NodeProcess* process = NodeProcess::instance())
    process->begin_early();
}

} // namespace
} // namespace hetmp::dsm

using namespace hetmp::dsm;

#pragma GCC visibility push(default)
extern "C" {

int __libc_start_main(Main main, int argc, char** argv, void (*init)(), void (*fini)(), void (*rtld_fini)(),
                      void* stack_end) {
  using Start = int (*)(Main, int, char**, void (*)(), void (*)(), void (*)(), void*);
  const auto real = reinterpret_cast<Start>(dlsym(RTLD_NEXT, "__libc_start_main"));
  NodeProcess* process = NodeProcess::instance();
  if (process) {
    process->set_main(main);
    main = main_in_shared_memory;
    process->start_nodes(); // after the shared objects' constructors, before those of the program itself
  }
  return real(main, argc, argv, init, fini, rtld_fini, stack_end);
}

// As the C library declares it: a standard attribute would have to be on the first declaration.
__attribute__((noreturn)) void exit(int code) {
  NodeProcess* process = NodeProcess::instance();
  if (process && process->node() != origin)
    process->exit_at_origin(code);
  const auto real = reinterpret_cast<void (*)(int)>(dlsym(RTLD_NEXT, "exit"));
  real(code);
  __builtin_unreachable();
}

hetmp::dsm::Fabric* hetmp_dsm_fabric() {
  NodeProcess* process = NodeProcess::instance();
  return process ? &process->fabric() : nullptr;
}

} // extern "C"
#pragma GCC visibility pop
