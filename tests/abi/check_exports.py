#!/usr/bin/env python3
"""Compares the dynamic symbols a library defines, with their versions, to the committed list."""
import argparse
import subprocess
import sys


def listed(path):
    """{name: (default version or None, {other versions})}"""
    symbols = {}
    for line in open(path):
        fields = line.split("#")[0].split()
        if fields:
            symbols[fields[0]] = (None if fields[1] == "-" else fields[1], set(fields[2:]))
    return symbols


def exported(nm, library):
    out = subprocess.run([nm, "-D", "--defined-only", "--with-symbol-versions", library],
                         check=True, capture_output=True, text=True).stdout
    default, others, nodes = {}, {}, set()
    for line in out.splitlines():
        _, kind, symbol = line.split()
        if kind == "A":
            nodes.add(symbol)
        elif "@@" in symbol:
            name, version = symbol.split("@@")
            default[name] = version
        else:
            name, _, version = symbol.partition("@")
            others.setdefault(name, set()).add(version)
    names = set(default) | set(others)
    return {name: (default.get(name), others.get(name, set())) for name in names}, nodes


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nm", default="nm")
    parser.add_argument("library")
    parser.add_argument("list")
    arguments = parser.parse_args()

    want = listed(arguments.list)
    have, nodes = exported(arguments.nm, arguments.library)
    problems = [f"missing: {name}" for name in sorted(set(want) - set(have))]
    problems += [f"not in the list: {name}" for name in sorted(set(have) - set(want))]
    for name in sorted(set(want) & set(have)):
        if want[name] != have[name]:
            problems.append(f"versions of {name}: {have[name]}, listed {want[name]}")
    used = {version for default, others in want.values() for version in {default} - {None} | others}
    problems += [f"version node missing: {node}" for node in sorted(used - nodes)]

    print("\n".join(problems[:50]))
    print(f"{len(want)} symbols listed, {len(have)} exported, {len(problems)} problems")
    return 1 if problems or not want else 0


if __name__ == "__main__":
    sys.exit(main())
