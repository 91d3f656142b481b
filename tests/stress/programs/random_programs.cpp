// Random regions, one after the other: teams and nests of changing sizes, loops, sections, in which all
// workers read and write, count, take locks, allocate, reallocate, map and free, and push into common
// containers. A sequential model (random_model.hpp) says what must come out; every seed is another program.
//
// run: OMP_SCHEDULE=dynamic,2
// run with hetmp: OMP_SCHEDULE=hetprobe
// run with hetmp: OMP_SCHEDULE=hetprobe HETMP_LOOPS=all
// run with hetmp: OMP_SCHEDULE=hetprobe HETMP_PLACEMENT=auto
#include "random_world.hpp"

namespace {

const uint64_t regions = uint64_t(portion(80));

/// After its work each thread looks at what the others have done, while the team is still together.
void flat(const Region& region) {
#pragma omp parallel num_threads(int(region.team))
  {
    const uint64_t me = uint64_t(omp_get_thread_num());
    CHECK_EQUAL(omp_get_num_threads(), region.team);
    work(region, me);
#pragma omp barrier
#pragma omp single
    model.perform(region);
    Random random(region.random(3), me);
    for (int i = 0; i < 500; ++i) {
      const uint64_t place = random.below(region.cells);
      CHECK_EQUAL(cells[region.area][place], model.cells[region.area][place]);
    }
  }
}

void loop(const Region& region) {
  uint64_t done = 0;
  switch (region.random(4) % 4) {
  case 0:
#pragma omp parallel for num_threads(int(region.team)) schedule(runtime) reduction(+ : done)
    for (uint64_t worker = 0; worker < region.workers; ++worker)
      done += work(region, worker);
    break;
  case 1:
#pragma omp parallel for num_threads(int(region.team)) schedule(guided) reduction(+ : done)
    for (uint64_t worker = 0; worker < region.workers; ++worker)
      done += work(region, worker);
    break;
  case 2:
#pragma omp parallel for num_threads(int(region.team)) schedule(static, 1) reduction(+ : done)
    for (uint64_t worker = 0; worker < region.workers; ++worker)
      done += work(region, worker);
    break;
  default:
#pragma omp parallel num_threads(int(region.team)) reduction(+ : done)
#pragma omp for schedule(dynamic, 3) nowait
    for (uint64_t worker = 0; worker < region.workers; ++worker)
      done += work(region, worker);
  }
  CHECK_EQUAL(done, region.workers);
}

void ordered(const Region& region) {
  uint64_t turn = 0;
#pragma omp parallel for num_threads(int(region.team)) schedule(dynamic) ordered
  for (uint64_t worker = 0; worker < region.workers; ++worker) {
    work(region, worker);
#pragma omp ordered
    {
      CHECK_EQUAL(turn, worker);
      ++turn;
    }
  }
  CHECK_EQUAL(turn, region.workers);
}

void nested(const Region& region) {
  omp_set_max_active_levels(2);
  uint64_t done = 0;
#pragma omp parallel num_threads(int(region.team)) reduction(+ : done)
  {
    const uint64_t outer = uint64_t(omp_get_thread_num());
#pragma omp parallel num_threads(int(region.inner)) reduction(+ : done)
    done += work(region, outer * region.inner + uint64_t(omp_get_thread_num()));
  }
  omp_set_max_active_levels(1);
  CHECK_EQUAL(done, region.workers);
}

void sections(const Region& region) {
#pragma omp parallel sections num_threads(int(region.team))
  {
#pragma omp section
    work(region, 0);
#pragma omp section
    work(region, 1);
#pragma omp section
    work(region, 2);
#pragma omp section
    work(region, 3);
  }
}

void perform(const Region& region) {
  switch (region.shape) {
  case Region::Flat:
    return flat(region); // applies itself to the model
  case Region::Loop:
    loop(region);
    break;
  case Region::Ordered:
    ordered(region);
    break;
  case Region::Nested:
    nested(region);
    break;
  case Region::Sections:
    sections(region);
    break;
  default:
    work(region, 0);
  }
  model.perform(region);
}

/// The array on the heap gets another size, by any thread of any node.
void change_length(Random& random) {
  const uint64_t wanted = least_cells + random.below(most_cells - least_cells);
  const int team = 1 + int(random.below(8)), who = int(random.below(uint64_t(team)));
#pragma omp parallel num_threads(team)
  if (omp_get_thread_num() == who) {
    cells[1] = static_cast<uint64_t*>(realloc(cells[1], wanted * sizeof *cells[1]));
    CHECK(cells[1] != nullptr);
    for (uint64_t i = length[1]; i < wanted; ++i)
      cells[1][i] = 0;
  }
  length[1] = wanted;
  model.cells[1].resize(wanted, 0);
}

void check_cells(Random& random) {
  const int team = 1 + int(random.below(8));
  for (uint64_t area = 0; area < areas; ++area) {
#pragma omp parallel for num_threads(team) schedule(static)
    for (uint64_t i = 0; i < length[area]; ++i)
      CHECK_EQUAL(cells[area][i], model.cells[area][i]);
  }
}

} // namespace

int main() {
  omp_set_dynamic(0);
  omp_init_lock(&lock);
  omp_init_nest_lock(&nest_lock);
  cells[1] = static_cast<uint64_t*>(calloc(length[1], sizeof *cells[1]));
  for (uint64_t area = 0; area < areas; ++area)
    model.cells[area].assign(length[area], 0);
  Random random(seed(), 1);
  for (uint64_t number = 0; number < regions; ++number) {
    if (random.below(5) == 0)
      change_length(random);
    perform(make_region(seed(), number, length));
    if (random.below(4) == 0)
      check_cells(random);
    if (random.below(6) == 0)
      check_rest();
  }
  check_cells(random);
  check_rest();
}
