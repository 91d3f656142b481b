"""Experiment E9: a loop of two kinds of iterations, by HetProbe and by HetProbe-I, on two equal nodes."""
import statistics

from ..runs import field, run

SCHEDULES = ("hetprobe", "hetprobe-i")
MIXES = {f"{percent} %": ["--compute", str(percent)] for percent in range(0, 101, 20)}
HALVES = {"cache-bound half first": ["--order", "halves", "--first", "cache"],
          "compute-bound half first": ["--order", "halves", "--first", "compute"]}
ROUNDS, QUICK_ROUNDS = 5, 1
QUICK = ["--visits", "3"]
LEAST, LEAST_AT_BEST = 0.97, 1.24  # of HetProbe's time by HetProbe-I's: everywhere, and where the mix changes half-way


def measure(experiments, wanted, go_on):
    """One more round of each mix until there are so many."""
    context = experiments.context
    for name, arguments in (MIXES | HALVES).items():
        key = experiments.key("mixtures", name)
        words = [context.kernel("irregular"), *arguments, *(QUICK if experiments.quick else [])]
        while len(experiments.done(key)) < wanted and go_on():
            turn = len(experiments.done(key)) % 2
            order = SCHEDULES[turn:] + SCHEDULES[:turn]
            record = {schedule: field(run(context, context.hetmp("proc:2", OMP_SCHEDULE=schedule), words), "time") for schedule in order}
            experiments.add(key, record)


def gains(experiments):
    """HetProbe's time by HetProbe-I's, by mix: the ratio of each round."""
    found = {}
    for name in MIXES | HALVES:
        records = experiments.shown(experiments.key("mixtures", name))
        if records:
            found[name] = [record[SCHEDULES[0]] / record[SCHEDULES[1]] for record in records]
    return found


def worst_and_best(found):
    medians = [statistics.median(ratios) for ratios in found.values()]
    return min(medians), max(medians)
