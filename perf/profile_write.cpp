#include "perf/json.hpp"
#include "perf/profile.hpp"
#include "perf/replace_file.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <tuple>

namespace hetmp::perf {
namespace {

using nlohmann::ordered_json;

ordered_json to_json(const CalibrationPoint& point) {
  return {{"operations_per_byte", point.operations_per_byte},
          {"mops", point.mops},
          {"fault_period_us", point.fault_period_us},
          {"elapsed_us", point.elapsed_us},
          {"gain", point.gain}};
}

/// One line; bytes that are not UTF-8 are replaced.
std::string in_one_line(const ordered_json& value) {
  return value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

std::string format_entry(const ProfileEntry& entry) {
  const ordered_json head = {{"interconnect", entry.interconnect},
                             {"from", entry.from},
                             {"to", entry.to},
                             {"threshold_us", entry.threshold_us},
                             {"fault_us", entry.fault_us},
                             {"machine", entry.machine},
                             {"date", entry.date}};
  std::string text = "    {\n";
  for (const auto& member : head.items())
    text += "      " + in_one_line(member.key()) + ": " + in_one_line(member.value()) + ",\n";
  text += "      \"points\": [";
  const char* separator = "\n";
  for (const CalibrationPoint& point : entry.points) {
    text += separator + ("        " + in_one_line(to_json(point)));
    separator = ",\n";
  }
  return text + "\n      ]\n    }";
}

} // namespace

std::string format_profile(const std::vector<ProfileEntry>& entries) {
  std::string text =
      "{\n  \"format\": \"hetmp-profile\",\n  \"version\": " + std::to_string(profile_version) + ",\n  \"entries\": [";
  const char* separator = "\n";
  for (const ProfileEntry& entry : entries) {
    text += separator + format_entry(entry);
    separator = ",\n";
  }
  return text + "\n  ]\n}\n";
}

void merge_entry(std::vector<ProfileEntry>& entries, const ProfileEntry& newer) {
  const auto identity = [](const ProfileEntry& entry) { return std::tie(entry.interconnect, entry.from, entry.to); };
  const auto old = std::find_if(entries.begin(), entries.end(),
                                [&](const ProfileEntry& entry) { return identity(entry) == identity(newer); });
  if (old != entries.end())
    *old = newer;
  else
    entries.push_back(newer);
}

std::string write_profile(const std::string& path, const std::vector<ProfileEntry>& entries) {
  std::error_code problem;
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (!folder.empty())
    std::filesystem::create_directories(folder, problem);
  if (problem)
    return "cannot make the folder " + folder.string() + ": " + problem.message();
  const int error = replace_file(path, format_profile(entries), Durable::Yes);
  return error ? std::string("cannot be written: ") + strerrordesc_np(error) : std::string();
}

} // namespace hetmp::perf
