"""The libHetMP paper's evaluation done again: its experiments on a slow origin and a fast other node, and one page beside its figures.

Experiments can be run alone, and in a time budget: every round is kept, and the page is made of all that there are."""
import os
import pathlib
import platform
import re
import subprocess
import time

from ..kept import Rounds, identity
from ..runs import Missing, RunFailed
from . import further, links, misses, mixtures, probing, programs, schedules
from .page import write_page

QUICK_BUDGET = 8  # minutes; what has begun then is finished


class Experiments:
    """What the experiments have in common: the rounds that are kept, the sizes, and how long to go on."""

    def __init__(self, context):
        options = context.options
        context.build_folder = pathlib.Path(context.build)
        self.context, self.quick = context, options.quick
        folder = context.build_folder / "paper"
        folder.mkdir(parents=True, exist_ok=True)
        budget = options.budget or (QUICK_BUDGET if self.quick else None)
        self.end = time.monotonic() + 60 * budget if budget else None
        libraries = identity(*(os.path.join(context.build, "lib", name) for name in ("libhetmp.so", "libhetmp_dsm.so")))
        self._unchanging = {"libraries": libraries, "commit": _commit(), "machine": _machine()}
        self._rounds = Rounds(pathlib.Path(options.kept) if options.kept else folder / "rounds.json.xz")

    def key(self, experiment, name):
        return f"{experiment} {name}{' quick' if self.quick else ''}"

    def time_is_left(self):
        return self.end is None or time.monotonic() < self.end

    def done(self, key):
        """Rounds with the libraries that there are now."""
        return [record for record in self._rounds.of(key) if record["libraries"] == self._unchanging["libraries"]]

    def shown(self, key):
        """Rounds with the libraries that it was measured with last: medians of several would be of nothing."""
        records = self._rounds.of(key)
        return [record for record in records if record["libraries"] == records[-1]["libraries"]]

    def all_shown(self):
        return [record for key in self._rounds.records for record in self.shown(key)]

    def add(self, key, record):
        """With the conditions under which it was measured."""
        self._rounds.add(key, record | self._unchanging | {"date": time.strftime("%Y-%m-%d"), "load": round(os.getloadavg()[0], 2)})


def _commit():
    done = subprocess.run(["git", "-C", os.path.dirname(__file__), "log", "-1", "--format=%h"], capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"


def _machine():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        model = re.search(r"^model name\s*: (.*)$", file.read(), re.M)
    return f"{os.cpu_count()} CPUs, {model[1] if model else 'unknown'}, Linux {platform.release().split('-')[0]}"


def _schedules(experiments, wanted, go_on):
    """A round of each program: rounds for all of them before the next, so that what a budget allows is balanced."""
    options = experiments.context.options
    names = options.programs.split(",") if options.programs else list(programs.PROGRAMS)
    unknown = [name for name in names if name not in programs.PROGRAMS]
    if unknown:
        raise RunFailed(f"no such program: {', '.join(unknown)}; there are: {', '.join(programs.PROGRAMS)}")
    for name in names:
        if go_on():
            schedules.measure(experiments, name, wanted, go_on)


# What is measured for each: a function, and how many rounds. E3, E4, E6, E10 and E11 read the rounds of E2; F2 is simulated when the page is made.
MEASUREMENTS = {
    "E1": (links.calibrate, 1, 1),
    "E2": (_schedules, schedules.ROUNDS, schedules.QUICK_ROUNDS),
    "E5": (misses.measure, 1, 1),
    "E7": (probing.measure, probing.ROUNDS, probing.QUICK_ROUNDS),
    "E8": (links.along_visits, 1, 1),
    "E9": (mixtures.measure, mixtures.ROUNDS, mixtures.QUICK_ROUNDS),
    "F1": (further.measure, further.ROUNDS, further.QUICK_ROUNDS),
}


def paper(context):
    options = context.options
    wanted = options.experiments.split(",") if options.experiments else list(MEASUREMENTS)
    unknown = [name for name in wanted if name not in MEASUREMENTS]
    if unknown:
        raise RunFailed(f"no such experiment: {', '.join(unknown)}; there are: {', '.join(MEASUREMENTS)}")
    experiments = Experiments(context)
    for name in wanted:
        measure, usual, quick = MEASUREMENTS[name]
        try:
            for rounds in range(1, context.rounds(quick if experiments.quick else usual) + 1):
                measure(experiments, rounds, experiments.time_is_left)
        except Missing as reason:
            print(f"   {name} is not measured: {reason}")
    path = pathlib.Path(options.page) if options.page else context.build_folder / "paper" / "paper.html"
    for line in write_page(experiments, path):
        print(f"   {line}")
    print(f"   {path}")
