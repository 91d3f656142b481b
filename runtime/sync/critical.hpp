// Critical sections. The compiler provides 32 zeroed bytes for each name.
#pragma once

#include <cstdint>

namespace hetmp::runtime {

using CriticalName = int32_t[8];

/// `hint`: as the program gives it, for a tool.
void enter_critical(CriticalName* name, uint32_t hint = 0);
void leave_critical(CriticalName* name);

} // namespace hetmp::runtime
