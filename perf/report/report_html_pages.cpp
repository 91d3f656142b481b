// What the HTML shows of pages: those that bounce, faults by kind, the heat map.
#include "perf/report/report.hpp"
#include "perf/report/report_html.hpp"
#include "perf/report/report_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace hetmp::perf {
namespace {

std::string row_of(const BouncingPages& pages) {
  const bool loss = pages.words == BouncingPages::Words::Different;
  return "<tr><td><code>" + escaped(what_bounces(pages)) + "</code></td><td>" + escaped(writers_of(pages)) +
         "</td><td class=\"n\">" + std::to_string(pages.turns) + "</td><td class=\"n\">" +
         std::to_string(pages.faults()) + "</td><td class=\"n\">" + in_digits(pages.waited_us / 1000) + " ms</td><td>" +
         escaped(regions_of(pages)) + "</td><td" + (loss ? " class=\"loss\"" : "") + ">" + escaped(verdict_on(pages)) +
         "</td><td><code>" + hexadecimal(pages.address) + "</code>" +
         (pages.pages > 1 ? ", " + std::to_string(pages.pages) + " pages" : "") + "</td></tr>\n";
}

constexpr std::array<const char*, 3> kinds = {"read misses", "write misses", "write upgrades"};

std::string legend_of_kinds() {
  std::string text = "<p class=\"legend\">";
  for (size_t i = 0; i < kinds.size(); ++i)
    text += std::string("<span style=\"background:") + colour(i) + "\"></span>" + kinds[i];
  return text + "</p>\n";
}

/// From pale to dark with the logarithm of the faults, so that pages between one fault and thousands differ.
std::string heat(uint64_t faults, uint64_t most) {
  const double part = most > 1 ? std::log(double(std::max<uint64_t>(faults, 1))) / std::log(double(most)) : 1;
  const auto between = [part](int pale, int dark) { return std::to_string(int(pale + part * (dark - pale))); };
  return "rgb(" + between(254, 140) + "," + between(237, 20) + "," + between(200, 10) + ")";
}

/// What the heat map frames has turns too, but too few, or too little time was lost with them, for a line of its own.
std::string why_none_bounces(const std::vector<HotPage>& pages) {
  uint64_t count = 0, most_turns = 0;
  for (const HotPage& page : pages) {
    count += page.turns > 0;
    most_turns = std::max(most_turns, page.turns);
  }
  if (count == 0)
    return "No page bounces between nodes that write it.";
  return "No page bounces so much that it is worth a line: " + std::to_string(count) +
         (count == 1 ? " page was" : " pages were") + " written by nodes in turns, with at most " +
         std::to_string(most_turns) + (most_turns == 1 ? " turn" : " turns") + " a page and little time lost.";
}

} // namespace

std::string html_of_bouncing(const Report& report) {
  if (report.bouncing.empty())
    return report.totals.empty() ? "" : "<p>" + why_none_bounces(report.pages) + "</p>\n";
  std::string text =
      "<h2>Pages that bounce</h2>\n<p>Different nodes write them in turns; each turn moves the page. Where "
      "the "
      "nodes write different words, moving those to pages of their own saves the time.</p>\n<table>\n"
      "<tr><th>holds</th><th>written by</th><th class=\"n\">turns</th><th class=\"n\">faults</th>"
      "<th class=\"n\">waited</th><th>regions (turns)</th><th>what it is</th><th>page</th></tr>\n";
  for (const BouncingPages& pages : report.bouncing)
    text += row_of(pages);
  return text + "</table>\n";
}

std::string html_of_faults(const Report& report) {
  if (report.totals.empty())
    return "";
  Bars bars("faults"), waits("ms");
  for (size_t node = 0; node < report.totals.size(); ++node) {
    const NodeFaultTotals& totals = report.totals[node];
    const std::string name = "node " + std::to_string(node);
    bars.begin(totals.known ? name : name + " (not told in time)");
    bars.part(0, kinds[0], double(totals.read_misses));
    bars.part(1, kinds[1], double(totals.write_misses));
    bars.part(2, kinds[2], double(totals.write_upgrades));
    waits.begin(name);
    waits.part(node, "from faults to their pages", totals.waited_us / 1000);
  }
  return "<h2>Faults by kind</h2>\n" + legend_of_kinds() + bars.drawn() + "<h2>Waiting for pages</h2>\n" +
         waits.drawn();
}

std::string html_of_heat(const Report& report) {
  if (report.pages.empty())
    return "";
  constexpr size_t columns = 64;
  constexpr double cell = 16, step = 16.25;
  uint64_t most = 0;
  for (const HotPage& page : report.pages)
    most = std::max(most, page.faults());
  const size_t rows = (report.pages.size() + columns - 1) / columns;
  const std::string width = length_of(step * columns), height = length_of(step * double(rows));
  std::string text = "<h2>Heat of pages</h2>\n<p>The " + std::to_string(report.pages.size()) +
                     " pages with most faults, in the order of their addresses; the darkest took " +
                     std::to_string(most) +
                     ". A frame: nodes wrote it in turns. Point at a page for its figures.</p>\n"
                     "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " +
                     width + " " + height + "\" width=\"" + width + "\" height=\"" + height + "\">\n";
  for (size_t i = 0; i < report.pages.size(); ++i) {
    const HotPage& page = report.pages[i];
    text += "<rect x=\"" + length_of(step * double(i % columns) + 0.5) + "\" y=\"" +
            length_of(step * double(i / columns) + 0.5) + "\" width=\"" + length_of(cell - 1) + "\" height=\"" +
            length_of(cell - 1) + "\" fill=\"" + heat(page.faults(), most) + "\"" +
            (page.turns > 0 ? " stroke=\"#222\"" : "") + "><title>" + hexadecimal(page.address) + ": " +
            std::to_string(page.read_misses) + " read, " + std::to_string(page.write_misses) + " write, " +
            std::to_string(page.write_upgrades) + " upgrade, " + std::to_string(page.turns) + " turns, " +
            in_digits(page.waited_us / 1000) + " ms</title></rect>\n";
  }
  return text + "</svg>\n";
}

} // namespace hetmp::perf
