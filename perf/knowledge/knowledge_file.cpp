#include "perf/knowledge/knowledge_file.hpp"

#include "base/variables/variable.hpp"
#include "perf/named_file.hpp"
#include "perf/read_file.hpp"
#include "perf/replace_file.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <functional>
#include <sys/stat.h>
#include <unistd.h>

namespace hetmp::perf {
namespace {

constexpr std::string_view suffix = ".knowledge.json";

/// Of files in different folders that have one name (FNV-1a).
std::string number_of(std::string_view path) {
  uint64_t hash = 14695981039346656037U;
  for (const char byte : path)
    hash = (hash ^ uint8_t(byte)) * 1099511628211U;
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (int shift = 60; shift >= 0; shift -= 4)
    text += digits[hash >> shift & 0xf];
  return text;
}

/// A file's name as part of another one's: short, and nothing that a shell or a terminal would notice.
std::string plain_name(std::string_view path) {
  constexpr size_t longest = 64;
  std::string name(path.substr(path.rfind('/') + 1).substr(0, longest));
  const auto is_plain = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_';
  };
  std::replace_if(name.begin(), name.end(), std::not_fn(is_plain), '_');
  return name;
}

std::string absolute(const std::string& path) {
  char folder[PATH_MAX];
  return path.starts_with('/') || !getcwd(folder, sizeof folder) ? path : std::string(folder) + '/' + path;
}

} // namespace

std::optional<std::string> knowledge_folder() {
  const auto folder = environment_value(Variable::XDG_CACHE_HOME);
  if (folder && folder->front() == '/') // relative ones are void by that convention
    return *folder + "/hetmp";
  if (const auto home = environment_value(Variable::HOME))
    return *home + "/.cache/hetmp";
  return {};
}

std::optional<KnowledgeFile> knowledge_file_of(const std::string& program) {
  const NamedFile named = file_named_by(Variable::HETMP_KNOWLEDGE);
  if (named.none)
    return {};
  if (named.path)
    return KnowledgeFile{absolute(*named.path), true};
  const auto folder = knowledge_folder();
  if (!folder || program.empty())
    return {};
  return KnowledgeFile{*folder + '/' + plain_name(program) + '-' + number_of(program) + std::string(suffix)};
}

ReadKnowledge read_knowledge(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY); // a pipe would block
  if (file < 0)
    return {{}, std::string("cannot be read: ") + strerrordesc_np(errno), errno == ENOENT || errno == ENOTDIR};
  struct stat status {};
  const bool regular = fstat(file, &status) == 0 && S_ISREG(status.st_mode);
  int error = 0;
  const std::string text = regular ? read_at_most(file, largest_knowledge, error) : std::string();
  close(file);
  if (!regular)
    return {{}, "is not a file"};
  if (error)
    return {{}, std::string("cannot be read: ") + strerrordesc_np(error)};
  if (text.empty())
    return {{}, "is empty", true};
  ReadKnowledge result;
  parse_knowledge(text, result.knowledge, result.error);
  return result;
}

std::string write_knowledge(const std::string& path, const Knowledge& knowledge) {
  const std::string folder = path.substr(0, path.rfind('/'));
  if (const int error = folder.empty() ? 0 : make_folders(folder))
    return "cannot make the folder " + folder + ": " + strerrordesc_np(error);
  const std::string text = format_knowledge(knowledge);
  if (text.size() > largest_knowledge)
    return "would be larger than 1 MiB";
  // What is lost with the power is learned anew.
  const int error = replace_file(path, text, Durable::No);
  return error ? std::string("cannot be written: ") + strerrordesc_np(error) : std::string();
}

std::vector<std::string> all_knowledge_files() {
  std::vector<std::string> files;
  const auto folder = knowledge_folder();
  DIR* const entries = folder ? opendir(folder->c_str()) : nullptr;
  if (!entries)
    return files;
  while (const dirent* entry = readdir(entries))
    if (std::string_view(entry->d_name).ends_with(suffix))
      files.push_back(*folder + '/' + entry->d_name);
  closedir(entries);
  std::sort(files.begin(), files.end());
  return files;
}

} // namespace hetmp::perf
