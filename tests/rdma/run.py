#!/usr/bin/env python3
"""Nodes that speak over RDMA, in virtual machines that have it (scripts/rdma-vm); and that nothing of it is loaded elsewhere.

    run.py --build BUILD [--case NAME] [--times N [--first N]] [--program NAME ...] [--list]

The cases are in the modules imported below, by subject. --times repeats the runs of the programs and those between two machines, of which
there are more then; --first says which round is the first of them, --program which programs. Each round has random programs of its own.
Exit codes: 0 passed, 1 failed, 77 skipped (this machine cannot have such machines, or hetmp has no plugin for RDMA).
"""
import argparse
import sys
from pathlib import Path

from machine import require  # it finds the modules of tests/common
from cases import Cases
from outcome import SKIPPED, Skip
import between_machines
import devices
import failures
import programs
import unloaded

PLUGIN = "libhetmp_verbs.so"
CASES = Cases()
for module in (unloaded, devices, programs, between_machines, failures):
    for case in module.CASES:
        CASES.add(case)


class Site:
    def __init__(self, build, rounds, names):
        self.build, self.rounds, self.programs = build, rounds, names
        self.plugin = build / "lib" / PLUGIN
        if not self.plugin.exists():
            raise Skip(f"hetmp has been built without {PLUGIN}")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--build", type=Path, help="the build folder")
    arguments.add_argument("--case", choices=CASES, help="one of --list (default: all)")
    arguments.add_argument("--times", type=int, default=1)
    arguments.add_argument("--first", type=int, default=1)
    arguments.add_argument("--program", action="append", choices=programs.NAMES, help="one of those that are run (default: all)")
    arguments.add_argument("--list", action="store_true", help="the cases")
    given = arguments.parse_args()
    if given.list:
        print("\n".join(CASES))
        return 0
    if not given.build:
        arguments.error("--build is missing")
    try:
        site = Site(given.build.resolve(), range(given.first, given.first + given.times), given.program)
        if given.case != "nothing_is_loaded_without_it":
            require()
        return 1 if CASES.run([given.case] if given.case else CASES, site) else 0
    except Skip as reason:
        print(f"skipped: {reason}")
        return SKIPPED


if __name__ == "__main__":
    sys.exit(main())
