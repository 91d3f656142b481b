#!/usr/bin/env python3
"""Kills and stops processes of runs, and cuts links between hosts, at random moments; every run must end in time and cleanly.

    random_failures.py --build BUILD [--rounds N] [--seed N] [--layouts proc,tcp,hosts] [--failures a,b]

Layouts: proc and tcp are 2 to 4 node processes of this machine, connected by shared memory or TCP; hosts are two network
namespaces, one node in each, started by ssh (root). A round starts a program in which pages travel, does one thing to it, start
of the program included, and then wants: all processes of the run gone within 2 s, or 5 s where only silence tells (over hosts,
before the program runs on all of them, 10 and 40 s: logins and loading take their time); an exit code that is not 0; one line,
which names the node and its host; nothing left in shared memory, among files, control groups and sockets. Where nobody is left
to say anything (the launcher is killed, or the program's own process without a launcher) there may be no line.
Exit codes: 0 all rounds as they should be, 1 not, 77 skipped (the machine does not allow node processes).
"""
import argparse
import random
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "hosts"))
import runs_to_fail  # noqa: E402
import processes  # noqa: E402
from leftovers import Leftovers  # noqa: E402
from modes import check_machine  # noqa: E402
from outcome import SKIPPED, Failure, Skip, check  # noqa: E402

SOON = 2.0     # within which a run must have ended
SILENCE = 5.0  # where only silence tells
LOGIN = 10.0   # before the program runs on all hosts: what a remote login starts must have started to notice anything
START = 40.0   # where only silence tells, and the program is still being loaded: that may take long by itself
HANG = 60.0    # after which this driver ends it


def check_lines(lines, failure):
    check(len(lines) <= 1, f"{len(lines)} lines: {lines}")
    if failure.speaks:
        check(len(lines) == 1, "not a word")
        for word in failure.words:
            check(word in lines[0], f"no {word!r} in {lines[0]!r}")


def limit_of(run, failure):
    if run.ready or run.is_here:
        return SILENCE if failure.silent else SOON
    return START if failure.silent else LOGIN


def play(run, failure, moment):
    """Seconds from the failure to the end of the last process; raises Failure."""
    time.sleep(moment)
    try:
        failure.strike(run)
        began = time.monotonic()
        limit = limit_of(run, failure)
        last = {}
        while left := run.processes():
            last = left
            if time.monotonic() - began > HANG:
                check(False, f"after {HANG:g} s still there: {left}")
            time.sleep(0.02)
        took = time.monotonic() - began
    finally:
        run.end()
    code, _, err = run.outcome
    lines = processes.complaints(err)
    check(code != 0, f"exit code 0 after {took:.2f} s")
    check(took < limit, f"it took {took:.2f} s, the last was {list(last.values())}; said {err!r}")
    check_lines(lines, failure)
    return took


class Table:
    def __init__(self):
        self.rows = {}

    def add(self, layout, failure, took, problem):
        self.rows.setdefault((layout, failure), []).append((took, problem))

    def print(self):
        print("\n| layout | what happened | rounds | as it should be | seconds to the end, median | longest |")
        print("| --- | --- | --- | --- | --- | --- |")
        for (layout, failure), rounds in sorted(self.rows.items()):
            times = [took for took, problem in rounds if not problem]
            shown = f"{statistics.median(times):.2f} | {max(times):.2f}" if times else "- | -"
            print(f"| {layout} | {failure} | {len(rounds)} | {len(times)} | {shown} |")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, type=Path, help="the build folder")
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--seed", type=int, default=int(time.time()), help="default: the time, so never the same")
    parser.add_argument("--layouts", type=lambda text: text.split(","), default=list(runs_to_fail.LAYOUTS),
                        help="in turn, one may come several times (default: those that this machine can have)")
    parser.add_argument("--failures", type=lambda text: text.split(","), help="only these of a layout's")
    given = parser.parse_args()
    if unknown := [name for name in given.layouts if name not in runs_to_fail.LAYOUTS]:
        parser.error(f"no such layout: {', '.join(unknown)}; there are: {', '.join(runs_to_fail.LAYOUTS)}")
    return given


def possible_failures(given, layout):
    return [failure for failure in layout.failures if not given.failures or failure.name in given.failures]


def rounds(given, layouts, table, choose):
    """How many were not as they should be."""
    failed = 0
    for number in range(given.rounds):
        layout = layouts[number % len(layouts)]
        failure = choose.choice(possible_failures(given, layout))
        moment = choose.uniform(0, layout.longest_start)
        took, problem = None, ""
        try:
            with layout.start(choose) as run:
                took = play(run, failure, moment)
        except Failure as reason:
            problem = str(reason)
            failed += 1
            print(f"FAILED: round {number}, {layout.name}, {failure.name} after {moment:.3f} s: {problem}", flush=True)
        table.add(layout.name, failure.name, took, problem)
        if number % 20 == 19:
            print(f"{number + 1} rounds, {failed} failed", flush=True)
    return failed


def main():
    given = parse_arguments()
    build = given.build.resolve()
    table = Table()
    try:
        check_machine("proc2", build)
        layouts, absent = runs_to_fail.make_layouts(given.layouts, build)
        for reason in absent:
            print(f"without {reason}")
        in_turn = [layouts[name] for name in given.layouts if name in layouts and possible_failures(given, layouts[name])]
        if not in_turn:
            raise Skip("no such failure in these layouts")
        print(f"seed {given.seed}", flush=True)
        leftovers = Leftovers()
        try:
            failed = rounds(given, in_turn, table, random.Random(given.seed))
        finally:
            for layout in layouts.values():
                layout.stop()
        if left := leftovers.find():
            print(f"FAILED: left behind: {left}")
            failed += 1
    except Skip as reason:
        print(f"skipped: {reason}")
        return SKIPPED
    table.print()
    print(f"{given.rounds} rounds, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
