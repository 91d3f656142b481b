"""The lists of a foreign suite's tests that hetmp does not pass, or that are not run, with the reasons.

expected-failures and not-run are about every run; the same names with a configuration's at the end, as in expected-failures.gcc,
add to them. A line is TEST: REASON, or for what is not run FOLDER/: REASON.
"""


class Malformed(Exception):
    """A list that is not as it should be."""


def _read(file, exists, complete):
    names = []
    for number, line in enumerate(file.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        name, _, reason = line.partition(": ")
        if not reason.strip():
            raise Malformed(f"{file}:{number}: '{line}' is not 'TEST: REASON'")
        names.append(name)
    absent = [name for name in names if not exists(name)]
    if absent and complete:
        raise Malformed(f"{file}: the suite has no {', '.join(absent)}")
    return [name for name in names if name not in absent]


def read(folder, kind, configurations, exists, complete=True):
    """{name of a test: the file that lists it}; `kind` is "expected-failures" or "not-run". `exists` tells a name of the suite;
    names that it has not are an error if the suite is the one that the lists are about (`complete`), and left out otherwise."""
    found = {}
    for end in ["", *("." + configuration for configuration in configurations)]:
        file = folder / (kind + end)
        if file.exists():
            found |= {name: file.name for name in _read(file, exists, complete)}
    return found
