#include "runtime/affinity/kmp_affinity_value.hpp"

#include "base/environment.hpp"
#include "runtime/affinity/text_reader.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace hetmp::affinity {
namespace {

constexpr int64_t greatest_number = 65535; ///< of permute and offset
constexpr size_t most_places = 65536;

struct NamedType {
  const char* name;
  AffinityType type;
};
constexpr NamedType named_types[] = {{"none", AffinityType::None},         {"compact", AffinityType::Compact},
                                     {"scatter", AffinityType::Scatter},   {"balanced", AffinityType::Balanced},
                                     {"explicit", AffinityType::Explicit}, {"disabled", AffinityType::Disabled}};

/// A word that says yes to what `member` means, and the one that says no.
struct Switch {
  const char* yes;
  const char* no;
  bool KmpAffinity::*member;
};
constexpr Switch switches[] = {{"verbose", "noverbose", &KmpAffinity::verbose},
                               {"warnings", "nowarnings", &KmpAffinity::warnings},
                               {"respect", "norespect", &KmpAffinity::respect},
                               {"reset", "noreset", &KmpAffinity::reset}};

struct NamedGranularity {
  const char* name;
  TopologyLevel level;
};
/// The first name of a level is the one that is shown.
constexpr NamedGranularity granularities[] = {
    {"thread", TopologyLevel::Threads},   {"fine", TopologyLevel::Threads},
    {"core", TopologyLevel::Cores},       {"ll_cache", TopologyLevel::LastLevelCaches},
    {"numa", TopologyLevel::NumaDomains}, {"numa_domain", TopologyLevel::NumaDomains},
    {"socket", TopologyLevel::Sockets},   {"package", TopologyLevel::Sockets}};

bool takes_numbers(const std::optional<AffinityType>& type) {
  return type == AffinityType::Compact || type == AffinityType::Scatter;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : reader_(text) {}

  ParsedKmpAffinity parse() {
    do
      item();
    while (reader_.take(','));
    if (!reader_.at_end())
      reader_.fail("expected a comma between its parts");
    check_whole();
    if (reader_.failed())
      return {{}, reader_.error()};
    return {std::move(value_), {}};
  }

 private:
  void item() {
    if (reader_.at_number()) {
      number();
      return;
    }
    const std::string_view word = reader_.word();
    if (equal_ignoring_case(word, "granularity"))
      granularity();
    else if (equal_ignoring_case(word, "proclist"))
      proclist();
    else if (!switched(word) && !typed(word))
      reader_.fail(word.empty() ? "a part of it is missing"
                                : "it has neither a type nor a modifier \"" + std::string(word) + "\"");
  }

  void number() {
    const int64_t given = reader_.number(0, greatest_number, "a number from 0 to 65535");
    (numbers_ == 0 ? value_.permute : value_.offset) = uint32_t(given);
    if (++numbers_ > 2)
      reader_.fail("more than two numbers");
  }

  void granularity() {
    once(granularity_given_, "granularity");
    if (!reader_.take('='))
      reader_.fail("expected = after granularity");
    const std::string_view name = reader_.word();
    const auto known = std::find_if(std::begin(granularities), std::end(granularities),
                                    [&](const NamedGranularity& each) { return equal_ignoring_case(name, each.name); });
    if (known == std::end(granularities))
      reader_.fail("granularity can be thread, core, ll_cache, numa or socket");
    else
      value_.granularity = known->level;
  }

  bool switched(std::string_view word) {
    for (size_t i = 0; i < std::size(switches); ++i) {
      const bool yes = equal_ignoring_case(word, switches[i].yes);
      if (!yes && !equal_ignoring_case(word, switches[i].no))
        continue;
      once(switches_given_[i], switches[i].yes);
      value_.*switches[i].member = yes;
      return true;
    }
    return false;
  }

  bool typed(std::string_view word) {
    for (const NamedType& each : named_types)
      if (equal_ignoring_case(word, each.name)) {
        if (value_.type)
          reader_.fail("it names two types");
        value_.type = each.type;
        return true;
      }
    return false;
  }

  void proclist() {
    once(proclist_given_, "proclist");
    if (!reader_.take('=') || !reader_.take('['))
      reader_.fail("expected =[ after proclist");
    do
      places();
    while (!reader_.failed() && reader_.take(','));
    if (!reader_.take(']'))
      reader_.fail("expected ] after the CPUs of proclist");
  }

  /// A set of CPUs in braces is one place, a range is a place for each CPU.
  void places() {
    if (reader_.take('{')) {
      Place place;
      do
        for (const int cpu : range())
          place.push_back(cpu);
      while (!reader_.failed() && reader_.take(','));
      if (!reader_.take('}'))
        reader_.fail("expected } after a place's CPUs");
      std::sort(place.begin(), place.end());
      place.erase(std::unique(place.begin(), place.end()), place.end());
      value_.proclist.push_back(std::move(place));
    } else {
      for (const int cpu : range())
        value_.proclist.push_back({cpu});
    }
    if (value_.proclist.size() > most_places)
      reader_.fail("more than 65536 places");
  }

  /// "4", "4-7", "0-12:4".
  std::vector<int> range() {
    const int64_t first = reader_.number(0, greatest_cpu, "a CPU");
    const int64_t last = reader_.take('-') ? reader_.number(first, greatest_cpu, "the last CPU of a range") : first;
    const int64_t stride = reader_.take(':') ? reader_.number(1, greatest_cpu, "a stride") : 1;
    std::vector<int> cpus;
    for (int64_t cpu = first; cpu <= last && !reader_.failed(); cpu += stride)
      cpus.push_back(int(cpu));
    return cpus;
  }

  void once(bool& given, const char* what) {
    if (given)
      reader_.fail(std::string(what) + " is named twice");
    given = true;
  }

  void check_whole() {
    if (value_.type == AffinityType::Explicit && !proclist_given_)
      reader_.fail("type explicit needs proclist=[CPUs]");
    if (proclist_given_ && value_.type != AffinityType::Explicit)
      reader_.fail("proclist needs the type explicit");
    if (numbers_ > 0 && !takes_numbers(value_.type))
      reader_.fail("only compact and scatter take numbers");
  }

  TextReader reader_;
  KmpAffinity value_;
  uint32_t numbers_ = 0;
  bool granularity_given_ = false;
  bool proclist_given_ = false;
  bool switches_given_[std::size(switches)] = {};
};

} // namespace

ParsedKmpAffinity parse_kmp_affinity(std::string_view text) { return Parser(text).parse(); }

std::string format_kmp_affinity(const KmpAffinity& affinity) {
  std::string text;
  for (const Switch& each : switches)
    text += std::string(affinity.*each.member ? each.yes : each.no) + ',';
  const auto shown = std::find_if(std::begin(granularities), std::end(granularities),
                                  [&](const NamedGranularity& each) { return each.level == affinity.granularity; });
  text += std::string("granularity=") + shown->name;
  for (size_t i = 0; i < affinity.proclist.size(); ++i)
    text += (i == 0 ? ",proclist=[" : ",") + format_places({affinity.proclist[i]});
  if (!affinity.proclist.empty())
    text += ']';
  for (const NamedType& each : named_types)
    if (affinity.type == each.type)
      text += std::string(",") + each.name;
  if (takes_numbers(affinity.type))
    text += ',' + std::to_string(affinity.permute) + ',' + std::to_string(affinity.offset);
  return text;
}

} // namespace hetmp::affinity
