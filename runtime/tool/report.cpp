#include "runtime/tool/report.hpp"

#include "base/message.hpp"
#include "perf/report.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <sstream>

namespace hetmp::tool {
namespace {

constexpr int cannot = 1;

/// False, after one line.
bool read_file(const std::string& name, std::string& text) {
  std::ifstream file(name, std::ios::binary);
  std::ostringstream content;
  if (file)
    content << file.rdbuf(); // an empty file fails this, and is no report
  if (!file || content.str().empty()) {
    say("report: cannot read %s: %s", name.c_str(), errno ? strerror(errno) : "it is empty");
    return false;
  }
  text = content.str();
  return true;
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
  errno = 0;
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
