// Lines that say where threads run: the affinity format of the program, and what OMP_DISPLAY_AFFINITY shows.
#pragma once

#include <string>
#include <string_view>

namespace hetmp::runtime {
struct NodeTeam;
struct Thread;
} // namespace hetmp::runtime

namespace hetmp::affinity {

/// affinity-format-var.
std::string affinity_format();
void set_affinity_format(std::string_view format);

/// The calling thread's line, without an end; in affinity-format-var's format if `format` is empty.
std::string describe_thread(std::string_view format);

/// Writes that line to standard output.
void display_thread(std::string_view format);

/// display-affinity-var, by OMP_DISPLAY_AFFINITY.
void read_display_affinity();
bool displays_affinity();

/// Decides whether the threads of a team that `primary` is about to start say where they are: of its first team, and of
/// one of another level, size, policy or place than the last one whose threads did.
void choose_display(runtime::Thread& primary, runtime::NodeTeam& team);

} // namespace hetmp::affinity
