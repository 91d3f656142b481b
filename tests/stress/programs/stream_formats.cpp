// The standard streams of C++ as main has set them, written to by threads of all nodes, in the program and in a library
// of its own, which finds them in another way than a program by gcc: one format, and one order where threads take
// turns; also when main has let go of the C library's streams.
// library: stream_formats_part.cpp
// run: HETMP_PLACEMENT=all
// run: HETMP_PLACEMENT=random:5
// run: HETMP_PLACEMENT=journeys:1
// run: HETMP_PLACEMENT=all STRESS_APART=1
// run: HETMP_PLACEMENT=auto STRESS_APART=1
#include "stream_formats_part.hpp"
#include "stress.hpp"

#include <fcntl.h>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <omp.h>
#include <sstream>
#include <string>

namespace {

/// What a program with one thread would have written.
std::ostringstream want;

void in_turns(int round) {
#pragma omp parallel
  for (int turn = 0; turn < omp_get_num_threads(); ++turn) {
    if (turn == omp_get_thread_num()) {
      stress::computes_abroad(2);
      std::cout << turn << ' ' << round * 1.5 << ' ' << (turn == 0) << '\n';
      part::write(round / 3.0);
      std::cerr << std::setw(9) << turn << '\n';
    }
#pragma omp barrier
#pragma omp single
    {
      want << turn << ' ' << round * 1.5 << ' ' << (turn == 0) << '\n' << round / 3.0 << '\n';
      want << std::setw(9) << turn << '\n';
    }
  }
}

void set(std::ios& stream, int round) {
  stream.setf(std::ios_base::fixed, std::ios_base::floatfield);
  stream.precision(1 + round % 5);
  stream.fill(round % 2 ? '*' : ' ');
  if (round % 2)
    stream.setf(std::ios_base::boolalpha);
  else
    stream.unsetf(std::ios_base::boolalpha);
}

} // namespace

int main() {
  if (stress::number_of("STRESS_APART", 0)) {
    CHECK(std::ios_base::sync_with_stdio(false));
    CHECK(!std::ios_base::sync_with_stdio(false));
  }
  char name[] = "/tmp/stream_formats_XXXXXX";
  const int file = mkostemp(name, O_APPEND);
  CHECK(file >= 0);
  const int out = dup(1), error = dup(2);
  CHECK(dup2(file, 1) == 1 && dup2(file, 2) == 2);
  for (int round = 0; round < 8; ++round) {
    for (std::ios* stream :
         {static_cast<std::ios*>(&std::cout), static_cast<std::ios*>(&std::cerr), static_cast<std::ios*>(&want)})
      set(*stream, round);
    CHECK(part::precision() == 1 + round % 5);
    in_turns(round);
  }
  std::cout.flush();
  CHECK(dup2(out, 1) == 1 && dup2(error, 2) == 2);
  std::stringstream have;
  have << std::ifstream(name).rdbuf();
  unlink(name);
  if (have.str() != want.str())
    std::cerr << have.str() << "---\n" << want.str();
  CHECK(have.str() == want.str());
}
