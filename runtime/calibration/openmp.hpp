// What a compiler makes of `#pragma omp parallel` and `#pragma omp barrier`, written by hand: this program is
// built by compilers whose OpenMP the runtime does not implement, too.
#pragma once

#include <cstdint>

extern "C" {
struct SourceLocation; // libomp's ident_t; none is given here
int32_t __kmpc_global_thread_num(const SourceLocation*);
void __kmpc_fork_call(const SourceLocation*, int32_t count, void* microtask, ...);
void __kmpc_barrier(const SourceLocation*, int32_t gtid);
int omp_get_thread_num();
int omp_get_max_threads();
}

namespace hetmp::calibration {

/// One thread of a team.
struct Member {
  int32_t gtid;
  uint32_t number;
  void barrier() const { __kmpc_barrier(nullptr, gtid); }
};

template <class Argument, void body(Member, const Argument&)>
void microtask(int32_t* gtid, int32_t* number, const Argument* argument) {
  body({*gtid, uint32_t(*number)}, *argument);
}

/// Every thread of a team over all nodes runs `body`; returns when all have. `argument` lies in shared
/// memory, where its first read by another node is a fault.
template <class Argument, void body(Member, const Argument&)> void parallel(const Argument& argument) {
  __kmpc_fork_call(nullptr, 1, reinterpret_cast<void*>(&microtask<Argument, body>), &argument);
}

} // namespace hetmp::calibration
