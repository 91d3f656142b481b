#include "runtime/tool/knowledge.hpp"

#include "base/environment.hpp"
#include "base/message.hpp"
#include "base/variables/variable.hpp"
#include "perf/knowledge/knowledge_file.hpp"
#include "perf/report/printable.hpp"
#include "perf/report/report.hpp"
#include "runtime/tool/run.hpp"

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <unistd.h>

namespace hetmp::tool {
namespace {

constexpr int cannot = 1;

std::string resolved(const std::string& path) {
  char file[PATH_MAX];
  return realpath(path.c_str(), file) ? file : "";
}

/// The file that runs of the program are known by: found as a shell finds it. One that is not there any more is taken
/// by its word.
std::string file_of_program(const std::string& name) {
  if (name.find('/') != std::string::npos) {
    const std::string file = resolved(name);
    return file.empty() ? name : file;
  }
  const char* folders = getenv("PATH");
  std::istringstream each(folders ? folders : "");
  for (std::string folder; std::getline(each, folder, ':');)
    if (std::string file = resolved(folder + '/' + name); !file.empty() && access(file.c_str(), X_OK) == 0)
      return file;
  const std::string here = resolved(name);
  return here.empty() ? name : here;
}

std::string counted(size_t count, const char* what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string nodes_in_words(const perf::KnownLayout& layout) {
  std::string cpus;
  for (const uint32_t of_node : layout.cpus)
    cpus += (cpus.empty() ? "" : " + ") + std::to_string(of_node);
  char quota[64] = "";
  if (layout.quota > 0)
    snprintf(quota, sizeof quota, ", of which a quota grants the origin %.3g", layout.quota);
  return counted(layout.cpus.size(), "node") + " of " + cpus + " CPUs" + quota + ", " +
         perf::printable(layout.interconnect);
}

std::string places_in_words(const perf::KnownRegion& region) {
  std::string text;
  const auto add = [&](const std::string& clause) { text += (text.empty() ? "" : "; ") + clause; };
  if (region.gains)
    add("gains on several nodes");
  if (region.lent)
    add("gains on another node, which is faster than the origin");
  if (region.lost)
    add("lost on several nodes, not tried again before a run takes " + perf::in_time(region.lost_until_us));
  if (region.home_us > 0)
    add("usually " + perf::in_time(region.home_us) + " at home, at most " + perf::in_time(region.longest_home_us));
  if (region.spread_us > 0)
    add("usually " + perf::in_time(region.spread_us) + (region.lent ? " there" : " on several nodes"));
  if (region.exchanges > 0)
    add(std::to_string(region.exchanges) + " barriers, loops and locks a visit");
  if (region.journeys_paid)
    add("journeys of its threads paid, " + perf::in_time(std::abs(region.journeys_gain_us)) + " a visit");
  else if (region.has_journeys())
    add("journeys of its threads lost, " + perf::in_time(std::abs(region.journeys_gain_us)) +
        " a visit; they rest for " + perf::in_time(region.journeys_rest_us));
  if (region.age > 0)
    add("not seen anew in " + counted(region.age, "run"));
  return text;
}

bool is_wanted(const KnowledgeOptions& options) { return !options.program.empty(); }

/// Of the program; false, after one line, if there is none.
bool find_file(const KnowledgeOptions& options, std::string& path) {
  const auto file = perf::knowledge_file_of(file_of_program(options.program));
  if (file)
    path = file->path;
  else
    say("knowledge: there is no file for %s: HETMP_KNOWLEDGE=none, or neither XDG_CACHE_HOME nor HOME is set",
        options.program.c_str());
  return file.has_value();
}

/// False, after one line.
bool show(const std::string& path) {
  const perf::ReadKnowledge read = perf::read_knowledge(path);
  if (read.error.empty())
    fputs((perf::printable(path) + "\n" + knowledge_in_words(read.knowledge)).c_str(), stdout);
  else
    say("knowledge: %s %s", path.c_str(), read.error.c_str());
  return read.error.empty();
}

/// False, after one line. A file that a variable names may be anything: only what hetmp has written is removed there.
bool forget(const std::string& path, bool is_named) {
  const perf::ReadKnowledge read = perf::read_knowledge(path);
  const bool is_other = is_named && !read.error.empty();
  if (!is_other && unlink(path.c_str()) == 0)
    return true;
  say("knowledge: %s %s", path.c_str(), is_other ? read.error.c_str() : strerror(errno));
  return false;
}

} // namespace

std::string knowledge_in_words(const perf::Knowledge& knowledge) {
  std::string text = "program " + perf::printable(knowledge.program) + ", " + perf::printable(knowledge.build) + "\n";
  for (const perf::KnownLayout& layout : knowledge.layouts) {
    text += "  " + nodes_in_words(layout) + "\n";
    for (const perf::KnownRegion& region : layout.regions)
      text += "    " + perf::printable(region.name) + ": " + places_in_words(region) + "\n";
  }
  return text;
}

int show_knowledge(const KnowledgeOptions& options) {
  if (is_wanted(options)) {
    std::string path;
    return find_file(options, path) && show(path) ? 0 : cannot;
  }
  bool all_shown = true;
  for (const std::string& path : perf::all_knowledge_files())
    all_shown &= show(path);
  return all_shown ? 0 : cannot;
}

int forget_knowledge(const KnowledgeOptions& options) {
  if (is_wanted(options) == options.all) {
    say("knowledge forget: name a program, or --all");
    return usage_error;
  }
  if (!options.all) {
    std::string path;
    return find_file(options, path) && forget(path, environment_value(Variable::HETMP_KNOWLEDGE).has_value()) ? 0
                                                                                                              : cannot;
  }
  bool all_forgotten = true;
  for (const std::string& path : perf::all_knowledge_files())
    all_forgotten &= forget(path, false);
  return all_forgotten ? 0 : cannot;
}

} // namespace hetmp::tool
