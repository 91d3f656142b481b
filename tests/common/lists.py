"""The lists of tests that hetmp does not pass, or that are not run, with the reasons.

expected-failures and not-run are about every run; the same names with a configuration's at the end, as in expected-failures.gcc,
add to them. A line is TEST: REASON, or for what is not run FOLDER/: REASON.
"""
from pathlib import Path

HERE = Path(__file__).resolve().parent
LISTED = "19"  # the release whose tests the lists name; other releases have most of them


class Malformed(Exception):
    """A list that is not as it should be."""


def _read(file, tests, version):
    names = []
    for number, line in enumerate(file.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        name, _, reason = line.partition(": ")
        if not reason.strip():
            raise Malformed(f"{file}:{number}: '{line}' is not 'TEST: REASON'")
        names.append(name)
    absent = [name for name in names if not (tests / name).exists()]
    if absent and version == LISTED:
        raise Malformed(f"{file}: LLVM {version} has no {', '.join(absent)}")
    return [name for name in names if name not in absent]


def read(kind, configurations, tests, version):
    """{name of a test: the file that lists it}; `kind` is "expected-failures" or "not-run"."""
    found = {}
    for end in ["", *("." + configuration for configuration in configurations)]:
        file = HERE / (kind + end)
        if file.exists():
            found |= {name: file.name for name in _read(file, tests, version)}
    return found
