#!/usr/bin/env python3
"""Writes an OpenMP program in C, drawn by a seed, that checks itself against a serial execution of the same phases.

    generate.py SEED [--seconds N] [--output FILE]

A program runs cycles of phases: parallel regions and serial parts, over a few arrays. Drawn are the arrays' sizes, how many cycles
there are, and for each phase its kind (below), schedule, trip count, which may change from visit to visit as a multigrid's levels do,
what an iteration computes, how it walks through memory, and in which cycles it is visited. All arithmetic is that of unsigned whole
numbers: results do not depend on who computes what. Nothing is drawn when the program runs.

The program's options: --cycles N, and --serial 0, which leaves the serial execution out; the result is then only printed
(`checksum:`), for whoever runs the program twice.
"""
import argparse
import random
import sys

STEP_SECONDS, ACCESS_SECONDS = 1.2e-9, 3e-9  # about what a step of the computation and an access to memory take
SCHEDULES = ("", "", "", " schedule(static)", " schedule(static, 16)", " schedule(dynamic, 8)", " schedule(guided)", " schedule(auto)",
             " schedule(runtime)")

HEAD = """/* Drawn by microbench/generate/generate.py from the seed {seed}: do not edit. */
#include "../common/benchmark.h"
#include "../common/options.h"

{arrays}
static uint64_t compute(uint64_t value, long steps) {{
  for (long step = 0; step < steps; ++step) {{
    value = value * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    __asm__("" : "+r"(value)); /* one step after the other: compilers know how to skip ahead, too */
  }}
  return value;
}}
"""

TAIL = """
static void clear(void) {{
{clearing}}}

static uint64_t checksum(void) {{
  uint64_t sum = 0;
{summing}  return sum;
}}

static void run_in_parallel(long cycles) {{
  for (long cycle = 0; cycle < cycles; ++cycle) {{
{parallel_calls}  }}
}}

static void run_serially(long cycles) {{
  for (long cycle = 0; cycle < cycles; ++cycle) {{
{serial_calls}  }}
}}

int main(int argc, char** argv) {{
  const long cycles = benchmark_number_option(&argc, argv, "--cycles", {cycles}, 1, 1L << 40);
  const long serial = benchmark_number_option(&argc, argv, "--serial", 1, 0, 1);
  benchmark_report_start("generated_{seed}", '-', omp_get_max_threads());
{allocating}  clear();
  const double start = omp_get_wtime();
  run_in_parallel(cycles);
  const double seconds = omp_get_wtime() - start;
  const uint64_t sum = checksum();
  bool right = true;
  if (serial) {{
    clear();
    run_serially(cycles);
    right = checksum() == sum;
  }}
  printf("checksum: %llu\\n", (unsigned long long)sum);
  return benchmark_report_end(seconds, right);
}}
"""


