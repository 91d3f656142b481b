// The files that hold what is known of programs, one a program, in the user's cache folder or where HETMP_KNOWLEDGE
// says.
#pragma once

#include "perf/knowledge/knowledge.hpp"

#include <optional>
#include <string>
#include <vector>

namespace hetmp::perf {

struct KnowledgeFile {
  std::string path;
  bool is_named = false; ///< by HETMP_KNOWLEDGE
};

/// $XDG_CACHE_HOME/hetmp, else ~/.cache/hetmp; nothing if neither is set.
std::optional<std::string> knowledge_folder();

/// That of the program in this file; nothing if there is to be none. A relative HETMP_KNOWLEDGE is taken from the
/// folder that the process is in now.
std::optional<KnowledgeFile> knowledge_file_of(const std::string& program);

struct ReadKnowledge {
  Knowledge knowledge;
  std::string error;    ///< a phrase; empty: it was read
  bool missing = false; ///< the error is that there is no such file, or an empty one
};
ReadKnowledge read_knowledge(const std::string& path);

/// Makes folders that are missing. An empty text, or a phrase that says what went wrong.
std::string write_knowledge(const std::string& path, const Knowledge& knowledge);

/// The files of all programs, in alphabetical order.
std::vector<std::string> all_knowledge_files();

} // namespace hetmp::perf
