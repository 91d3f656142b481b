// A shared object whose constructor starts threads that allocate and use streams all the time.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

namespace {

std::atomic<bool> stopped{false};
std::vector<std::thread>* threads;

void allocate() {
  while (!stopped.load())
    for (int i = 0; i < 100; ++i) {
      free(malloc(100));
      free(malloc(128));
    }
}

void use_streams() {
  while (!stopped.load())
    if (FILE* file = fopen("/dev/null", "w")) {
      for (int i = 0; i < 20; ++i) {
        fprintf(file, "%d\n", 4711);
        fflush(nullptr); // all, for which it locks the list of them
      }
      fclose(file);
    }
}

__attribute__((constructor)) void start() {
  threads = new std::vector<std::thread>;
  for (int i = 0; i < 5; ++i)
    threads->emplace_back(i < 3 ? allocate : use_streams);
}

} // namespace

extern "C" void stop_early_calls() {
  stopped.store(true);
  for (std::thread& thread : *threads)
    thread.join();
  delete threads;
}
