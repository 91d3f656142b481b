// Critical sections. The compiler provides 32 zeroed bytes for each name.
#pragma once

#include <cstdint>

namespace hetmp::runtime {

using CriticalName = int32_t[8];

void enter_critical(CriticalName* name);
void leave_critical(CriticalName* name);

} // namespace hetmp::runtime
