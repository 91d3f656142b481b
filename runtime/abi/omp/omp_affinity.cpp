// Places, and the affinity format.
#include "runtime/abi/omp/omp_routines.hpp"
#include "runtime/affinity/environment.hpp"
#include "runtime/team/binding.hpp"
#include "runtime/team/display.hpp"
#include "runtime/team/thread.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>

using namespace hetmp::runtime;
namespace affinity = hetmp::affinity;

namespace {

const std::vector<affinity::Place>& places() { return affinity::program_places().places; }

bool is_place(int number) { return number >= 0 && size_t(number) < places().size(); }

/// Who asks for the place of an initial thread gets the one that it is bound to; not between regions that free it
/// (KMP_AFFINITY=reset).
void seat_who_asks(Thread& self) {
  if (!affinity::program_places().reset())
    affinity::seat_initial_thread(self);
}

/// place-partition-var: all places until the thread is bound.
affinity::Partition own_partition() {
  seat_who_asks(current_thread());
  const affinity::Partition partition = current_task().icvs.places;
  return partition.count != 0 ? partition : affinity::Partition{0, uint32_t(places().size())};
}

std::string_view text_or_none(const char* text) { return text ? text : ""; }

/// As much as fits, always terminated; returns the length of the whole text.
size_t copy_out(const std::string& text, char* buffer, size_t size) {
  if (buffer && size > 0) {
    const size_t length = std::min(text.size(), size - 1);
    memcpy(buffer, text.data(), length);
    buffer[length] = '\0';
  }
  return text.size();
}

/// Fortran's way: as much as fits, the rest blank, no terminator.
size_t copy_out_blank_padded(const std::string& text, char* buffer, size_t size) {
  if (buffer && size > 0) {
    const size_t length = std::min(text.size(), size);
    memcpy(buffer, text.data(), length);
    memset(buffer + length, ' ', size - length);
  }
  return text.size();
}

/// A Fortran character argument without its trailing blanks.
std::string from_fortran(const char* text, size_t length) {
  while (length > 0 && text[length - 1] == ' ')
    --length;
  return std::string(text, length);
}

} // namespace

int omp_get_proc_bind() { return int(affinity::policy_of(current_task())); }

int omp_get_num_places() { return int(places().size()); }

int omp_get_place_num_procs(int place) { return is_place(place) ? int(places()[size_t(place)].size()) : 0; }

void omp_get_place_proc_ids(int place, int* ids) {
  if (is_place(place))
    std::copy(places()[size_t(place)].begin(), places()[size_t(place)].end(), ids);
}

int omp_get_place_num() {
  Thread& self = current_thread();
  seat_who_asks(self);
  return self.place;
}

int omp_get_partition_num_places() { return int(own_partition().count); }

void omp_get_partition_place_nums(int* numbers) {
  const affinity::Partition partition = own_partition();
  std::iota(numbers, numbers + partition.count, int(partition.first));
}

void omp_set_affinity_format(const char* format) { affinity::set_affinity_format(text_or_none(format)); }

size_t omp_get_affinity_format(char* buffer, size_t size) {
  return copy_out(affinity::affinity_format(), buffer, size);
}

void omp_display_affinity(const char* format) { affinity::display_thread(text_or_none(format)); }

size_t omp_capture_affinity(char* buffer, size_t size, const char* format) {
  return copy_out(affinity::describe_thread(text_or_none(format)), buffer, size);
}

HETMP_ENTRY void ompc_set_affinity_format(const char* format) { omp_set_affinity_format(format); }
HETMP_ENTRY size_t ompc_get_affinity_format(char* buffer, size_t size) { return omp_get_affinity_format(buffer, size); }
HETMP_ENTRY void ompc_display_affinity(const char* format) { omp_display_affinity(format); }
HETMP_ENTRY size_t ompc_capture_affinity(char* buffer, size_t size, const char* format) {
  return omp_capture_affinity(buffer, size, format);
}

// Fortran passes the length of each character argument after all others.
HETMP_ENTRY void omp_set_affinity_format_(const char* format, size_t length) {
  omp_set_affinity_format(from_fortran(format, length).c_str());
}
HETMP_ENTRY int omp_get_affinity_format_(char* buffer, size_t size) {
  return int(copy_out_blank_padded(affinity::affinity_format(), buffer, size));
}
HETMP_ENTRY void omp_display_affinity_(const char* format, size_t length) {
  omp_display_affinity(from_fortran(format, length).c_str());
}
HETMP_ENTRY int omp_capture_affinity_(char* buffer, const char* format, size_t size, size_t length) {
  return int(copy_out_blank_padded(affinity::describe_thread(from_fortran(format, length)), buffer, size));
}
