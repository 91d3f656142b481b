"""How a test ends: it passed, it failed with a reason, or it could not be run here."""
import sys

SKIPPED = 77  # the exit code


class Skip(Exception):
    """What this machine does not have."""


class Failure(Exception):
    """What was not as it should be."""


def check(condition, message):
    if not condition:
        raise Failure(message)


def count_failures(run, things):
    """How many of the calls run(thing) failed; says why."""
    failed = 0
    for thing in things:
        try:
            run(thing)
        except Failure as failure:
            print(f"FAILED: {failure}", flush=True)
            failed += 1
    return failed


def exit_with(main):
    """Ends the script by what `main` returns or raises."""
    try:
        sys.exit(main())
    except Skip as reason:
        print(f"skipped: {reason}")
        sys.exit(SKIPPED)
    except Failure as failure:
        print(f"FAILED: {failure}")
        sys.exit(1)
