#include "early_threads_part.hpp"

extern "C" int stop_late_threads() { return stop(); }
