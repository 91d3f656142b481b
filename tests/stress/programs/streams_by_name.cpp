// The C++ library's streams, whose state members of regions change in place while they go on elsewhere, and which they
// write to by virtual functions: no gate stands before either.
// run: HETMP_PLACEMENT=journeys:1
// run: HETMP_PLACEMENT=journeys:2 OMP_NUM_THREADS=7
// flags: -fPIC
#include "stress.hpp"

#include <iostream>
#include <omp.h>
#include <streambuf>
#include <string>

namespace {

/// Notes what it is given, and where.
struct Note final : std::streambuf {
  std::string text;
  std::streamsize xsputn(const char* from, std::streamsize count) override {
    text.append(from, size_t(count));
    return count;
  }
  int overflow(int character) override {
    text.push_back(char(character));
    return character;
  }
};

std::ostream& stream_of(int member) { return member == 0 ? std::cout : member == 1 ? std::cerr : std::clog; }

void state_in_place() {
  for (int visit = 0; visit < 10; ++visit) {
#pragma omp parallel
    if (const int member = omp_get_thread_num(); member < 3)
      for (int i = 0; i < 20; ++i) {
        stress::compute(1, 300'000);
        stream_of(member).precision(visit * 100 + i);
        stream_of(member).width(i);
        stress::compute(1, 300'000);
        CHECK_EQUAL(stream_of(member).precision(), visit * 100 + i);
        CHECK_EQUAL(stream_of(member).width(), i);
      }
    CHECK_EQUAL(std::cout.precision(), visit * 100 + 19);
    CHECK_EQUAL(std::clog.precision(), omp_get_max_threads() > 2 ? visit * 100 + 19 : 6);
  }
  for (int member = 0; member < 3; ++member) {
    stream_of(member).width(0);
    stream_of(member).precision(6);
  }
}

void virtual_functions() {
  Note notes[3];
  std::streambuf* before[3];
  for (int member = 0; member < 3; ++member)
    before[member] = stream_of(member).rdbuf(&notes[member]);
#pragma omp parallel
  if (const int member = omp_get_thread_num(); member < 3)
    for (int i = 0; i < 50; ++i) {
      stress::compute(1, 30'000);
      stream_of(member).rdbuf()->sputn("abc", 3);
      stream_of(member) << i << '\n';
    }
  for (int member = 0; member < 3; ++member) {
    stream_of(member).rdbuf(before[member]);
    std::string expected;
    for (int i = 0; i < 50; ++i)
      expected += "abc" + std::to_string(i) + "\n";
    if (member < omp_get_max_threads())
      CHECK_EQUAL(notes[member].text == expected, true);
  }
}

} // namespace

int main() {
  omp_set_dynamic(0);
  state_in_place();
  virtual_functions();
}
