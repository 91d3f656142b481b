#include "runtime/tool/manual/variables.hpp"

#include "perf/report/printable.hpp"
#include "runtime/tool/manual/roff.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

namespace hetmp::tool {
namespace {

constexpr size_t terminal_width = 100;

struct Heading {
  Section section;
  const char* title;
  const char* introduction;
};

/// The sections that people see, in this order.
constexpr Heading headings[] = {
    {Section::Nodes, "Nodes and what is between them", ""},
    {Section::Loops, "Which loops run where", ""},
    {Section::Reports, "What is told of a run", ""},
    {Section::OpenMP, "OpenMP's own", "As in the OpenMP specification; `GOMP_CPU_AFFINITY` is libgomp's."},
    {Section::Libomp, "libomp's",
     "As in libomp, as far as docs/libomp-variables.md says. Those of libomp's variables that are not here are ignored "
     "without a word; `KMP_SETTINGS=1` lists the ones that are set."},
    {Section::Others, "Of others", "These belong to others, and hetmp looks at them."},
};

constexpr const char* beginning = R"(# Variables

All variables of the environment that hetmp reads. This page is written by `hetmp info --variables-markdown` from the table that
the readers use (`base/variables/variables.def`); `hetmp info --variables` shows the same on a terminal, with what is set.

A malformed value gets one line that names the variable, the value and what is used instead; so does a name that begins with
`HETMP_`, is none of these, and looks like one of them (`HETMP_NODE`). Otherwise hetmp prints nothing that was not asked for.

The last column says when a variable is read, so that a program that sets it itself knows whether that is early enough:

| | |
| --- | --- |
| run | by `hetmp run` |
| start | when the library starts, before `main` |
| nodes | when node processes begin, before `main` |
| region | when the program meets its first region or asks about places |
| needed | when what it speaks of is needed first |

Variables with a dagger (†) name a file, a program or a host: they count as not set in
[privileged processes](#privileged-processes).
)";

constexpr const char* ending = R"(
## Privileged processes

A process with more rights than its caller (set-user-ID, set-group-ID, file capabilities: `AT_SECURE`) follows variables that are
numbers or words only. Those with a dagger are as if they were not set, whatever they say, and so is what launchers pass on. It has no
node processes (`HETMP_NODES=proc:N` gets a line, `cores:` holds), and loads neither hwloc nor PAPI nor libsodium, which read
variables of their own: there are no hardware counters, and no `OMP_PLACES=cores` and its like.
)";

std::vector<Variable> variables_of(Section section) {
  std::vector<Variable> result;
  for (size_t i = 0; i < variable_count; ++i)
    if (section_of(Variable(i)) == section)
      result.push_back(Variable(i));
  return result;
}

std::vector<Variable> aliases_of(Variable variable) {
  std::vector<Variable> result;
  for (size_t i = 0; i < variable_count; ++i)
    if (Variable(i) != variable && description_of(Variable(i)).of == variable)
      result.push_back(Variable(i));
  return result;
}

const char* word_for(Moment moment) {
  switch (moment) {
  case Moment::Launch:
    return "run";
  case Moment::Start:
    return "start";
  case Moment::Nodes:
    return "nodes";
  case Moment::FirstRegion:
    return "region";
  case Moment::Needed:
    break;
  }
  return "needed";
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size())
    text.replace(at, from.size(), to);
}

/// With docs/NAME.md as links, as a page beside those has them.
std::string with_links(std::string text) {
  constexpr std::string_view folder = "docs/", suffix = ".md";
  for (size_t at = 0; (at = text.find(folder, at)) != text.npos;) {
    const size_t name = at + folder.size(), end = text.find(suffix, name) + suffix.size();
    const std::string page = text.substr(name, end - name);
    const std::string link = '[' + page + "](" + page + ')';
    text.replace(at, end - at, link);
    at += link.size();
  }
  return text;
}

std::string meaning_of(Variable variable) {
  std::string meaning = description_of(variable).meaning;
  const std::vector<Variable> aliases = aliases_of(variable);
  for (const Variable alias : aliases)
    meaning += std::string(alias == aliases.front() ? " " : ", ") + '`' + name_of(alias) + '`';
  return aliases.empty() ? meaning
                         : meaning + (aliases.size() == 1 ? " wins over it." : " win over it, in this order.");
}

/// A word is code, a phrase is not; a phrase may hold code of its own.
std::string usual_of(Variable variable) {
  const std::string usual = description_of(variable).usual;
  const bool word = !usual.empty() && usual.find_first_of(" `,'") == usual.npos;
  return word ? '`' + usual + '`' : usual;
}

