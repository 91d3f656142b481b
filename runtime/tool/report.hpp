// `hetmp report`: a saved report as text, or as a page for a browser.
#pragma once

#include <optional>
#include <string>

namespace hetmp::tool {

struct ReportOptions {
  std::string file;                ///< JSON, as HETMP_REPORT=FILE.json writes it
  std::optional<std::string> html; ///< a file; otherwise text goes to standard output
};

/// Returns the exit code; what is wrong is said in one line.
int show_report(const ReportOptions& options);

} // namespace hetmp::tool
