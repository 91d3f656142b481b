/* NAS FT: a 3D heat equation solved in Fourier space; one forward transform, then an inverse one for each time step.
 * Written from the specification (NAS Technical Report RNR-94-007). Lines are transformed where they lie contiguous,
 * and the array is turned between the three directions: each time all data cross from one division to another.
 *
 * Usage: ft [class]     S: 64 x 64 x 64 points, W: 128 x 128 x 32, A: 256 x 256 x 128, all with 6
 * steps, B: 512 x 256 x 256, 20 steps */
#include <complex.h>
#include <string.h>

#include "../common/benchmark.h"
#include "../common/npb_random.h"

enum { LONGEST = 512, SAMPLES = 1024, BLOCK = 16 };

typedef double complex Complex;

typedef struct {
  char name;
  int points[3]; /* x, which lies contiguous, y, z */
  int steps;
  double first_re, first_im; /* the checksum of the first step */
  double last_re, last_im;   /* that of the last */
} ProblemClass;

static const ProblemClass CLASSES[] = {
    {'S', {64, 64, 64}, 6, 5.546087004964e2, 4.845363331978e2, 5.542683411903e2, 4.932597244941e2},
    {'W', {128, 128, 32}, 6, 5.673612178944e2, 5.293246849175e2, 5.504159734538e2, 5.239212247086e2},
    {'A', {256, 256, 128}, 6, 5.046735008193e2, 5.114047905510e2, 5.091487099959e2, 5.107917842803e2},
    {'B', {512, 256, 256}, 20, 5.177643571579e2, 5.077803458597e2, 5.124146770029e2, 5.115744692211e2},
};

static Complex make_complex(double re, double im) { return re + im * I; }

static Complex root[LONGEST]; /* exp(-2 pi i k / LONGEST) */

static void make_roots(void) {
  for (int k = 0; k < LONGEST; ++k)
    root[k] = cexp(-2.0 * M_PI * I * k / LONGEST);
}

/* By Stockham's method, from `line` through `other` and back; returns the one that has the result. */
static Complex* transform_line(Complex* line, Complex* other, int points, bool inverse) {
  Complex *from = line, *to = other;
  for (int half = points / 2, blocks = 1; half >= 1; half /= 2, blocks *= 2) {
    for (int k = 0; k < half; ++k) {
      const Complex forward = root[(long)k * (LONGEST / 2) / half];
      const double re = creal(forward), im = inverse ? -cimag(forward) : cimag(forward);
      for (int b = 0; b < blocks; ++b) {
        const Complex first = from[k * blocks + b], second = from[(k + half) * blocks + b];
        const Complex sum = first + second, difference = first - second;
        to[2 * k * blocks + b] = sum;
        to[(2 * k + 1) * blocks + b] = make_complex(creal(difference) * re - cimag(difference) * im,
                                                    creal(difference) * im + cimag(difference) * re);
      }
    }
    Complex* swapped = from;
    from = to;
    to = swapped;
  }
  return from;
}

/* Transforms the lines of the first direction and turns the array, so that the second direction becomes the first, the
 * third the second, and the first the last: index (z, y, x) goes to (x, z, y). */
static void transform_and_turn(const Complex* from, Complex* to, const int points[3], bool inverse) {
  const long width = points[0], rows = points[1], planes = points[2];
#pragma omp parallel
  {
    Complex lines[BLOCK][LONGEST], other[LONGEST];
#pragma omp for
    for (long plane = 0; plane < planes; ++plane)
      for (long row = 0; row < rows; row += BLOCK) { /* by blocks, so that rows are written contiguous */
        for (long r = 0; r < BLOCK; ++r) {
          memcpy(lines[r], &from[(plane * rows + row + r) * width], (size_t)width * sizeof(Complex));
          const Complex* done = transform_line(lines[r], other, (int)width, inverse);
          if (done != lines[r])
            memcpy(lines[r], done, (size_t)width * sizeof(Complex));
        }
        for (long i = 0; i < width; ++i)
          for (long r = 0; r < BLOCK; ++r)
            to[(i * planes + plane) * rows + row + r] = lines[r][i];
      }
  }
}

/* All three directions; the result lies in `to` as the values did in `from`, which is overwritten. */
static void transform(Complex* from, Complex* to, const int points[3], bool inverse) {
  const int second[3] = {points[1], points[2], points[0]}, third[3] = {points[2], points[0], points[1]};
  transform_and_turn(from, to, points, inverse);
  transform_and_turn(to, from, second, inverse);
  transform_and_turn(from, to, third, inverse);
}

static void make_start(Complex* start, long count) {
  uint64_t random = 314159265;
  for (long i = 0; i < count; ++i) {
    const double re = npb_random(&random);
    start[i] = make_complex(re, npb_random(&random));
  }
}

static double square_of_wave(long index, long points) {
  const double wave = (double)(index >= points / 2 ? index - points : index);
  return wave * wave;
}

/* One time step in Fourier space: each wave decays. */
static void evolve(Complex* waves, Complex* copy, const int points[3]) {
  const double decay = -4.0e-6 * M_PI * M_PI;
#pragma omp parallel for
  for (long z = 0; z < points[2]; ++z)
    for (long y = 0; y < points[1]; ++y)
      for (long x = 0; x < points[0]; ++x) {
        const long at = (z * points[1] + y) * points[0] + x;
        const double squares =
            square_of_wave(x, points[0]) + square_of_wave(y, points[1]) + square_of_wave(z, points[2]);
        waves[at] *= exp(decay * squares);
        copy[at] = waves[at];
      }
}

static Complex checksum(const Complex* values, const int points[3]) {
  const double count = (double)points[0] * points[1] * points[2];
  Complex sum = 0.0;
  for (long j = 1; j <= SAMPLES; ++j) {
    const long x = j % points[0], y = 3 * j % points[1], z = 5 * j % points[2];
    sum += values[(z * points[1] + y) * points[0] + x];
  }
  return sum / count;
}

static bool is_near(Complex value, double re, double im) {
  return benchmark_near(creal(value), re, 1e-11) && benchmark_near(cimag(value), im, 1e-11);
}

int main(int argc, char** argv) {
  const ProblemClass* class = &CLASSES[benchmark_class_index(argc, argv, "SWAB")];
  const long count = (long)class->points[0] * class->points[1] * class->points[2];
  Complex* array[3];
  for (int i = 0; i < 3; ++i)
    array[i] = benchmark_allocate((size_t)count, sizeof(Complex));
  Complex *waves = array[0], *values = array[1], *copy = array[2];
  make_roots();
  benchmark_report_start("ft", class->name, benchmark_threads());
  const double start = omp_get_wtime();
  make_start(values, count);
  transform(values, waves, class->points, false);
  Complex first = 0.0, last = 0.0;
  for (int step = 1; step <= class->steps; ++step) {
    evolve(waves, copy, class->points);
    transform(copy, values, class->points, true);
    last = checksum(values, class->points);
    first = step == 1 ? last : first;
  }
  const double seconds = omp_get_wtime() - start;
  printf("checksums: %.12e %.12e %.12e %.12e\n", creal(first), cimag(first), creal(last), cimag(last));
  for (int i = 0; i < 3; ++i)
    free(array[i]);
  return benchmark_report_end(seconds, is_near(first, class->first_re, class->first_im) &&
                                           is_near(last, class->last_re, class->last_im));
}
