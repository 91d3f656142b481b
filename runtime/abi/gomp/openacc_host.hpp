// What OpenACC's entries do where the host is the only device: it shares the program's memory, so data need not move,
// and a compute region is executed by the thread that meets it, at once. As libgomp does it without other devices.
#pragma once

namespace hetmp::openacc {

/// The first six arguments of a call, none of which is a floating-point number; what is behind those it has means
/// nothing.
using Arguments = void* const*;

void* nothing(Arguments);
void* zero(Arguments);
void* one(Arguments);
void* same_address(Arguments given);

void* execute_region(Arguments given);

// Names that end in of_fortran: arguments by reference.
void* number_of_devices(Arguments given);
void* number_of_devices_of_fortran(Arguments given);
void* device_type(Arguments);
void* set_device(Arguments given);
void* set_device_of_fortran(Arguments given);
void* set_device_number(Arguments given);
void* set_device_number_of_fortran(Arguments given);
void* is_on_device(Arguments given);
void* is_on_device_of_fortran(Arguments given);
void* property_text(Arguments given);
void* fortran_property_text(Arguments given);

void* is_present(Arguments given);
void* allocate(Arguments given);
void* release(Arguments given);
void* copy(Arguments given);
/// Memory of the program's own for a variable: not where there is only one memory.
void* map_data(Arguments);

} // namespace hetmp::openacc
