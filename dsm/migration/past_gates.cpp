#include "dsm/migration/past_gates.hpp"

#include <algorithm>

namespace hetmp::dsm {
namespace {

/// In the order of strcmp(), of texts that end with 0. Timers may run by CPU time, of which a thread that is abroad
/// uses none at home.
constexpr std::string_view past_gates[] = {
    "brk",
    "crypt",
    "ctermid",
    "dlsym",
    "dlvsym",
    "ecvt",
    "fcvt",
    "fgetgrent",
    "fgetpwent",
    "getdate",
    "getgrent",
    "gethostbyaddr",
    "gethostbyname",
    "gethostbyname2",
    "gethostent",
    "getmntent",
    "getnetbyname",
    "getprotobyname",
    "getprotobynumber",
    "getpwent",
    "getservbyname",
    "getservbyport",
    "getspnam",
    "l64a",
    "ptsname",
    "qecvt",
    "qfcvt",
    "sbrk",
    "setitimer",
    "timer_create",
    "tmpnam",
    "ttyname",
};

bool any_name(std::string_view) { return true; }

} // namespace

const char* way_past_gates(std::string_view function) {
  static_assert(std::is_sorted(std::begin(past_gates), std::end(past_gates)));
  const auto known = std::lower_bound(std::begin(past_gates), std::end(past_gates), function);
  return known != std::end(past_gates) && *known == function ? known->data() : nullptr;
}

bool is_alike_everywhere(std::string_view variable) {
  // The streams' addresses, which programs do not change; and what has its value before there are nodes. The numbers
  // of kinds of facets are given once.
  constexpr std::string_view those[] = {
      "__libc_single_threaded",        "__progname", "__progname_full", "program_invocation_name",
      "program_invocation_short_name", "stderr",     "stdin",           "stdout"};
  return std::binary_search(std::begin(those), std::end(those), variable) ||
         (variable.starts_with("_ZNSt") && variable.ends_with("2idE"));
}

std::string find_way_past_gates(const std::vector<LoadedObject>& objects, const std::vector<bool>& are_private,
                                const std::vector<WrittenPart>& each_ones_own) {
  for (size_t i = 0; i < objects.size(); ++i) {
    if (are_private[i] || objects[i].needed().empty())
      continue;
    for (const LoadedObject::Reference& reference : objects[i].all_references(any_name))
      if (contain(each_ones_own, reference.target) && !is_alike_everywhere(reference.name))
        return std::string(i == 0 ? "the program" : objects[i].path()) + " refers to " + reference.name;
  }
  return {};
}

} // namespace hetmp::dsm
