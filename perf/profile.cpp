#include "perf/profile.hpp"

#include "base/environment.hpp"
#include "base/variables/variable.hpp"
#include "perf/json.hpp"
#include "perf/named_file.hpp"
#include "perf/read_file.hpp"

#include <cerrno>
#include <cmath>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace hetmp::perf {
namespace {

using nlohmann::json;

constexpr double longest_us = 1e9;      ///< a quarter of an hour: no interconnect's figure
constexpr uint32_t node_numbers = 4096; ///< of machines that a profile may describe

Profile refused(std::string error) { return {{}, std::move(error), false}; }

/// Reads the members of one object; remembers the first that is wrong.
class Members {
 public:
  Members(const json& object, std::string name) : object_(object), name_(std::move(name)) {
    if (!object.is_object())
      problem_ = name_ + " is not an object";
  }

  void real(const char* member, double& value, double lowest, double highest) {
    const json* found = find(member);
    if (!found)
      return;
    if (!found->is_number() || !(found->get<double>() >= lowest && found->get<double>() <= highest))
      fail(member, "is not a number in the range that makes sense");
    else
      value = found->get<double>();
  }

  void node(const char* member, uint32_t& value) {
    const json* found = find(member);
    if (!found)
      return;
    if (!found->is_number_unsigned() || found->get<uint64_t>() >= node_numbers)
      fail(member, "is not the number of a node");
    else
      value = found->get<uint32_t>();
  }

  void text(const char* member, std::string& value) {
    const json* found = find(member);
    if (!found)
      return;
    if (!found->is_string())
      fail(member, "is not a text");
    else
      value = found->get_ref<const std::string&>();
  }

  /// Null, with the problem noted, if the member is not there or not an array.
  const json* array(const char* member) {
    const json* found = find(member);
    if (found && !found->is_array())
      fail(member, "is not an array");
    return found && found->is_array() ? found : nullptr;
  }

  void fail(const char* member, const char* what) {
    if (problem_.empty())
      problem_ = std::string(member) + " of " + name_ + ' ' + what;
  }

  const std::string& problem() const { return problem_; }

 private:
  const json* find(const char* member) {
    if (!problem_.empty())
      return nullptr;
    const auto found = object_.find(member);
    if (found != object_.end())
      return &*found;
    fail(member, "is missing");
    return nullptr;
  }

  const json& object_;
  std::string name_;
  std::string problem_;
};

std::string read_point(const json& object, const std::string& name, CalibrationPoint& point) {
  constexpr double any = 1e18;
  Members members(object, name);
  members.real("operations_per_byte", point.operations_per_byte, 0, any);
  members.real("mops", point.mops, 0, any);
  members.real("fault_period_us", point.fault_period_us, 0, any);
  members.real("elapsed_us", point.elapsed_us, 0, any);
  members.real("gain", point.gain, 0, any);
  return members.problem();
}

std::string read_entry(const json& object, const std::string& name, ProfileEntry& entry) {
  constexpr double least_us = 1e-3; // a threshold of 0 would say that any fault pays
  Members members(object, name);
  members.text("interconnect", entry.interconnect);
  members.node("from", entry.from);
  members.node("to", entry.to);
  members.real("threshold_us", entry.threshold_us, least_us, longest_us);
  members.real("fault_us", entry.fault_us, 0, longest_us);
  members.text("machine", entry.machine);
  members.text("date", entry.date);
  if (const json* points = members.array("points"))
    for (size_t i = 0; i < points->size(); ++i) {
      CalibrationPoint point;
      std::string wrong = read_point((*points)[i], "point " + std::to_string(i) + " of " + name, point);
      if (!wrong.empty())
        return wrong;
      entry.points.push_back(point);
    }
  return members.problem();
}

/// What is wrong with the head of the file; empty if nothing is.
std::string check_head(const json& file) {
  const auto format = file.find("format");
  if (format == file.end() || !format->is_string() || format->get_ref<const std::string&>() != "hetmp-profile")
    return "is not a hetmp profile";
  const auto version = file.find("version");
  if (version == file.end() || !version->is_number_integer() || version->get<int64_t>() < 1)
    return "has no version";
  if (version->get<int64_t>() > profile_version)
    return "has version " + version->dump() + ", newer than this hetmp, which reads version " +
           std::to_string(profile_version);
  return {};
}

} // namespace

Profile parse_profile(std::string_view text) {
  constexpr size_t deepest = 16;
  if (nests_deeper_than(text, deepest))
    return refused("is nested more deeply than a profile");
  const json file = json::parse(text, nullptr, false);
  if (file.is_discarded())
    return refused("is not valid JSON");
  if (!file.is_object())
    return refused("is not a hetmp profile");
  if (std::string wrong = check_head(file); !wrong.empty())
    return refused(std::move(wrong));
  const auto entries = file.find("entries");
  if (entries == file.end() || !entries->is_array())
    return refused("has no array of entries");
  Profile profile;
  for (size_t i = 0; i < entries->size(); ++i) {
    ProfileEntry entry;
    if (std::string wrong = read_entry((*entries)[i], "entry " + std::to_string(i), entry); !wrong.empty())
      return refused("is damaged: " + wrong);
    profile.entries.push_back(std::move(entry));
  }
  return profile;
}

Profile read_profile(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); // a pipe without a writer would block
  if (file < 0)
    return {{}, std::string("cannot be read: ") + strerrordesc_np(errno), errno == ENOENT || errno == ENOTDIR};
  struct stat status {};
  const bool regular = fstat(file, &status) == 0 && S_ISREG(status.st_mode);
  int error = 0;
  const std::string text = regular ? read_at_most(file, largest_profile, error) : std::string();
  close(file);
  if (!regular)
    return refused("is not a file");
  if (error)
    return refused(std::string("cannot be read: ") + strerrordesc_np(error));
  if (text.size() > largest_profile)
    return refused("is larger than 1 MiB");
  return parse_profile(text);
}

std::optional<std::string> profile_path() {
  const NamedFile named = file_named_by(Variable::HETMP_PROFILE);
  if (named.none || named.path)
    return named.path;
  const auto folder = environment_value(Variable::XDG_CONFIG_HOME);
  if (folder && folder->front() == '/') // relative ones are void by that convention
    return *folder + "/hetmp/profile.json";
  if (const auto home = environment_value(Variable::HOME))
    return *home + "/.config/hetmp/profile.json";
  return {};
}

} // namespace hetmp::perf
