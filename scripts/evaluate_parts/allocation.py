"""Allocating in a program on one node: it may not pay for a DSM that it does not use."""
import itertools
import os
import re
import statistics

from .runs import RunFailed, field, met, paired_ratios, print_comparison, run, spread, take_turns

FIGURES = {"malloc or free": "ns of CPU time for a malloc or a free", "realloc": "ns of CPU time for a realloc"}
LIMIT = 1.02


def _check_what_is_there(context, settings, words, threads):
    """The C library's malloc, the runtime but not the DSM, and no thread besides the team's."""
    output = run(context, settings, words)
    owner = re.search(r"^malloc of: (.*)$", output, re.MULTILINE)
    libraries = [os.path.basename(path) for path in re.findall(r"^library: (.*)$", output, re.MULTILINE)]
    counts = re.search(r"^threads of the process: (\d+) before the first region, (\d+) after it$", output, re.MULTILINE)
    if not owner or not counts or "libhetmp.so" not in libraries:
        raise RunFailed(f"not a program with hetmp: {output[:300]!r}")
    owner, counts = os.path.basename(owner[1]), tuple(map(int, counts.groups()))
    print(f"   {threads} thread(s): malloc is {owner}'s; libraries {', '.join(libraries)}; threads of the process: {counts[0]} "
          f"before the first region, {counts[1]} after it")
    if not owner.startswith("libc.so") or "libhetmp_dsm.so" in libraries or counts != (1, threads):
        raise RunFailed("a program on one node has something of the DSM's")


def _measurement(context, settings, words):
    """Each round has another seed, the same for all contenders: where blocks come to lie makes a difference of some percent."""
    seeds = itertools.count(1)

    def measure():
        output = run(context, settings, [*words, "--seed", str(next(seeds))])
        return {name: field(output, name) for name in FIGURES}
    return measure


def allocation(context):
    words = [context.kernel("allocation")]
    for threads in (1, 2):
        contenders = [("hetmp", context.hetmp(threads=threads), words),
                      ("release libomp", context.release_libomp(threads=threads), words)]
        _check_what_is_there(context, contenders[0][1], [*words, "--rounds", "1", "--operations", "1000"], threads)
        values = take_turns({label: _measurement(context, settings, command) for label, settings, command in contenders},
                            context.rounds(15))
        for name, unit in FIGURES.items():
            of_one = {label: [value[name] for value in values[label]] for label in values}
            print_comparison(contenders, of_one, unit)
            ratios = paired_ratios(of_one, "hetmp", "release libomp")
            print(f"   hetmp / release libomp, {threads} thread(s), {name}: {spread(ratios)}; "
                  f"{met(statistics.median(ratios), LIMIT)}")
            context.keep(f"{name}, {threads} threads", of_one)
