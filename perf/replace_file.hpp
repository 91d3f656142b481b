// Files that are replaced as a whole: a reader finds the old one or the new one.
#pragma once

#include <string>
#include <string_view>

namespace hetmp::perf {

/// Whether the new file is there after the machine has lost power, too. That takes milliseconds.
enum class Durable : bool { No, Yes };

/// 0 or an errno value. Whatever happens, nothing is left beside the file.
int replace_file(const std::string& path, std::string_view text, Durable durable);

/// Makes the folder and those above it that are missing, for their owner alone; 0 or an errno value.
int make_folders(const std::string& folder);

} // namespace hetmp::perf
