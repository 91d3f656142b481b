#include "runtime/tool/report.hpp"

#include "base/message.hpp"
#include "perf/read_file.hpp"
#include "perf/report/report.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <iostream>
#include <unistd.h>

namespace hetmp::tool {
namespace {

constexpr int cannot = 1;

/// False, after one line. Reads a pipe or a device as well, and neither for ever.
bool read_file(const std::string& name, std::string& text) {
  const int file = open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  int error = errno;
  if (file >= 0) {
    text = perf::read_at_most(file, perf::largest_report, error);
    close(file);
  }
  if (error || text.empty())
    say("report: cannot read %s: %s", name.c_str(), error ? strerror(error) : "it is empty");
  return !error && !text.empty();
}

bool write_file(const std::string& name, const std::string& text) {
  std::ofstream file(name, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (!file)
    say("report: cannot write %s: %s", name.c_str(), strerror(errno));
  return bool(file);
}

} // namespace

int show_report(const ReportOptions& options) {
  std::string text, problem;
  if (!read_file(options.file, text))
    return cannot;
  perf::Report report;
  if (!perf::parse_report(text, report, problem)) {
    say("report: %s: %s", options.file.c_str(), problem.c_str());
    return cannot;
  }
  if (options.html)
    return write_file(*options.html, perf::format_html(report)) ? 0 : cannot;
  std::cout << perf::format_text(report) << std::flush;
  return std::cout ? 0 : cannot;
}

} // namespace hetmp::tool
