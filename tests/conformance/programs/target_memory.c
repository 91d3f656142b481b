// Memory of devices where the host is the only one. (clang's programs have these routines from their offloading
// library.)
#include "check.h"

#include <omp.h>
#include <stdlib.h>

#ifndef __clang__
enum { rows = 6, columns = 8, inner_rows = 3, inner_columns = 4 };

static void check_blocks(int host) {
  int* block = omp_target_alloc(rows * columns * sizeof(int), host);
  CHECK(block != NULL);
  CHECK(omp_target_is_present(block, host));
  CHECK(omp_target_alloc(100, host + 1) == NULL);
  CHECK(!omp_target_is_present(block, host + 1));
#pragma omp target is_device_ptr(block)
#pragma omp parallel for
  for (int i = 0; i < rows * columns; i++)
    block[i] = i;
  int copy[rows * columns + 1] = {0};
  CHECK_EQUAL(omp_target_memcpy(copy, block, rows * columns * sizeof(int), sizeof(int), 0, host, host), 0);
  CHECK_EQUAL(copy[0], 0);
  CHECK_EQUAL(copy[rows * columns], rows * columns - 1);
  CHECK(omp_target_memcpy(copy, block, sizeof(int), 0, 0, host, host + 1) != 0);
  omp_target_free(block, host);
  omp_target_free(NULL, host);
}

static void check_boxes(int host) {
  int from[rows][columns], to[inner_rows][inner_columns] = {{0}};
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++)
      from[i][j] = 10 * i + j;
  const size_t volume[] = {2, 3}, to_offsets[] = {1, 1}, from_offsets[] = {2, 4};
  const size_t to_sizes[] = {inner_rows, inner_columns}, from_sizes[] = {rows, columns};
  CHECK(omp_target_memcpy_rect(NULL, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, host, host) >= 3);
  CHECK_EQUAL(omp_target_memcpy_rect(to, from, sizeof(int), 2, volume, to_offsets, from_offsets, to_sizes, from_sizes,
                                     host, host),
              0);
  for (int i = 0; i < inner_rows; i++)
    for (int j = 0; j < inner_columns; j++)
      CHECK_EQUAL(to[i][j], i >= 1 && j >= 1 ? from[i + 1][j + 3] : 0);
  const size_t too_many[] = {2, (size_t)-1 / 2};
  CHECK(omp_target_memcpy_rect(to, from, sizeof(int), 2, too_many, to_offsets, from_offsets, to_sizes, from_sizes, host,
                               host) != 0);
}
#endif

int main(void) {
#ifndef __clang__
  const int host = omp_get_initial_device();
  int number = 1;
  check_blocks(host);
  check_boxes(host);
  CHECK(omp_target_associate_ptr(&number, &number, sizeof number, 0, host) != 0);
  CHECK(omp_target_disassociate_ptr(&number, host) != 0);
#endif
  return finish();
}
