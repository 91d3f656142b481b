// System calls that read and write memory which another node wrote last: files, pipes, scattered buffers,
// streams, child processes.
#include "stress.hpp"

#include <cstring>
#include <fcntl.h>
#include <omp.h>
#include <string>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <vector>

namespace {

constexpr int team = 4, rounds = 12;
constexpr size_t bytes = 3 * 4096 + 100;

char buffer[team][bytes];

char content(int round, int writer, size_t index) {
  return char(stress::mix(uint64_t(round), uint64_t(writer), index));
}

/// Each buffer is filled by one thread, written to a file by the next, read back over a third's memory.
void files(int descriptor) {
#pragma omp parallel num_threads(team)
  for (int round = 0; round < rounds; ++round) {
    const int me = omp_get_thread_num();
    for (size_t i = 0; i < bytes; ++i)
      buffer[me][i] = content(round, me, i);
#pragma omp barrier
    const int source = (me + 1 + round) % team;
    CHECK_EQUAL(pwrite(descriptor, buffer[source], bytes, off_t(bytes) * source), bytes);
#pragma omp barrier
    const int target = (me + 2 * round) % team;
    CHECK_EQUAL(pread(descriptor, buffer[target], bytes, off_t(bytes) * me), bytes);
#pragma omp barrier
    const int read_by = ((me - 2 * round) % team + team) % team;
    for (size_t i = 0; i < bytes; ++i)
      CHECK_EQUAL(buffer[me][i], content(round, read_by, i));
#pragma omp barrier
  }
}

/// A stream of numbers round a ring of pipes, one for each thread.
void pipes() {
  int ends[team][2];
  for (auto& each : ends)
    CHECK_EQUAL(pipe(each), 0);
#pragma omp parallel num_threads(team)
  {
    const int me = omp_get_thread_num();
    for (int round = 0; round < 40; ++round) {
      uint64_t token[3] = {0, 0, 0};
      if (me > 0 || round > 0)
        CHECK_EQUAL(read(ends[me][0], token, sizeof token), sizeof token);
      CHECK_EQUAL(token[1], round * team + me);
      token[1]++;
      CHECK_EQUAL(write(ends[(me + 1) % team][1], token, sizeof token), sizeof token);
    }
  }
  for (auto& each : ends) {
    close(each[0]);
    close(each[1]);
  }
}

/// One call, several pieces of memory, each last written by a different thread.
void scattered(int descriptor) {
  static char piece[team][5000];
#pragma omp parallel num_threads(team)
  for (int round = 0; round < rounds; ++round) {
    const int me = omp_get_thread_num();
    memset(piece[me], 'a' + (round + me) % 26, sizeof piece[me]);
#pragma omp barrier
#pragma omp single
    {
      iovec pieces[team];
      for (int i = 0; i < team; ++i)
        pieces[i] = {piece[team - 1 - i], sizeof piece[i]};
      CHECK_EQUAL(pwritev(descriptor, pieces, team, 0), sizeof piece);
    }
    if (me == round % team) {
      std::vector<char> all(sizeof piece);
      CHECK_EQUAL(pread(descriptor, all.data(), all.size(), 0), sizeof piece);
      for (size_t i = 0; i < all.size(); ++i)
        CHECK_EQUAL(all[i], 'a' + (round + team - 1 - int(i / sizeof piece[0])) % 26);
    }
#pragma omp barrier
  }
}

/// Descriptors and the working directory belong to the program, whoever opens or changes them.
void descriptors(const std::string& folder) {
  int opened[team];
#pragma omp parallel num_threads(team)
  {
    const int me = omp_get_thread_num();
    const std::string name = folder + "/file" + std::to_string(me);
    opened[me] = open(name.c_str(), O_RDWR | O_CREAT, 0600);
    CHECK(opened[me] >= 0);
#pragma omp barrier
    const int theirs = (me + 1) % team;
    CHECK_EQUAL(write(opened[theirs], &theirs, sizeof theirs), sizeof theirs);
#pragma omp barrier
    struct stat facts;
    CHECK_EQUAL(fstat(opened[(me + 2) % team], &facts), 0);
    CHECK_EQUAL(facts.st_size, sizeof theirs);
#pragma omp barrier
    close(opened[(me + 3) % team]);
#pragma omp barrier
    CHECK_EQUAL(unlink(name.c_str()), 0);
  }
}

void children() {
  static char command[team][40];
#pragma omp parallel num_threads(team)
  for (int round = 0; round < 3; ++round) {
    const int me = omp_get_thread_num();
    snprintf(command[me], sizeof command[me], "exit %d", 10 * me + round);
#pragma omp barrier
    const int theirs = (me + 1 + round) % team;
    const int status = system(command[theirs]);
    CHECK(WIFEXITED(status));
    CHECK_EQUAL(WEXITSTATUS(status), 10 * theirs + round);
#pragma omp barrier
  }
}

/// C library streams on memory of several nodes.
void streams(const std::string& folder) {
  const std::string name = folder + "/stream";
  static char line[team][200];
#pragma omp parallel num_threads(team)
  for (int round = 0; round < rounds; ++round) {
    const int me = omp_get_thread_num();
    snprintf(line[me], sizeof line[me], "line %d of round %d\n", me, round);
#pragma omp barrier
    if (me == round % team) {
      FILE* file = fopen(name.c_str(), "w");
      CHECK(file != nullptr);
      for (auto& each : line)
        CHECK(fwrite(each, 1, strlen(each), file) == strlen(each));
      CHECK_EQUAL(fclose(file), 0);
    }
#pragma omp barrier
    if (me == (round + 1) % team) {
      FILE* file = fopen(name.c_str(), "r");
      CHECK(file != nullptr);
      char* text = nullptr;
      size_t room = 0;
      for (auto& each : line) {
        CHECK(getline(&text, &room, file) == ssize_t(strlen(each)));
        CHECK(strcmp(text, each) == 0);
      }
      free(text);
      fclose(file);
    }
#pragma omp barrier
  }
  unlink(name.c_str());
}

} // namespace

int main() {
  char folder[] = "/tmp/hetmp-stress-XXXXXX";
  CHECK(mkdtemp(folder) != nullptr);
  const std::string name = std::string(folder) + "/data";
  const int descriptor = open(name.c_str(), O_RDWR | O_CREAT, 0600);
  CHECK(descriptor >= 0);
  files(descriptor);
  pipes();
  scattered(descriptor);
  descriptors(folder);
  children();
  streams(folder);
  close(descriptor);
  unlink(name.c_str());
  rmdir(folder);
}
