#include "dsm/space/memory_budget.hpp"

#include "base/environment.hpp"
#include "base/exit_codes.hpp"
#include "base/message.hpp"
#include "base/variables/variable.hpp"
#include "dsm/space/address_plan.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <limits>
#include <new>
#include <string>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace hetmp::dsm {
namespace {

constexpr uint64_t unlimited = std::numeric_limits<uint64_t>::max();

/// The beginning of a small file, empty if it cannot be read. Without streams: this runs at the first allocation.
std::string content_of(const char* path) {
  char text[4096];
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  const ssize_t length = file < 0 ? -1 : read(file, text, sizeof text);
  if (file >= 0)
    close(file);
  return std::string(text, length < 0 ? 0 : size_t(length));
}

uint64_t number_after(const std::string& text, const char* key) {
  const size_t at = text.find(key);
  return at == std::string::npos ? 0 : strtoull(text.c_str() + at + strlen(key), nullptr, 10);
}

/// Where the kernel counts the memory of the process's control group.
struct MemoryController {
  std::string mount; ///< without a slash at the end
  std::string group; ///< below it; "/" for the topmost
  const char* limit; ///< names of files in each group's folder
  const char* usage;
  const char* reclaimable; ///< in memory.stat: files' pages nobody has used lately, which are part of the usage
};

/// From /proc/self/cgroup, whose lines are "number:controllers:group". Version 1 where it has the memory controller
/// (then version 2 has not), otherwise version 2.
MemoryController memory_controller() {
  MemoryController found{"/sys/fs/cgroup", "/", "memory.max", "memory.current", "\ninactive_file "};
  const std::string text = content_of("/proc/self/cgroup");
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    const size_t first = line.find(':'), second = first == line.npos ? line.npos : line.find(':', first + 1);
    if (second == line.npos)
      continue;
    const std::string controllers = ',' + line.substr(first + 1, second - first - 1) + ',';
    if (controllers == ",,")
      found.group = line.substr(second + 1);
    else if (controllers.find(",memory,") != controllers.npos)
      return {"/sys/fs/cgroup/memory", line.substr(second + 1), "memory.limit_in_bytes", "memory.usage_in_bytes",
              "\ntotal_inactive_file "};
  }
  return found;
}

/// What the process's control group and those above it leave to it. A container may see its own group as the topmost
/// one, by whatever name, so that one is looked at as well.
uint64_t left_by_control_groups() {
  uint64_t left = unlimited;
  const MemoryController controller = memory_controller();
  std::string group = controller.group;
  while (true) {
    if (group == "/")
      group.clear();
    const std::string folder = controller.mount + group + '/';
    const std::string limit = content_of((folder + controller.limit).c_str());
    if (!limit.empty() && isdigit(static_cast<unsigned char>(limit[0]))) {
      const uint64_t most = strtoull(limit.c_str(), nullptr, 10);
      const uint64_t usage = strtoull(content_of((folder + controller.usage).c_str()).c_str(), nullptr, 10);
      const uint64_t reclaimable = number_after(content_of((folder + "memory.stat").c_str()), controller.reclaimable);
      const uint64_t used = usage - std::min(usage, reclaimable);
      left = std::min(left, most > used ? most - used : 0);
    }
    if (group.empty())
      return left;
    const size_t slash = group.rfind('/');
    group.resize(slash == group.npos ? 0 : slash);
  }
}

uint64_t available_bytes() {
  const std::string facts = content_of("/proc/meminfo");
  const uint64_t machine = (number_after(facts, "MemAvailable:") + number_after(facts, "SwapFree:")) * 1024;
  return std::min(machine ? machine : unlimited, left_by_control_groups());
}

/// The nodes' processes need some memory besides: directories, rings, the kernel's page tables.
uint64_t default_limit() {
  const uint64_t available = available_bytes();
  return available == unlimited ? 0 : available - available / 16;
}

} // namespace

int64_t MemoryBudget::parse(const char* text) {
  const std::string_view all = trimmed(text);
  if (equal_ignoring_case(all, "none"))
    return 0;
  static constexpr std::string_view units = "KMGT";
  const char last = all.empty() ? ' ' : char(toupper(static_cast<unsigned char>(all.back())));
  const size_t unit = units.find(last);
  const int shift = unit == units.npos ? 0 : 10 * (int(unit) + 1);
  const auto number =
      parse_integer(shift ? all.substr(0, all.size() - 1) : all, 1, std::numeric_limits<int64_t>::max() >> shift);
  return number ? *number << shift : -1;
}

void MemoryBudget::set_up(uint32_t sharers) {
  limit_ = default_limit();
  if (const auto text = environment_value(Variable::HETMP_MEMORY)) {
    if (const int64_t wanted = parse(text->c_str()); wanted >= 0)
      limit_ = uint64_t(wanted);
    else
      complain(Variable::HETMP_MEMORY, *text, "not an amount of memory such as 8G, nor none",
               std::to_string(limit_ >> 20) + "M");
  }
  limit_ /= std::max(sharers, 1u);
  if (limit_ == 0)
    return;
  void* memory = reinterpret_cast<void*>(
      syscall(SYS_mmap, nullptr, sizeof(Counters), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  if (memory == MAP_FAILED)
    die(exit_code::software, "cannot map a page to count memory in: %s", strerrordesc_np(errno));
  counters_ = new (memory) Counters;
}

bool MemoryBudget::take(size_t bytes) {
  if (!counters_)
    return true;
  // Not added and taken back: others would be refused meanwhile what there is. relaxed: a number.
  int64_t before = counters_->used.load(std::memory_order_relaxed);
  while (bytes <= limit_ && before + int64_t(bytes) <= int64_t(limit_))
    if (counters_->used.compare_exchange_weak(before, before + int64_t(bytes), std::memory_order_relaxed))
      return true;
  if (!counters_->said.exchange(true, std::memory_order_relaxed)) // relaxed: only who comes first counts
    say("%.1f MiB more memory are refused: %.1f of the %.1f MiB that the nodes of this machine may allocate are in use "
        "(HETMP_MEMORY sets another limit)",
        double(bytes) / (1 << 20), double(before) / (1 << 20), double(limit_) / (1 << 20));
  return false;
}

bool MemoryBudget::has(size_t bytes) const {
  // relaxed: only the number
  return !counters_ || counters_->used.load(std::memory_order_relaxed) + int64_t(bytes) <= int64_t(limit_);
}

void MemoryBudget::give_back(size_t bytes) {
  if (counters_)
    counters_->used.fetch_sub(int64_t(bytes), std::memory_order_relaxed);
}

void MemoryBudget::pages_moved(uint32_t node, int64_t pages) {
  constexpr int64_t step = int64_t(1) << 20;
  moved_bytes_ += pages * int64_t(page_bytes);
  if (!counters_ || (moved_bytes_ < step && moved_bytes_ > -step))
    return;
  const int64_t now = counters_->used.fetch_add(moved_bytes_, std::memory_order_relaxed) + moved_bytes_;
  const bool grew = moved_bytes_ > 0;
  moved_bytes_ = 0;
  if (!grew || now <= int64_t(limit_))
    return;
  if (!counters_->ended.exchange(true, std::memory_order_relaxed)) // relaxed: only who comes first counts
    say("node %u has no memory left for copies of the program's pages: the nodes of this machine may use %.1f MiB "
        "together "
        "(HETMP_MEMORY sets another limit); fewer nodes need fewer copies",
        node, double(limit_) / (1 << 20));
  _exit(exit_code::software);
}

} // namespace hetmp::dsm
