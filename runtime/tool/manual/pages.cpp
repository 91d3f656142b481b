#include "runtime/tool/manual/pages.hpp"

#include "base/message.hpp"
#include "runtime/tool/manual/roff.hpp"
#include "runtime/tool/manual/variables.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <vector>

namespace hetmp::tool {
namespace {

std::vector<const CLI::App*> subcommands_of(const CLI::App& app) {
  std::vector<const CLI::App*> shown =
      app.get_subcommands([](const CLI::App* one) { return !one->get_group().empty(); });
  return shown;
}

/// Those that are not hidden.
std::vector<const CLI::Option*> options_of(const CLI::App& app) {
  return app.get_options([](const CLI::Option* option) { return !option->get_group().empty(); });
}

bool is_positional(const CLI::Option& option) { return option.get_positional(); }

/// "hetmp run" of the subcommand run.
std::string words_of(const CLI::App& app) {
  return app.get_parent() ? words_of(*app.get_parent()) + ' ' + app.get_name() : app.get_name();
}

std::string page_name(const CLI::App& app) {
  std::string name = words_of(app);
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

std::string heading_of(const CLI::App& app) {
  std::string name = page_name(app);
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char letter) { return char(toupper(letter)); });
  return ".TH " + name + " 1 \"\" \"hetmp " HETMP_VERSION "\" \"User Commands\"\n";
}

/// What manuals say of a name: in small letters, and without the name itself in front.
std::string summary_of(const CLI::App& app) {
  std::string text = app.get_description();
  if (const size_t colon = text.find(": "); !app.get_parent() && colon != text.npos)
    text.erase(0, colon + 2);
  if (!text.empty())
    text[0] = char(tolower(static_cast<unsigned char>(text[0])));
  return text;
}

std::string synopsis_of(const CLI::App& app) {
  std::string text = ".SH SYNOPSIS\n.B " + roff::text(words_of(app)) + "\n[\\fIoptions\\fR]";
  if (!subcommands_of(app).empty())
    text += " \\fIcommand\\fR ...";
  for (const CLI::Option* const option : options_of(app))
    if (is_positional(*option))
      text += " \\fI" + roff::text(option->get_type_name()) + "\\fR";
  if (app.get_prefix_command())
    text += " [\\-\\-] \\fIprogram\\fR [\\fIargument\\fR ...]";
  return text + '\n';
}

std::string entry_of(const CLI::Option& option) {
  std::string names = is_positional(option) ? option.get_type_name() : option.get_name(false, true);
  if (!is_positional(option) && !option.get_type_name().empty() && option.get_items_expected_max() > 0)
    names += ' ' + option.get_type_name();
  return roff::entry(names, option.get_description());
}

std::string manual_of(const CLI::App& app) {
  std::string text = heading_of(app) + ".SH NAME\n" + roff::text(page_name(app)) + " \\- " +
                     roff::text(summary_of(app)) + '\n' + synopsis_of(app) + ".SH OPTIONS\n";
  for (const CLI::Option* const option : options_of(app))
    text += entry_of(*option);
  if (const auto commands = subcommands_of(app); !commands.empty()) {
    text += ".SH COMMANDS\n";
    for (const CLI::App* const command : commands)
      text += roff::entry(command->get_name(), command->get_description());
  }
  if (!app.get_footer().empty())
    text += ".SH NOTES\n" + roff::paragraphs(app.get_footer());
  text += ".SH \"SEE ALSO\"\n";
  if (app.get_parent())
    return text + ".BR hetmp (1),\n.BR hetmp (7)\n";
  for (const CLI::App* const command : subcommands_of(app))
    text += ".BR " + roff::text(page_name(*command)) + " (1),\n";
  return text + ".BR hetmp (7)\n";
}

/// What may follow `hetmp` and each of its subcommands, for bash.
std::string completion_of(const CLI::App& app) {
  const auto words = [](const CLI::App& of) {
    std::string text;
    for (const CLI::App* const command : subcommands_of(of))
      text += command->get_name() + ' ';
    for (const CLI::Option* const option : options_of(of))
      for (const std::string& name : option->get_lnames())
        text += "--" + name + ' ';
    return text;
  };
  std::string text = "# bash completion for hetmp\n_hetmp() {\n  local word=${COMP_WORDS[COMP_CWORD]} words\n"
                     "  case ${COMP_CWORD}:${COMP_WORDS[1]} in\n";
  text += "  1:*) words='" + words(app) + "' ;;\n";
  for (const CLI::App* const command : subcommands_of(app))
    text += "  *:" + command->get_name() + ") words='" + words(*command) + "' ;;\n";
  return text + "  esac\n  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n}\n"
                "complete -o default -F _hetmp hetmp\n";
}

bool write_file(const std::string& path, const std::string& text) {
  FILE* const file = fopen(path.c_str(), "we");
  const bool is_written = file && fputs(text.c_str(), file) >= 0;
  if (file && fclose(file) == 0 && is_written)
    return true;
  say("manual: %s cannot be written: %s", path.c_str(), strerror(errno));
  return false;
}

} // namespace

bool write_manual(const CLI::App& app, const std::string& folder) {
  bool is_written = write_file(folder + '/' + page_name(app) + ".1", manual_of(app)) &&
                    write_file(folder + "/hetmp.7", variables_manual(HETMP_VERSION)) &&
                    write_file(folder + "/hetmp.bash", completion_of(app));
  for (const CLI::App* const command : subcommands_of(app))
    is_written = is_written && write_file(folder + '/' + page_name(*command) + ".1", manual_of(*command));
  return is_written;
}

} // namespace hetmp::tool
