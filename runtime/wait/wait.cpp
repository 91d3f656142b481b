#include "runtime/wait/wait.hpp"

namespace hetmp::runtime {

SpinBudget spin_budget;
std::atomic<uint32_t> threads_in_use{0};
uint32_t usable_cpus = 1;
std::atomic<int64_t> crowded_until{0};

} // namespace hetmp::runtime
