#!/usr/bin/env python3
"""Failures a user meets: a node that dies, Ctrl-C, malformed variables, exits from anywhere, a shell in between.

    run.py --build BUILD [--case NAME] [--list]

The cases are in the modules imported below, by subject.
Exit codes: 0 passed, 1 failed, 77 skipped (the machine does not allow node processes).
"""
import sys

from programs import CASES, Site  # it finds the modules of tests/common
from cases import main
from modes import check_machine
import calibration  # noqa: F401  (each adds its cases)
import debuggers  # noqa: F401
import ends  # noqa: F401
import false_sharing  # noqa: F401
import hostile_reports  # noqa: F401
import knowledge  # noqa: F401
import links  # noqa: F401
import reports  # noqa: F401
import settings  # noqa: F401
import signals  # noqa: F401
import surroundings  # noqa: F401
import timelines  # noqa: F401


def site_of(build):
    check_machine("proc2", build)
    return Site(build)


if __name__ == "__main__":
    sys.exit(main(__doc__, CASES, site_of))
