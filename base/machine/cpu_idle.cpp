#include "base/machine/cpu_idle.hpp"

#include "base/machine/process_status.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <string>
#include <unistd.h>

namespace hetmp {

std::optional<uint64_t> stat_says_idle_ticks(std::string_view text, const std::vector<int>& cpus) {
  uint64_t ticks = 0;
  for (const int cpu : cpus) {
    const std::string begin = "\ncpu" + std::to_string(cpu) + " "; // the first line is about all together
    const size_t at = text.find(begin);
    uint64_t idle = 0, waits = 0; // waits: for a disk, which is nobody's work either
    if (at == text.npos)
      return {};
    const std::string line(text.substr(at + begin.size(), text.find('\n', at + 1) - at - begin.size()));
    if (sscanf(line.c_str(), "%*u %*u %*u %" SCNu64 " %" SCNu64, &idle, &waits) != 2)
      return {};
    ticks += idle + waits;
  }
  return ticks;
}

std::optional<double> idle_us_of(const std::vector<int>& cpus) {
  const double us_a_tick = 1e6 / double(sysconf(_SC_CLK_TCK));
  constexpr size_t a_cpu = 256; // bytes of a line, at most
  constexpr size_t most_cpus = 8192;
  const size_t last = cpus.empty() ? 0 : size_t(cpus.back());
  const auto ticks = stat_says_idle_ticks(text_of_file("/proc/stat", a_cpu * (std::min(last, most_cpus) + 2)), cpus);
  return ticks ? std::optional(double(*ticks) * us_a_tick) : std::nullopt;
}

} // namespace hetmp
