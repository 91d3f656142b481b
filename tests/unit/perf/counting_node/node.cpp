// A library in libhetmp.so's place, as far as counters go: it counts on every node of a program with several
// node processes, on threads like the runtime's, and writes one line a node to standard output.
#include "base/futex.hpp"
#include "base/private_section.hpp"
#include "dsm/fabric.hpp"
#include "perf/counters.hpp"
#include "tests/unit/perf/child.hpp"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

namespace {

using namespace hetmp;

constexpr int touched_pages = 300;

dsm::Fabric* fabric = nullptr;
FutexWord finished{0};
FutexWord others_finished{0}; // on the origin

bool shared(const void* address) { return fabric->is_shared(address); }

/// Whether what other libraries allocate is shared, and not so in a private section.
bool sections_work() {
  void* outside = malloc(100);
  void* inside;
  void* mapped;
  {
    const PrivateSection outer;
    {
      const PrivateSection inner;
      inside = malloc(100);
    }
    mapped = mmap(nullptr, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  }
  void* after = malloc(100);
  const bool right = shared(outside) && !shared(inside) && !shared(mapped) && shared(after);
  munmap(mapped, 1 << 20);
  for (void* block : {outside, inside, after})
    free(block);
  return right;
}

/// Whether PAPI and the plugin are there, with data that this process has for itself.
bool has_private_papi() {
  int found = 0;
  const auto look = [](dl_phdr_info* info, size_t, void* count) {
    const std::string name = info->dlpi_name;
    if (name.find("libhetmp_papi.so") == name.npos && name.find("libpapi.so") == name.npos)
      return 0;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
      const auto& header = info->dlpi_phdr[i];
      if (header.p_type == PT_LOAD && (header.p_flags & PF_W) &&
          shared(reinterpret_cast<void*>(info->dlpi_addr + header.p_vaddr + header.p_memsz - 1)))
        return 1;
    }
    ++*static_cast<int*>(count);
    return 0;
  };
  return dl_iterate_phdr(look, &found) == 0 && found == 2;
}

/// "counts", or what is wrong.
const char* count() {
  if (!shared(__builtin_frame_address(0)))
    return "not on a shared stack";
  if (!sections_work())
    return "private sections give shared memory, or the other way round";
  perf::ThreadCounters counters;
  if (!perf::start_thread_counters(counters))
    return perf::counters_state().c_str();
  static_assert(sizeof(void*) <= sizeof counters);
  if (shared(*reinterpret_cast<void**>(&counters))) // the plugin's record of the thread, the first member
    return "the plugin's memory is shared";
  if (!has_private_papi())
    return "PAPI's data are shared";
  perf::touch_new_pages(touched_pages);
  const uint64_t faults = perf::read_thread_counters(counters).cache_misses;
  perf::stop_thread_counters(counters);
  return faults >= touched_pages ? "counts" : "counts too little";
}

void* run(void*) {
  char line[200];
  const int length = snprintf(line, sizeof line, "node %u %s\n", fabric->node, count());
  [[maybe_unused]] const ssize_t written = write(STDOUT_FILENO, line, size_t(length));
  finished.store(1, std::memory_order_release); // pairs with the acquire in count_here()
  futex_wake(finished, 1);
  return nullptr;
}

void count_here() {
  perf::set_counter_settings({HETMP_PLUGIN_FOLDER, fabric->node == 0});
  fabric->create_thread(run, nullptr, 0);
  while (!finished.load(std::memory_order_acquire))
    futex_wait(finished, 0);
}

void count_on_another_node() {
  count_here();
  fabric->send(0, "", 1);
}

void another_finished(uint32_t, const void*, uint32_t) {
  others_finished.fetch_add(1, std::memory_order_release); // pairs with the acquire in count_on_all_nodes()
  futex_wake(others_finished, 1);
}

__attribute__((constructor)) void attach() {
  const auto find = reinterpret_cast<dsm::Fabric* (*)()>(dlsym(RTLD_DEFAULT, "hetmp_dsm_fabric"));
  fabric = find ? find() : nullptr;
  static const dsm::RuntimeHooks hooks{another_finished, count_on_another_node, nullptr};
  if (fabric)
    fabric->attach(&hooks);
}

} // namespace

/// For the program. False without several nodes.
extern "C" __attribute__((visibility("default"))) bool count_on_all_nodes() {
  if (!fabric)
    return false;
  count_here();
  for (uint32_t others; (others = others_finished.load(std::memory_order_acquire)) + 1 < fabric->nodes;)
    futex_wait(others_finished, others);
  return true;
}
