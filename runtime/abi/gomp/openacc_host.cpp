#include "runtime/abi/gomp/openacc_host.hpp"

#include "base/exit_codes.hpp"
#include "base/message.hpp"

#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace hetmp::openacc {
namespace {

// acc_device_t of openacc.h
enum DeviceType : int { current_device = -1, no_device = 0, default_device = 1, host_device = 2 };

enum Property : int { name_of_device = 0x10001 };

void* word(uintptr_t value) { return reinterpret_cast<void*>(value); }
int number(void* argument) { return int(reinterpret_cast<intptr_t>(argument)); }
int number_at(void* argument) { return *static_cast<const int*>(argument); }

bool is_host(int type) { return type == host_device || type == default_device || type == current_device; }

void* set_device_to(int type, int device) {
  if (!is_host(type) || device != 0)
    die(exit_code::failure, "OpenACC: device %d of type %d was asked for; there is only the host (0 of type %d)",
        device, type, host_device);
  return nullptr;
}

const char* text_of(int property) { return property == name_of_device ? "host" : ""; }

} // namespace

void* nothing(Arguments) { return nullptr; }
void* zero(Arguments) { return nullptr; }
void* one(Arguments) { return word(1); }
void* same_address(Arguments given) { return given[0]; }

/// (device, function, how many variables, their addresses, ...)
void* execute_region(Arguments given) {
  reinterpret_cast<void (*)(void*)>(given[1])(given[3]);
  return nullptr;
}

void* number_of_devices(Arguments given) { return word(is_host(number(given[0]))); }
void* number_of_devices_of_fortran(Arguments given) { return word(is_host(number_at(given[0]))); }
void* device_type(Arguments) { return word(host_device); }

void* set_device(Arguments given) { return set_device_to(number(given[0]), 0); }
void* set_device_of_fortran(Arguments given) { return set_device_to(number_at(given[0]), 0); }
void* set_device_number(Arguments given) { return set_device_to(number(given[1]), number(given[0])); }
void* set_device_number_of_fortran(Arguments given) { return set_device_to(number_at(given[1]), number_at(given[0])); }

void* is_on_device(Arguments given) { return word(number(given[0]) == host_device || number(given[0]) == no_device); }
void* is_on_device_of_fortran(Arguments given) {
  return word(number_at(given[0]) == host_device || number_at(given[0]) == no_device);
}

/// (device, type, property)
void* property_text(Arguments given) { return const_cast<char*>(text_of(number(given[2]))); }

/// Its text and the text's length behind that. Filled up with blanks.
void* fortran_property_text(Arguments given) {
  const char* text = text_of(number(given[2]));
  const auto room = reinterpret_cast<size_t>(given[4]);
  const size_t length = strlen(text) < room ? strlen(text) : room;
  memset(given[3], ' ', room);
  memcpy(given[3], text, length);
  return nullptr;
}

/// (address, bytes)
void* is_present(Arguments given) { return word(given[0] && given[1]); }

void* allocate(Arguments given) {
  const auto bytes = reinterpret_cast<size_t>(given[0]);
  return bytes != 0 ? malloc(bytes) : nullptr;
}
void* release(Arguments given) {
  free(given[0]);
  return nullptr;
}

/// (to, from, bytes)
void* copy(Arguments given) {
  memmove(given[0], given[1], reinterpret_cast<size_t>(given[2]));
  return nullptr;
}

void* map_data(Arguments) {
  die(exit_code::failure,
      "OpenACC: acc_map_data and acc_unmap_data need a device with memory of its own; there is only the host");
}

} // namespace hetmp::openacc
