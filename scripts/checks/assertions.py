#!/usr/bin/env python3
"""Counts run-time assertions (HETMP_CHECK, HETMP_CHECK_COSTLY; base/check.hpp) for 1000 lines of each room.

assertions.py [--least N] [--rooms]   fails if runtime/ and dsm/ together have less than N for 1000 lines
"""
import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHECK = re.compile(r"\bHETMP_CHECK(_COSTLY)?\(")


def counts(folder):
    """Lines and assertions of the sources below it."""
    lines = checks = 0
    for file in folder.rglob("*.[ch]pp"):
        text = file.read_text()
        lines += text.count("\n")
        checks += len(CHECK.findall(text))
    return lines, checks


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--least", type=float, default=8, help="default: %(default)s")
    options.add_argument("--rooms", action="store_true", help="one line for each room, too")
    options = options.parse_args()
    lines = checks = 0
    for top in (ROOT / "runtime", ROOT / "dsm"):
        for room in sorted(path for path in top.iterdir() if path.is_dir()):
            of_lines, of_checks = counts(room)
            lines += of_lines
            checks += of_checks
            if options.rooms:
                print(f"{room.relative_to(ROOT)!s:24} {of_lines:6} lines {of_checks:4} checks {1000 * of_checks / max(of_lines, 1):6.1f}")
    share = 1000 * checks / lines
    print(f"{checks} assertions in {lines} lines of runtime/ and dsm/: {share:.1f} for 1000 lines")
    return share < options.least


if __name__ == "__main__":
    sys.exit(main())