class Phase:
    """One phase: `body` is one iteration `i`, and `kind` says what the loop around it is."""

    KINDS = ("map", "update", "stencil", "gather", "permute", "scatter", "reduce", "several", "by_number", "serial")

    def __init__(self, draw, number, arrays, seconds):
        self.number = number
        self.kind = draw.choice(self.KINDS)
        self.schedule = draw.choice(SCHEDULES)
        self.source, self.target = draw.sample(sorted(arrays), 2)
        self.most = min(arrays[self.source], arrays[self.target])
        self.levels = draw.choice((1, 1, 1, 1, 3, 5))
        self.every = draw.choice((1, 1, 1, 1, 2, 7))
        self.odd = 2 * draw.randrange(1, self.most // 2) + 1
        self.trips = self._draw_trips(draw, seconds)
        self.steps = max(0, int((seconds / self.trips - 2 * ACCESS_SECONDS) / STEP_SECONDS))

    def _draw_trips(self, draw, seconds):
        """As many as the time allows to touch memory for."""
        trips = 1 << draw.randrange(5, self.most.bit_length())
        while trips > 32 and trips * 2 * ACCESS_SECONDS > seconds:
            trips //= 2
        return trips

    def body(self):
        here, there = f"{self.source}[i]", f"{self.target}[i]"
        wrap = f"{self.most - 1}"
        apart = f"(i * {self.odd}) & {wrap}"
        return {
            "map": f"{there} = compute({here} + (uint64_t)cycle, {self.steps});",
            "several": f"{there} = compute({here} + (uint64_t)cycle, {self.steps});",
            "by_number": f"{there} = compute({here} + (uint64_t)cycle, {self.steps});",
            "update": f"{there} = compute({there} + (uint64_t)i, {self.steps});",
            "serial": f"{there} = compute({there} ^ {here}, {self.steps});",
            "stencil": f"{there} = compute({self.source}[(i - 1) & {wrap}] + {here} + {self.source}[(i + 1) & {wrap}], {self.steps});",
            "gather": f"{there} = compute({self.source}[{apart}], {self.steps});",
            "permute": f"{self.target}[{apart}] = compute({here}, {self.steps});",
            "scatter": f"const long at = (long)(compute({here} + (uint64_t)i, {self.steps + 1}) >> 20) & {wrap};\n"
                       f"#pragma omp atomic\n  {self.target}[at] += (uint64_t)i;",
            "reduce": f"sum += compute({here} ^ (uint64_t)i, {self.steps});",
        }[self.kind]

    def functions(self):
        name, trips = f"phase{self.number}", f"{self.trips}L >> (cycle % {self.levels})"
        if self.kind == "reduce":
            one = f"static uint64_t {name}_at(long i) {{\n  uint64_t sum = 0;\n  {self.body()}\n  return sum;\n}}\n"
            return one + self._function(name, "", trips, "sum += " + f"{name}_at(i);") + \
                self._function(name, "_serially", trips, f"sum += {name}_at(i);")
        one = f"static void {name}_at(long i, long cycle) {{\n  (void)cycle;\n  {self.body()}\n}}\n"
        call = f"{name}_at(i, cycle);"
        return one + self._function(name, "", trips, call) + self._function(name, "_serially", trips, call)

    def _function(self, name, suffix, trips, call):
        return f"\nstatic void {name}{suffix}(long cycle) {{\n  const long trips = {trips};\n{self._loops(call, not suffix)}}}\n"

    def _loops(self, call, parallel):
        loop = f"  for (long i = 0; i < trips; ++i)\n    {call}\n"
        pragma = f"#pragma omp parallel for{self.schedule}"
        store = f"  {self.target}[cycle & {self.most - 1}] += sum;\n"
        if self.kind == "reduce":
            return "  uint64_t sum = 0;\n" + (f"{pragma} reduction(+ : sum)\n" if parallel else "") + loop + store
        if self.kind == "several":  # loops of one region, the later ones of what the first has written
            again = loop.replace(call, f"{self.target}[i] += (uint64_t)i ^ {self.target}[i] >> 7;")
            if not parallel:
                return loop + again + again
            return "#pragma omp parallel\n  {\n" + "".join(f"#pragma omp for{self.schedule}\n{one}" for one in (loop, again, again)) + "  }\n"
        if self.kind == "by_number" and parallel:
            return ("#pragma omp parallel\n  {\n    const long me = omp_get_thread_num(), members = omp_get_num_threads();\n"
                    f"    for (long i = trips * me / members; i < trips * (me + 1) / members; ++i)\n      {call}\n  }}\n")
        return (f"{pragma}\n" if parallel and self.kind != "serial" else "") + loop

    def call(self, suffix):
        condition = f"if (cycle % {self.every} == 0)\n      " if self.every > 1 else ""
        return f"    {condition}phase{self.number}{suffix}(cycle);\n"


def generate(seed, seconds):
    draw = random.Random(seed)
    arrays = {f"array{i}": 1 << draw.randrange(10, 21) for i in range(draw.randrange(2, 6))}
    cycles = round(2 ** draw.uniform(2, 11))
    weights = [draw.expovariate(1) + 0.02 for _ in range(draw.randrange(2, 9))]
    phases = [Phase(draw, number, arrays, seconds / cycles * weight / sum(weights)) for number, weight in enumerate(weights)]
    if all(phase.kind == "serial" for phase in phases):
        phases[0].kind = "map"
    return "".join([
        HEAD.format(seed=seed, arrays="".join(f"static uint64_t* {name}; /* {size} */\n" for name, size in arrays.items())),
        *("\n" + phase.functions() for phase in phases),
        TAIL.format(seed=seed, cycles=cycles,
                    clearing="".join(f"  for (long i = 0; i < {size}; ++i)\n    {name}[i] = (uint64_t)i * {number + 3};\n"
                                     for number, (name, size) in enumerate(arrays.items())),
                    summing="".join(f"  for (long i = 0; i < {size}; ++i)\n    sum = sum * 31 + {name}[i];\n"
                                    for name, size in arrays.items()),
                    parallel_calls="".join(phase.call("") for phase in phases),
                    serial_calls="".join(phase.call("_serially") for phase in phases),
                    allocating="".join(f"  {name} = benchmark_allocate({size}, sizeof(uint64_t));\n"
                                       for name, size in arrays.items()))])


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("seed", type=int)
    arguments.add_argument("--seconds", type=float, default=2, help="about how long the parallel part takes on one core (default 2)")
    arguments.add_argument("--output", help="the file (default: standard output)")
    given = arguments.parse_args()
    text = generate(given.seed, given.seconds)
    if not given.output:
        sys.stdout.write(text)
        return 0
    with open(given.output, "w", encoding="ascii") as file:
        file.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
