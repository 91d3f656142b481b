#include "runtime/settings/allocator_setting.hpp"

#include "base/environment.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

namespace hetmp::runtime {
namespace {

struct Named {
  const char* name;
  uintptr_t number;
};

constexpr Named allocators[] = {{"omp_default_mem_alloc", 1}, {"omp_large_cap_mem_alloc", 2},
                                {"omp_const_mem_alloc", 3},   {"omp_high_bw_mem_alloc", 4},
                                {"omp_low_lat_mem_alloc", 5}, {"omp_cgroup_mem_alloc", 6},
                                {"omp_pteam_mem_alloc", 7},   {"omp_thread_mem_alloc", 8}};
constexpr Named spaces[] = {{"omp_default_mem_space", 0},
                            {"omp_large_cap_mem_space", 1},
                            {"omp_const_mem_space", 2},
                            {"omp_high_bw_mem_space", 3},
                            {"omp_low_lat_mem_space", 4}};

constexpr Named hints[] = {{"contended", 3}, {"uncontended", 4}, {"serialized", 5}, {"sequential", 5}, {"private", 6}};
constexpr Named accesses[] = {{"all", 7}, {"thread", 8}, {"pteam", 9}, {"cgroup", 10}};
constexpr Named fallbacks[] = {{"default_mem_fb", fallback_default_memory},
                               {"null_fb", fallback_null},
                               {"abort_fb", fallback_abort},
                               {"allocator_fb", fallback_allocator}};
constexpr Named pinned[] = {{"false", 0}, {"true", 1}};
constexpr Named partitions[] = {{"environment", 15}, {"nearest", 16}, {"blocked", 17}, {"interleaved", 18}};

template <size_t N> std::optional<uintptr_t> number_of(const Named (&names)[N], std::string_view text) {
  const auto found = std::find_if(std::begin(names), std::end(names),
                                  [&](const Named& each) { return equal_ignoring_case(trimmed(text), each.name); });
  if (found == std::end(names))
    return {};
  return found->number;
}

std::optional<uintptr_t> power_of_two(std::string_view text) {
  const auto number = parse_integer(text, 1, INT64_MAX);
  if (!number || (*number & (*number - 1)) != 0)
    return {};
  return uintptr_t(*number);
}

std::optional<uintptr_t> positive(std::string_view text) {
  const auto number = parse_integer(text, 1, INT64_MAX);
  return number ? std::optional(uintptr_t(*number)) : std::nullopt;
}

struct NamedTrait {
  const char* name;
  TraitKey key;
  std::optional<uintptr_t> (*value)(std::string_view text);
  const char* wanted;
};
constexpr NamedTrait named_traits[] = {
    {"sync_hint", trait_sync_hint, [](std::string_view text) { return number_of(hints, text); },
     "contended, uncontended, serialized or private"},
    {"alignment", trait_alignment, power_of_two, "a power of two"},
    {"access", trait_access, [](std::string_view text) { return number_of(accesses, text); },
     "all, cgroup, pteam or thread"},
    {"pool_size", trait_pool_size, positive, "a number of bytes"},
    {"fallback", trait_fallback, [](std::string_view text) { return number_of(fallbacks, text); },
     "default_mem_fb, null_fb, abort_fb or allocator_fb"},
    {"fb_data", trait_fallback_data, [](std::string_view text) { return number_of(allocators, text); },
     "a predefined allocator"},
    {"pinned", trait_pinned, [](std::string_view text) { return number_of(pinned, text); }, "true or false"},
    {"partition", trait_partition, [](std::string_view text) { return number_of(partitions, text); },
     "environment, nearest, blocked or interleaved"}};

/// "alignment=16"; returns what is wrong.
std::string add_trait(std::string_view item, std::vector<AllocatorTrait>& traits) {
  const size_t equals = item.find('=');
  const std::string_view name = trimmed(item.substr(0, equals));
  const auto known = std::find_if(std::begin(named_traits), std::end(named_traits),
                                  [&](const NamedTrait& each) { return equal_ignoring_case(name, each.name); });
  if (known == std::end(named_traits))
    return "there is no allocator trait \"" + std::string(name) + "\"";
  if (std::any_of(traits.begin(), traits.end(), [&](const AllocatorTrait& each) { return each.key == known->key; }))
    return std::string("trait ") + known->name + " is named twice";
  const auto value = equals == item.npos ? std::nullopt : known->value(item.substr(equals + 1));
  if (!value)
    return std::string("trait ") + known->name + " wants " + known->wanted;
  traits.push_back({known->key, *value});
  return {};
}

std::string add_traits(std::string_view list, std::vector<AllocatorTrait>& traits) {
  while (true) {
    const size_t comma = list.find(',');
    std::string error = add_trait(list.substr(0, comma), traits);
    if (!error.empty() || comma == list.npos)
      return error;
    list.remove_prefix(comma + 1);
  }
}

} // namespace

ParsedAllocator parse_allocator(std::string_view text) {
  text = trimmed(text);
  AllocatorSetting setting;
  setting.text = text;
  if (const auto handle = number_of(allocators, text)) {
    setting.handle = *handle;
    return {std::move(setting), {}};
  }
  const size_t colon = text.find(':');
  const auto space = number_of(spaces, text.substr(0, colon));
  if (!space)
    return {{}, "neither an allocator nor a memory space"};
  setting.handle = 0;
  setting.space = *space;
  std::string error = colon == text.npos ? std::string() : add_traits(text.substr(colon + 1), setting.traits);
  if (!error.empty())
    return {{}, std::move(error)};
  return {std::move(setting), {}};
}

} // namespace hetmp::runtime
