#include "early_threads_part.hpp"

extern "C" int stop_early_threads() { return stop(); }
