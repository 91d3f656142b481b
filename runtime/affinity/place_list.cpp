#include "runtime/affinity/place_list.hpp"

#include "base/environment.hpp"
#include "runtime/affinity/text_reader.hpp"

#include <algorithm>
#include <utility>

namespace hetmp::affinity {
namespace {

/// Of a list, so that "{0}:1000000000" is an error and no exhaustion of memory.
constexpr size_t most_items = 65536;

struct NamedLevel {
  const char* name;
  TopologyLevel level;
};
constexpr NamedLevel named_levels[] = {{"threads", TopologyLevel::Threads},
                                       {"cores", TopologyLevel::Cores},
                                       {"ll_caches", TopologyLevel::LastLevelCaches},
                                       {"numa_domains", TopologyLevel::NumaDomains},
                                       {"sockets", TopologyLevel::Sockets}};

/// What may follow a CPU or a place: how many of them, and how far apart.
struct Interval {
  int64_t count = 1;
  int64_t stride = 1;
};

Interval read_interval(TextReader& reader) {
  Interval interval;
  if (reader.take(':'))
    interval.count = reader.number(1, int64_t(most_items), "a length");
  if (reader.take(':'))
    interval.stride = reader.number(-greatest_cpu, greatest_cpu, "a stride");
  return interval;
}

/// The interval's CPUs, or none if one of them cannot be.
std::vector<int> cpus_of(int64_t first, Interval interval, TextReader& reader) {
  std::vector<int> cpus;
  for (int64_t i = 0; i < interval.count; ++i) {
    const int64_t cpu = first + i * interval.stride;
    if (cpu < 0 || cpu > greatest_cpu) {
      reader.fail("there is no CPU " + std::to_string(cpu));
      return {};
    }
    cpus.push_back(int(cpu));
  }
  return cpus;
}

Place normal(std::vector<int> cpus) {
  std::sort(cpus.begin(), cpus.end());
  cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
  return cpus;
}

/// `{` has been taken.
Place read_cpus_in_braces(TextReader& reader) {
  std::vector<int> in, out;
  do {
    const bool excluded = reader.take('!');
    const int64_t first = reader.number(0, greatest_cpu, "a CPU");
    for (const int cpu : excluded ? std::vector<int>{int(first)} : cpus_of(first, read_interval(reader), reader))
      (excluded ? out : in).push_back(cpu);
  } while (reader.take(','));
  if (!reader.take('}'))
    reader.fail("expected } after a place's CPUs");
  std::erase_if(in, [&](int cpu) { return std::find(out.begin(), out.end(), cpu) != out.end(); });
  if (in.empty())
    reader.fail("a place without CPUs");
  return normal(std::move(in));
}

Place read_place(TextReader& reader) {
  if (reader.take('{'))
    return read_cpus_in_braces(reader);
  return {int(reader.number(0, greatest_cpu, "a place"))};
}

Place moved(const Place& place, int64_t by, TextReader& reader) {
  Place result;
  for (const int cpu : place) {
    const std::vector<int> one = cpus_of(cpu + by, {}, reader);
    result.insert(result.end(), one.begin(), one.end());
  }
  return result;
}

std::vector<Place> read_list(TextReader& reader) {
  std::vector<Place> in, out;
  do {
    const bool excluded = reader.take('!');
    const Place place = read_place(reader);
    const Interval interval = excluded ? Interval{} : read_interval(reader);
    for (int64_t i = 0; i < interval.count && !reader.failed(); ++i)
      (excluded ? out : in).push_back(moved(place, i * interval.stride, reader));
    if (in.size() > most_items)
      reader.fail("more than " + std::to_string(most_items) + " places");
  } while (!reader.failed() && reader.take(','));
  std::erase_if(in, [&](const Place& place) { return std::find(out.begin(), out.end(), place) != out.end(); });
  if (in.empty())
    reader.fail("no places");
  return in;
}

std::optional<PlaceRequest> read_level(TextReader& reader) {
  const std::string_view name = reader.word();
  PlaceRequest request;
  for (const NamedLevel& each : named_levels)
    if (equal_ignoring_case(name, each.name))
      request.level = each.level;
  if (!request.level)
    return {};
  if (reader.take('(')) {
    request.most = uint32_t(reader.number(1, int64_t(most_items), "a number of places"));
    if (!reader.take(')'))
      reader.fail("expected ) after the number of places");
  }
  return request;
}

} // namespace

ParsedPlaces parse_places(std::string_view text) {
  text = trimmed(text);
  TextReader reader(text);
  std::optional<PlaceRequest> request;
  if (reader.at_word()) {
    request = read_level(reader);
    if (!request)
      reader.fail("neither threads, cores, ll_caches, numa_domains nor sockets");
  } else {
    request.emplace();
    request->places = read_list(reader);
  }
  if (!reader.at_end())
    reader.fail("what follows the places makes no sense");
  if (reader.failed())
    return {{}, reader.error(), request && request->level ? *request->level : TopologyLevel::Cores};
  return {std::move(request), {}};
}

std::string format_level(TopologyLevel level, uint32_t most) {
  for (const NamedLevel& each : named_levels)
    if (level == each.level)
      return each.name + (most != 0 ? '(' + std::to_string(most) + ')' : std::string());
  return {};
}

std::string format_places(const std::vector<Place>& places) {
  std::string text;
  for (const Place& place : places) {
    text += text.empty() ? "{" : ",{";
    for (size_t i = 0; i < place.size(); ++i)
      text += (i ? "," : "") + std::to_string(place[i]);
    text += '}';
  }
  return text;
}

std::vector<Place> restrict_to(const std::vector<Place>& places, const std::vector<int>& available, int& missing) {
  missing = -1;
  std::vector<Place> result;
  for (const Place& place : places) {
    Place left;
    for (const int cpu : place)
      if (std::binary_search(available.begin(), available.end(), cpu))
        left.push_back(cpu);
      else if (missing < 0)
        missing = cpu;
    if (!left.empty())
      result.push_back(std::move(left));
  }
  return result;
}

} // namespace hetmp::affinity