std::string cell(std::string text) {
  replace_all(text, "|", "\\|");
  return text.empty() ? " |" : ' ' + with_links(std::move(text)) + " |";
}

std::string row_of(Variable variable) {
  const Description& description = description_of(variable);
  const char* dagger = trust_in(variable) == Trust::Owner ? " †" : "";
  return '|' + cell('`' + std::string(name_of(variable)) + '`' + dagger) + cell(description.grammar) +
         cell(usual_of(variable)) + cell(meaning_of(variable)) + cell(word_for(description.moment)) + '\n';
}

/// Appends the words of `text`, in lines of at most `width` characters that begin with `indent` blanks.
void add_wrapped(std::string& to, std::string_view text, size_t indent, size_t width) {
  size_t column = 0;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    if (column != 0 && column + 1 + word.size() > width) {
      to += '\n';
      column = 0;
    }
    to += column == 0 ? std::string(indent, ' ') : " ";
    to += word;
    column += word.size() + (column == 0 ? indent : 1);
  }
  to += '\n';
}

std::string without_quotes(std::string text) {
  text.erase(std::remove(text.begin(), text.end(), '`'), text.end());
  return text;
}

std::string paragraph_of(Variable variable, const char* value) {
  const Description& description = description_of(variable);
  std::string text = name_of(variable);
  if (value)
    text += '=' + perf::printable(value) + "   (set now)";
  text += '\n';
  std::string values = without_quotes(description.grammar);
  if (const std::string usual = without_quotes(description.usual); !usual.empty())
    values += "   [" + usual + ']';
  add_wrapped(text, values, 6, terminal_width);
  add_wrapped(text, without_quotes(meaning_of(variable)), 6, terminal_width);
  return text;
}

} // namespace

std::string variables_markdown() {
  std::string text = beginning;
  for (const Heading& heading : headings) {
    text += std::string("\n## ") + heading.title + "\n\n";
    if (*heading.introduction)
      text += with_links(heading.introduction) + "\n\n";
    text += "| variable | value | default | meaning | read |\n| --- | --- | --- | --- | --- |\n";
    for (const Variable variable : variables_of(heading.section))
      text += row_of(variable);
  }
  return text + ending;
}

std::string variables_text(const char* (*lookup)(Variable)) {
  std::string text;
  for (const Heading& heading : headings) {
    text += (text.empty() ? "" : "\n") + std::string(heading.title) + "\n\n";
    for (const Variable variable : variables_of(heading.section))
      text += paragraph_of(variable, lookup(variable));
  }
  return text;
}

std::string variables_manual(const std::string& version) {
  std::string text = ".TH HETMP 7 \"\" \"hetmp " + version +
                     "\" \"Miscellaneous\"\n.SH NAME\nhetmp \\- variables of the environment that hetmp reads\n"
                     ".SH DESCRIPTION\n";
  text +=
      roff::paragraphs("hetmp is an OpenMP runtime with libomp's interface for CPUs that share no memory. A program "
                       "that runs on it follows these variables; in brackets is what holds where one is not set. A "
                       "malformed value gets one line that says what is used instead.\n\nThose marked with (*) name "
                       "a file, a program or a host, and count as not set in processes with more rights than their "
                       "caller.\n");
  for (const Heading& heading : headings) {
    text += ".SH \"" + roff::text(heading.title) + "\"\n";
    if (*heading.introduction)
      text += roff::paragraphs(without_quotes(heading.introduction) + '\n');
    for (const Variable variable : variables_of(heading.section)) {
      const Description& description = description_of(variable);
      std::string meaning = without_quotes(description.grammar);
      if (const std::string usual = without_quotes(description.usual); !usual.empty())
        meaning += " [" + usual + ']';
      text += roff::entry(std::string(name_of(variable)) + (trust_in(variable) == Trust::Owner ? " (*)" : ""), meaning);
      text += ".br\n" + roff::text(without_quotes(meaning_of(variable))) + '\n';
    }
  }
  return text + ".SH \"SEE ALSO\"\n.BR hetmp (1),\n.BR hetmp\\-run (1)\n";
}

std::string own_variable_names(size_t width) {
  std::string names, lines;
  for (const Section section : {Section::Nodes, Section::Loops, Section::Reports})
    for (const Variable variable : variables_of(section))
      names += (names.empty() ? "" : " ") + std::string(name_of(variable));
  add_wrapped(lines, names, 2, width);
  return lines;
}

} // namespace hetmp::tool
