// Where the report goes.
#include "perf/report/report.hpp"

#include "base/message.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace hetmp::perf {
namespace {

/// True once all of `text` is written; otherwise errno says why not.
bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return false;
    text.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

} // namespace

bool write_file(const std::string& name, std::string_view text) {
  const int descriptor = open(name.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0)
    return false;
  if (!write_all(descriptor, text)) {
    const int why = errno;
    close(descriptor);
    errno = why;
    return false;
  }
  return close(descriptor) == 0; // some file systems report a full disk only here
}

bool write_report_to(const Report& report, std::string_view destination) {
  if (destination == "1")
    return write_all(STDERR_FILENO, format_text(report));
  const bool json = destination.ends_with(".json"), html = destination.ends_with(".html");
  return write_file(std::string(destination), json   ? format_json(report)
                                              : html ? format_html(report)
                                                     : format_text(report));
}

bool write_report(const Report& report, std::string_view destination) {
  if (write_report_to(report, destination))
    return true;
  if (destination != "1")
    say("HETMP_REPORT=%s: cannot write the report: %s", std::string(destination).c_str(), strerror(errno));
  return false;
}

} // namespace hetmp::perf
