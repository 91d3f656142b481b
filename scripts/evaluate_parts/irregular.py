"""HetProbe-I against HetProbe on the loop that mixes two kinds of iterations."""
import statistics

from .runs import compare_in_turn, field, known, met, paired_ratios, print_comparison

SCHEDULES = ("hetprobe", "hetprobe-i")
# What to run, and the least gain of hetprobe-i over hetprobe that is asked for.
MIXES = {f"{percent} % compute-bound": (["--compute", str(percent)], 0.97) for percent in range(0, 101, 20)}
HALVES = {
    "cache-bound half, then compute-bound": (["--order", "halves", "--first", "cache"], 1.24),
    "compute-bound half, then cache-bound": (["--order", "halves", "--first", "compute"], 0.97),
}


def irregular(context):
    gains = {}
    for name, (arguments, least) in (MIXES | HALVES).items():
        words = [context.kernel("irregular"), *arguments]
        contenders = [(schedule, context.hetmp("proc:2", OMP_SCHEDULE=schedule), words) for schedule in SCHEDULES]
        values = compare_in_turn(context, contenders, lambda output: field(output, "time"), context.rounds(7),
                                 enough=context.precise(("hetprobe", "hetprobe-i")))
        print(f"   -- {name}")
        print_comparison(contenders, values, "s")
        gains[name] = paired_ratios(values, "hetprobe", "hetprobe-i")
        context.keep(name, values)
        print(f"   hetprobe / hetprobe-i, paired: {known(gains[name])}; "
              f"{met(statistics.median(gains[name]), least, at_least=True)}", flush=True)
    best = max(gains, key=lambda name: statistics.median(gains[name]))
    print(f"   best: {statistics.median(gains[best]):.3g} ({best})")
