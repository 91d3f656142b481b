#!/usr/bin/env python3
"""Counts the product's mutable variables that outlive a function, from the symbols of its object files.

    globals.py [--build BUILD] [--tree FOLDER] [--most N]

What is counted: every object of the product's own in .data, .bss, .tdata or .tbss, whether at namespace scope, in a class or in a function.
What the loader makes constant again (.data.rel.ro) and what libraries in headers bring is not. docs/design/state.md lists all of them with
their owners, in a block that begins with "```state", a line each: `file: name, name -- what for`; a variable of a function is
`function::name`. Where nothing has been built there is nothing to count.
Exit codes: 0 all are listed, and there are at most N; 1 not so (a line for each).
"""
import argparse
import re
import subprocess
import sys
from pathlib import Path

PRODUCT = ("base", "schedulers", "perf", "dsm", "runtime")
MOST = 147  # of a build with all plugins; never raised: what is new finds an owner whose member it is
OBJECT_FILE = re.compile(r"^(\S+\.o):\s+file format")
SYMBOL = re.compile(r"^[0-9a-f]{8,16} (?P<flags>.{7}) (?P<section>\S+)\t(?P<size>[0-9a-f]{8,16})\s+(?:\.(?:hidden|protected|internal) )?(?P<name>.*)$")
MUTABLE = re.compile(r"^\.(data|bss|tdata|tbss)(?!\.rel\.ro)(\..*)?$")
OTHERS = re.compile(r"^(std|CLI|nlohmann|guard variable|DW\.ref|__gnu)")


def without_arguments(name):
    """Of a demangled name: what is in parentheses and angle brackets goes, but functions keep a `()`."""
    plain, depth = "", 0
    for letter in name.replace("(anonymous namespace)::", ""):
        if letter in "(<":
            plain += "()" if letter == "(" and depth == 0 else ""
            depth += 1
        elif letter in ")>":
            depth -= 1
        elif depth == 0:
            plain += letter
    return re.sub(r"\[abi:\w+\]| const\b", "", plain)


def short_name(name):
    """As the document has it: `name`, or `function::name`. A function of C has no arguments in a symbol."""
    parts = without_arguments(name).split("::")
    in_function = len(parts) > 1 and (parts[-2].endswith("()") or (len(parts) == 2 and parts[0] != "hetmp"))
    return (parts[-2].removesuffix("()") + "::" if in_function else "") + parts[-1]


def source_of(build, object_file):
    """The file it was compiled from, as the tree has it: what CMake makes of paths, undone."""
    path = re.sub(r"CMakeFiles/[^/]+\.dir/", "", str(Path(object_file).relative_to(build))).removesuffix(".o")
    return re.sub(r"[^/]+/__/", "", path)


def variables(build):
    """(file, name) of each. What several files may define, inline, counts once: by the first of them."""
    objects = sorted(str(path) for folder in PRODUCT for path in (build / folder).rglob("*.cpp.o"))
    found, shared, source = set(), set(), ""
    if not objects:
        return found
    table = subprocess.run(["objdump", "--syms", "--demangle", *objects], capture_output=True, text=True, check=True).stdout
    for line in table.splitlines():
        if begins := OBJECT_FILE.match(line):
            source = source_of(build, begins[1])
            continue
        symbol = SYMBOL.match(line)
        if not symbol or "d" in symbol["flags"] or int(symbol["size"], 16) == 0 or not MUTABLE.match(symbol["section"]) or OTHERS.match(symbol["name"]):
            continue
        is_local = symbol["flags"][0] == "l"
        if not is_local and symbol["name"] in shared:
            continue
        if not is_local:
            shared.add(symbol["name"])
        found.add((source, short_name(symbol["name"])))
    return found


def listed(tree):
    """(file, name) of each in the document."""
    text = (tree / "docs" / "design" / "state.md").read_text()
    block = re.search(r"^```state\n(.*?)^```", text, re.M | re.S)
    if not block:
        raise SystemExit("globals: docs/design/state.md has no block that begins with ```state")
    rows = [line.partition(" -- ")[0] for line in block[1].splitlines() if line.strip()]
    return {(file.strip(), name.strip()) for file, _, names in (row.partition(":") for row in rows) for name in names.split(",")}


def problems(tree, found):
    """What is not listed where it is (an inline variable: anywhere), and what is listed and not in the sources."""
    rows = listed(tree)
    names = {name for file, name in rows if file.endswith(".hpp")}
    for file, name in sorted(found - rows):
        if name not in names:
            yield f"{file}: {name} outlives its function and is not listed in docs/design/state.md"
    for file, name in sorted(rows):
        path = tree / file
        if not path.is_file() or not re.search(rf"\b{re.escape(name.rpartition('::')[2])}\b", path.read_text()):
            yield f"docs/design/state.md: {name} is not in {file}"


def main():
    here = Path(__file__).resolve().parents[2]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tree", type=Path, default=here)
    parser.add_argument("--build", type=Path, default=here / "build" / "release")
    parser.add_argument("--most", type=int, default=MOST, help="default: %(default)s")
    options = parser.parse_args()
    found = variables(options.build.resolve())
    wrong = list(problems(options.tree.resolve(), found))
    if len(found) > options.most:
        wrong.append(f"globals: more than {options.most}")
    print("\n".join(wrong + [f"{len(found)} mutable variables outlive their functions, {sum('::' not in name for _, name in found)} of them at namespace scope"]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
