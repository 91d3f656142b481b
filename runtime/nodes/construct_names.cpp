#include "runtime/nodes/construct_names.hpp"

#include "perf/report/region_record.hpp"
#include "perf/report/report_text.hpp"

#include <charconv>
#include <dlfcn.h>
#include <string_view>

namespace hetmp::runtime {
namespace {

/// What a compiler tells about a construct (libomp's ident_t), as far as it matters here.
struct Ident {
  int32_t numbers[4];
  const char* text; ///< may be null
};

} // namespace

const char* source_of(const void* ident) { return ident ? static_cast<const Ident*>(ident)->text : nullptr; }

std::string text_of(const perf::CodePlace& place) {
  const std::string where = place.object + "+" + perf::hexadecimal(place.offset);
  return place.function.empty() ? where : place.function + ", " + where;
}

std::string place_of(uint64_t address) {
  Dl_info info;
  if (!dladdr(reinterpret_cast<void*>(address), &info) || !info.dli_fname)
    return {};
  const std::string_view path = info.dli_fname;
  char offset[20];
  char* end =
      std::to_chars(offset, offset + sizeof offset, address - reinterpret_cast<uint64_t>(info.dli_fbase), 16).ptr;
  return std::string(path.substr(path.rfind('/') + 1)) + "+0x" + std::string(offset, end);
}

std::string name_of_construct(uint64_t address, const char* source) {
  const perf::SourceLocation where = source ? perf::parse_source(source) : perf::SourceLocation{};
  if (where.line == 0)
    return text_of(perf::code_at(address));
  return where.file.substr(where.file.rfind('/') + 1) + ":" + std::to_string(where.line) + " " + where.function;
}

} // namespace hetmp::runtime
