/* Black-Scholes: closed-form prices of European calls and puts, the same options on every visit. Independent
 * iterations that stream over plain malloc memory: where pages move between memories, the first visit pays
 * for it and later ones show what was kept.
 *
 * Usage: blackscholes [--options N] [--visits N] [--repeats N]
 *
 *   options  how many there are (default 1048576)
 *
 *   visits   how many times the loop runs (20)
 *
 *   repeats  how many times a visit prices each option (1): more work on the same memory */
#include "../common/benchmark.h"
#include "../common/npb_random.h"
#include "../common/options.h"

typedef struct {
  long options, visits, repeats;
} Settings;

typedef struct {
  double *spot, *strike, *rate, *volatility, *years; /* read */
  double *call, *put;                                /* written */
} Options;

typedef struct {
  double call, put;
} Price;

static double normal_distribution(double x) { return 0.5 * erfc(-x * M_SQRT1_2); }

static Price price(const Options* options, long i) {
  const double spot = options->spot[i];
  const double deviation = options->volatility[i] * sqrt(options->years[i]);
  const double variance = options->volatility[i] * options->volatility[i];
  const double drift = (options->rate[i] + 0.5 * variance) * options->years[i];
  const double d1 = (log(spot / options->strike[i]) + drift) / deviation;
  const double d2 = d1 - deviation;
  const double strike_now = options->strike[i] * exp(-options->rate[i] * options->years[i]);
  return (Price){.call = spot * normal_distribution(d1) - strike_now * normal_distribution(d2),
                 .put = strike_now * normal_distribution(-d2) - spot * normal_distribution(-d1)};
}

/* The same prices by another road: extended precision, erf, the deviates apart, and the put by put-call
 * parity. */
static Price reference_price(const Options* options, long i) {
  const long double spot = options->spot[i], strike = options->strike[i], rate = options->rate[i];
  const long double volatility = options->volatility[i], years = options->years[i];
  const long double root = sqrtl(years);
  const long double moneyness = (logl(spot) - logl(strike) + rate * years) / (volatility * root);
  const long double in_money = (1 + erfl((moneyness + volatility * root / 2) / sqrtl(2))) / 2;
  const long double exercised = (1 + erfl((moneyness - volatility * root / 2) / sqrtl(2))) / 2;
  const long double strike_now = strike / expl(rate * years);
  const long double call = spot * in_money - strike_now * exercised;
  return (Price){.call = (double)call, .put = (double)(call - spot + strike_now)};
}

static void visit(const Options* options, const Settings* settings) {
#pragma omp parallel for BENCHMARK_SCHEDULE
  for (long i = 0; i < settings->options; ++i)
    for (long repeat = 0; repeat < settings->repeats; ++repeat) {
      const Price result = price(options, i);
      options->call[i] = result.call;
      options->put[i] = result.put;
      __asm__ volatile("" ::: "memory"); /* the compiler may not know that a repeat changes nothing */
    }
}

/* Within 1e-12 of the reference, absolute for prices below 1 and relative above. Not a number is not near. */
static bool near_price(double value, double reference) {
  return fabs(value - reference) <= 1e-12 * fmax(1.0, fabs(reference));
}

static long count_wrong(const Options* options, long count) {
  long wrong = 0;
  for (long i = 0; i < count; ++i) {
    const Price reference = reference_price(options, i);
    if (!near_price(options->call[i], reference.call) || !near_price(options->put[i], reference.put))
      ++wrong;
  }
  return wrong;
}

static double sum(const double* values, long count) {
  double total = 0.0;
  for (long i = 0; i < count; ++i)
    total += values[i];
  return total;
}

static double random_between(uint64_t* random, double low, double high) {
  return low + (high - low) * npb_random(random);
}

static Options make_options(long count) {
  double* array[7];
  for (int i = 0; i < 7; ++i)
    array[i] = benchmark_allocate((size_t)count, sizeof(double));
  Options options = {array[0], array[1], array[2], array[3], array[4], array[5], array[6]};
  uint64_t random = 271828183;
  for (long i = 0; i < count; ++i) {
    options.spot[i] = random_between(&random, 10.0, 100.0);
    options.strike[i] = random_between(&random, 10.0, 100.0);
    options.rate[i] = random_between(&random, 0.01, 0.1);
    options.volatility[i] = random_between(&random, 0.1, 0.6);
    options.years[i] = random_between(&random, 0.25, 2.0);
    options.call[i] = options.put[i] = NAN; /* a price never written must not pass */
  }
  return options;
}

static void free_options(Options* options) {
  free(options->spot);
  free(options->strike);
  free(options->rate);
  free(options->volatility);
  free(options->years);
  free(options->call);
  free(options->put);
}

static Settings read_settings(int argc, char** argv) {
  const Settings settings = {.options = benchmark_number_option(&argc, argv, "--options", 1L << 20, 1, 1L << 40),
                             .visits = benchmark_number_option(&argc, argv, "--visits", 20, 1, 1L << 40),
                             .repeats = benchmark_number_option(&argc, argv, "--repeats", 1, 1, 1L << 40)};
  if (argc != 1) {
    fprintf(stderr, "usage: %s [--options N] [--visits N] [--repeats N]\n", argv[0]);
    exit(2);
  }
  return settings;
}

int main(int argc, char** argv) {
  const Settings settings = read_settings(argc, argv);
  Options options = make_options(settings.options);
  benchmark_report_start("blackscholes", '-', benchmark_threads());
  printf("options: %ld\n", settings.options);

  double seconds = 0.0;
  for (long i = 0; i < settings.visits; ++i) {
    const double start = omp_get_wtime();
    visit(&options, &settings);
    const double visit_seconds = omp_get_wtime() - start;
    printf("visit %ld: %.6f s\n", i + 1, visit_seconds);
    seconds += visit_seconds;
  }

  const long wrong = count_wrong(&options, settings.options);
  printf("sums: %.12e %.12e\nwrong: %ld\n", sum(options.call, settings.options), sum(options.put, settings.options),
         wrong);
  free_options(&options);
  return benchmark_report_end(seconds, wrong == 0);
}
