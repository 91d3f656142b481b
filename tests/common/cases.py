"""Tests that consist of named cases: functions of what they run on, which raise Failure."""
import argparse
from pathlib import Path

from outcome import SKIPPED, Failure, Skip


class Cases(dict):
    """{name: function}, in the order in which they were added."""

    def add(self, function):
        """For use as a decorator."""
        self[function.__name__] = function
        return function

    def run(self, names, site, prefix=""):
        """How many of these failed."""
        failed = 0
        for name in names:
            try:
                self[name](site)
                print(f"passed: {prefix}{name}", flush=True)
            except Failure as failure:
                print(f"FAILED: {prefix}{name}: {failure}", flush=True)
                failed += 1
        return failed


def main(description, cases, site_of):
    """The exit code of a script that runs what it is asked for, on `site_of(build)`. That may raise Skip."""
    given = parse(description, cases)
    try:
        failed = cases.run([given.case] if given.case else cases, site_of(given.build))
    except Skip as reason:
        print(f"skipped: {reason}")
        return SKIPPED
    return 1 if failed else 0


def parse(description, names):
    """--build, --case and --list; after --list has been obeyed there is nothing left to do."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, help="the build folder")
    parser.add_argument("--case", help="one of --list")
    parser.add_argument("--list", action="store_true", help="the cases")
    given = parser.parse_args()
    if given.list:
        print("\n".join(names))
        parser.exit()
    if not given.build:
        parser.error("--build is missing")
    if given.case and not any(name == given.case or name.startswith(given.case + ".") for name in names):
        parser.error(f"no such case: {given.case}")
    given.build = given.build.resolve()
    return given
