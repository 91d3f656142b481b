// The manual pages and the shell's completion, made of what the tool says itself: its options, and the table of
// variables.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace hetmp::tool {

/// Writes hetmp.1, a page for each subcommand, hetmp.7 (the variables), and hetmp.bash into the folder, which exists.
/// False, after one line, if that cannot be.
bool write_manual(const CLI::App& app, const std::string& folder);

} // namespace hetmp::tool
