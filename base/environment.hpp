// What texts of environment variables come to, with the one-line complaint a malformed one deserves. The variables are
// in base/variables.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hetmp {

/// Whether the process has rights that whoever started it need not have: set-user-ID, set-group-ID, file capabilities,
/// a change of the security module's domain (AT_SECURE). Its environment is a stranger's then.
bool is_privileged();

/// Such a process, in words, for what it does not do.
inline constexpr const char* no_privileged_plugins = "a process with more rights than its caller loads no plugins";

/// Strict parsers of the whole text (surrounding blanks allowed); nothing when malformed or out of range.
std::optional<int64_t> parse_integer(std::string_view text, int64_t lowest, int64_t highest);
std::optional<double> parse_real(std::string_view text);
/// true/false, yes/no, on/off, 1/0, any case.
std::optional<bool> parse_boolean(std::string_view text);

/// Says: "NAME=value: <what is wrong>; using <substitute>".
void complain(const char* name, std::string_view value, std::string_view problem, std::string_view substitute);

/// The same in the form by which programs that come from libomp know its warnings: "OMP: Warning #<number>: hetmp:
/// NAME=value: ...".
void complain_as_libomp(int number, const char* name, std::string_view value, std::string_view problem,
                        std::string_view substitute);

/// Whether complaints are said; true at first. set_complaints() returns what held before.
bool complaints_are_wanted();
bool set_complaints(bool wanted);

std::string_view trimmed(std::string_view text);
bool equal_ignoring_case(std::string_view a, std::string_view b);

} // namespace hetmp
