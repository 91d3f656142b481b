// What a person can do about where a program's regions ran, in three sentences (`hetmp run --explain`). Pure.
#pragma once

#include "perf/report/region_record.hpp"

#include <string>

namespace hetmp::perf {

/// Three lines: what gained or did not, and why; what would help; what that is measured against, and what finding it
/// out has cost. Names are as the record has them.
std::string explain(const Report& report);

} // namespace hetmp::perf
