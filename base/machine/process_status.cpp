#include "base/machine/process_status.hpp"

#include "base/page.hpp"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>

namespace hetmp {

std::string text_of_file(const char* path, size_t most_bytes) {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return {};
  std::string text(most_bytes, '\0');
  size_t filled = 0;
  while (filled < text.size()) {
    const ssize_t bytes = read(file, text.data() + filled, text.size() - filled);
    if (bytes < 0 && errno == EINTR)
      continue;
    if (bytes <= 0)
      break;
    filled += size_t(bytes);
  }
  close(file);
  text.resize(filled);
  return text;
}

bool stat_says_stopped(const std::string& stat) {
  const size_t name_end = stat.rfind(')'); // the name may have parentheses itself
  if (name_end == stat.npos || name_end + 2 >= stat.size())
    return false;
  const char state = stat[name_end + 2];
  return state == 'T' || state == 't';
}

uint32_t stat_says_threads(const std::string& stat) {
  constexpr int before = 18; // fields: the name is the second one, the number of threads the twentieth
  size_t at = stat.rfind(')');
  for (int i = 0; i < before && at != stat.npos; ++i)
    at = stat.find(' ', at + 1);
  return at == stat.npos ? 0 : uint32_t(strtoul(stat.c_str() + at, nullptr, 10));
}

bool status_says_traced(const std::string& status) {
  constexpr char field[] = "\nTracerPid:"; // never the first line
  const size_t at = status.find(field);
  return at != status.npos && strtol(status.c_str() + at + sizeof field - 1, nullptr, 10) != 0;
}

uint64_t statm_says_resident_pages(const std::string& statm) {
  const size_t first_end = statm.find(' ');
  return first_end == statm.npos ? 0 : strtoull(statm.c_str() + first_end, nullptr, 10);
}

bool is_stopped(pid_t process) {
  return stat_says_stopped(text_of_file(("/proc/" + std::to_string(process) + "/stat").c_str()));
}

bool is_traced() { return status_says_traced(text_of_file("/proc/self/status")); }

uint32_t threads_of_process() { return stat_says_threads(text_of_file("/proc/self/stat")); }

uint64_t resident_bytes() { return statm_says_resident_pages(text_of_file("/proc/self/statm")) * page_bytes; }

} // namespace hetmp
