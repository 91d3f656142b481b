// The default allocator is inherited by the tasks of a region, wherever its threads are, and changed for one's own task
// alone. Allocators that the program makes serve everybody; so do those that the environment asks for.
// run:
// run with hetmp: OMP_ALLOCATOR=omp_default_mem_space:alignment=512
#include "check.h"

#include <omp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { threads = 4, bytes = 3000 };

static int is_aligned(const void* pointer, uintptr_t alignment) { return (uintptr_t)pointer % alignment == 0; }

static void check_environments(void) {
  const omp_allocator_handle_t here = omp_get_default_allocator();
  const uintptr_t alignment = getenv("OMP_ALLOCATOR") ? 512 : 16;
#pragma omp parallel num_threads(threads)
  {
    CHECK(omp_get_default_allocator() == here);
    void* block = omp_alloc(bytes, omp_null_allocator);
    CHECK(block && is_aligned(block, alignment));
    omp_free(block, omp_null_allocator);
  }
}

static void check_own(omp_allocator_handle_t made) {
  char* blocks[threads] = {0};
  omp_set_default_allocator(made);
#pragma omp parallel num_threads(threads)
  {
    const int me = omp_get_thread_num();
    CHECK(omp_get_default_allocator() == made);
    blocks[me] = omp_alloc(bytes, omp_null_allocator);
    CHECK(blocks[me] && is_aligned(blocks[me], 4096));
    if (blocks[me])
      memset(blocks[me], 1 + me, bytes);
    omp_set_default_allocator(omp_large_cap_mem_alloc);
    CHECK(omp_get_default_allocator() == omp_large_cap_mem_alloc);
#pragma omp barrier
    const int next = (me + 1) % threads;
    if (blocks[next])
      CHECK_EQUAL(blocks[next][bytes - 1], 1 + next);
    omp_free(blocks[next], made);
  }
  CHECK(omp_get_default_allocator() == made); // what the region's tasks have set was theirs
}

static void check_pool(omp_allocator_handle_t made) {
  omp_set_default_allocator(made);
  void* blocks[threads] = {0};
#pragma omp parallel num_threads(threads)
  {
    const int me = omp_get_thread_num();
    blocks[me] = omp_alloc(10000, made);
#pragma omp barrier
    CHECK(!omp_alloc(10000, made)); // the pool is everybody's
#pragma omp barrier
    omp_free(blocks[(me + 1) % threads], made);
#pragma omp barrier
    blocks[me] = omp_alloc(10000, made);
  }
  for (int i = 0; i < threads; i++) {
    CHECK(blocks[i] != NULL);
    omp_free(blocks[i], made);
  }
}

int main(void) {
  check_environments();
  omp_alloctrait_t aligned[] = {{omp_atk_alignment, 4096}};
  const omp_allocator_handle_t of_pages = omp_init_allocator(omp_default_mem_space, 1, aligned);
  check_own(of_pages);
  omp_alloctrait_t limited[] = {{omp_atk_pool_size, 45000}, {omp_atk_fallback, omp_atv_null_fb}};
  const omp_allocator_handle_t pool = omp_init_allocator(omp_default_mem_space, 2, limited);
  check_pool(pool);
  omp_set_default_allocator(omp_default_mem_alloc);
  omp_destroy_allocator(pool);
  omp_destroy_allocator(of_pages);
  return finish();
}
