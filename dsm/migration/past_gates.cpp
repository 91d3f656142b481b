#include "dsm/migration/past_gates.hpp"

#include "base/elf/elf_image.hpp"

#include <algorithm>

namespace hetmp::dsm {
namespace {

/// In the order of strcmp(). Timers may run by CPU time, of which a thread that is abroad uses none at home. The
/// streams of the C++ library have their buffers among its own data unless they leave all to the C library's.
constexpr std::string_view past_gates[] = {
    "_ZNSt8ios_base15sync_with_stdioEb",
    "asctime",
    "brk",
    "crypt",
    "ctermid",
    "ctime",
    "dlsym",
    "dlvsym",
    "ecvt",
    "fcvt",
    "fgetgrent",
    "fgetpwent",
    "getdate",
    "getgrent",
    "getgrgid",
    "getgrnam",
    "gethostbyaddr",
    "gethostbyname",
    "gethostbyname2",
    "gethostent",
    "getlogin",
    "getmntent",
    "getnetbyname",
    "getprotobyname",
    "getprotobynumber",
    "getpwent",
    "getpwnam",
    "getpwuid",
    "getservbyname",
    "getservbyport",
    "getspnam",
    "gmtime",
    "l64a",
    "localeconv",
    "localtime",
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

/// Of an object, what may be written after the start: not its code, nor what the dynamic linker has closed.
std::vector<LoadedSegment> find_written_parts(const std::vector<LoadedObject>& objects,
                                              const std::vector<bool>& are_private) {
  std::vector<LoadedSegment> parts;
  auto visit = [&](const dl_phdr_info& info) {
    const uintptr_t begin = LoadedObject(info).begin();
    for (size_t i = 0; i < objects.size(); ++i)
      if (objects[i].begin() == begin && are_private[i])
        for_each_segment(info, [&](const LoadedSegment& segment) {
          if (segment.type == PT_LOAD && segment.flags & PF_W)
            parts.push_back(segment);
        });
  };
  using Visit = decltype(visit);
  const auto each = [](dl_phdr_info* info, size_t, void* data) {
    (*static_cast<Visit*>(data))(*info);
    return 0;
  };
  dl_iterate_phdr(each, &visit);
  return parts;
}

} // namespace

bool leads_past_gates(std::string_view function) {
  static_assert(std::is_sorted(std::begin(past_gates), std::end(past_gates)));
  return std::binary_search(std::begin(past_gates), std::end(past_gates), function);
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

std::string find_way_past_gates(const std::vector<LoadedObject>& objects, const std::vector<bool>& are_private) {
  const std::vector<LoadedSegment> written = find_written_parts(objects, are_private);
  for (size_t i = 0; i < objects.size(); ++i) {
    if (are_private[i] || objects[i].needed().empty())
      continue;
    const auto is_written = [&](uintptr_t address) {
      const auto owner = std::find_if(objects.begin(), objects.end(), [&](const LoadedObject& object) {
        return object.begin() <= address && address < object.end();
      });
      if (owner == objects.end() || (owner->relro_begin() <= address && address < owner->relro_end()))
        return false;
      return std::any_of(written.begin(), written.end(),
                         [&](const LoadedSegment& part) { return part.begin <= address && address < part.end(); });
    };
    std::vector<LoadedObject::Reference> references = objects[i].references(any_name);
    for (auto& reference : objects[i].addresses_in_data(any_name))
      references.push_back(std::move(reference));
    for (const LoadedObject::Reference& reference : references)
      if (leads_past_gates(reference.name) || (is_written(reference.target) && !is_alike_everywhere(reference.name)))
        return reference.name;
  }
  return {};
}

} // namespace hetmp::dsm
