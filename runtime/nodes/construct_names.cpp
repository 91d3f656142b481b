#include "runtime/nodes/construct_names.hpp"

#include "perf/report/region_record.hpp"
#include "perf/report/report_text.hpp"

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

std::string name_of_construct(uint64_t address, const char* source) {
  const perf::SourceLocation where = source ? perf::parse_source(source) : perf::SourceLocation{};
  if (where.line == 0)
    return text_of(perf::code_at(address));
  return where.file.substr(where.file.rfind('/') + 1) + ":" + std::to_string(where.line) + " " + where.function;
}

} // namespace hetmp::runtime
