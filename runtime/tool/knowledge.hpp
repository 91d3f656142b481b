// `hetmp knowledge`: what runs of programs have learned about their regions, and how it is forgotten.
#pragma once

#include "perf/knowledge/knowledge.hpp"

#include <string>

namespace hetmp::tool {

struct KnowledgeOptions {
  std::string program; ///< empty: all
  bool all = false;    ///< of `forget`
};

/// What is known of a program, as text. Names are shown, whatever they hold.
std::string knowledge_in_words(const perf::Knowledge& knowledge);

/// Each returns the exit code; what is wrong is said in one line.
int show_knowledge(const KnowledgeOptions& options);
int forget_knowledge(const KnowledgeOptions& options);

} // namespace hetmp::tool
