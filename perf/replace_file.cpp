#include "perf/replace_file.hpp"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace hetmp::perf {
namespace {

/// 0 or an errno value.
int write_all(int file, std::string_view text, Durable durable) {
  while (!text.empty()) {
    const ssize_t written = write(file, text.data(), text.size());
    if (written < 0 && errno != EINTR)
      return errno;
    text.remove_prefix(written > 0 ? size_t(written) : 0);
  }
  return durable == Durable::No || fsync(file) == 0 ? 0 : errno;
}

} // namespace

int replace_file(const std::string& path, std::string_view text, Durable durable) {
  std::string temporary = path + ".XXXXXX";
  const int file = mkostemp(temporary.data(), O_CLOEXEC);
  if (file < 0)
    return errno;
  constexpr mode_t as_usual = 0644;
  int error = fchmod(file, as_usual) == 0 ? write_all(file, text, durable) : errno;
  if (close(file) != 0 && error == 0)
    error = errno;
  if (error == 0 && rename(temporary.c_str(), path.c_str()) != 0)
    error = errno;
  if (error != 0)
    unlink(temporary.c_str());
  return error;
}

int make_folders(const std::string& folder) {
  constexpr mode_t owner_only = 0700;
  for (size_t end = folder.find('/', 1);; end = folder.find('/', end + 1)) {
    if (mkdir(folder.substr(0, end).c_str(), owner_only) != 0 && errno != EEXIST && errno != EISDIR)
      return errno;
    if (end == std::string::npos)
      return 0;
  }
}

} // namespace hetmp::perf
