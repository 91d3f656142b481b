/* A solver after NAS SP: each line is a pentadiagonal system for each component.
 *
 * Usage: sp [class]     S: 16^3 points, 30 steps, W: 48^3, 60, A: 96^3, 60, B: 48^3, 240 */
#include "../common/benchmark.h"
#include "adi.h"

static const AdiClass CLASSES[] = {{'S', 16, 30, 4.480307857966630e+00},
                                   {'W', 48, 60, 4.449159142101958e+00},
                                   {'A', 96, 60, 4.442919266362800e+00},
                                   {'B', 48, 240, 4.327119185161502e+00}};

/* Rows are (far, near, diagonal, near, far) around a point; elimination leaves ones on the diagonal and two to the
 * right. */
static void solve_component(const AdiPoint* state, AdiPoint* side, int points, int c) {
  const double near = -0.1, far = 0.02;
  double first[ADI_LONGEST + 2],
      second[ADI_LONGEST + 2]; /* to the right of the diagonal, two entries ahead of the row */
  first[0] = first[1] = second[0] = second[1] = 0.0;
  double result[ADI_LONGEST + 2] = {0.0};
  for (int i = 0; i < points; ++i) {
    const double left = near - far * first[i];
    const double pivot = 1.15 + 0.02 * state[i].value[c] - far * second[i] - left * first[i + 1];
    first[i + 2] = (near - left * second[i + 1]) / pivot;
    second[i + 2] = far / pivot;
    result[i + 2] = (side[i].value[c] - far * result[i] - left * result[i + 1]) / pivot;
  }
  for (int i = points - 1; i >= 0; --i) {
    double value = result[i + 2];
    if (i + 1 < points)
      value -= first[i + 2] * side[i + 1].value[c];
    if (i + 2 < points)
      value -= second[i + 2] * side[i + 2].value[c];
    side[i].value[c] = value;
  }
}

static void solve_line(const AdiPoint* state, AdiPoint* side, int points) {
  for (int c = 0; c < ADI_COMPONENTS; ++c)
    solve_component(state, side, points, c);
}

int main(int argc, char** argv) {
  return adi_run("sp", &CLASSES[benchmark_class_index(argc, argv, "SWAB")], solve_line);
}
