#!/usr/bin/env python3
"""Counts the product's mutable variables that outlive a function, from the symbols of its object files.

    globals.py [--build BUILD] [--tree FOLDER] [--most N] [--most-at-namespace-scope N]

What is counted: every object of the product's own in .data, .bss, .tdata or .tbss, whether at namespace scope, in a class or in a function.
What the loader makes constant again (.data.rel.ro) and what libraries in headers bring is not. docs/design/state.md lists all of them with
their owners, in a block that begins with "```state", a line each: `file: name, name -- what for`; a variable of a function is
`function::name`. A block "```exported" lists objects that are there for others, and are counted by themselves: such a one must be exported,
and no other file of the product may refer to it. Where nothing has been built there is nothing to count.
Exit codes: 0 all are listed, and there are no more than that; 1 not so (a line for each).
"""
import argparse
import re
import subprocess
import sys
from pathlib import Path

PRODUCT = ("base", "schedulers", "perf", "dsm", "runtime")
# Of a build with all plugins; never raised: what is new finds an owner whose member it is.
MOST = 78
MOST_AT_NAMESPACE_SCOPE = 45
OBJECT_FILE = re.compile(r"^(\S+\.o):\s+file format")
SYMBOL = re.compile(r"^[0-9a-f]{8,16} (?P<flags>.{7}) (?P<section>\S+)\t(?P<size>[0-9a-f]{8,16})\s+(?P<private>\.(?:hidden|protected|internal) )?(?P<name>.*)$")
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


class Sources:
    """The files that an object file was compiled from: one, or several together (HETMP_TOGETHER)."""

    def __init__(self, build, tree, object_file):
        self.tree, self.texts = tree, {}
        path = Path(object_file)
        together = path.with_suffix("")
        if together.parent.name == "Unity":
            self.files = [str(Path(file).relative_to(tree)) for file in re.findall(r'^#include "(/\S+)"', together.read_text(), re.M)]
        else:  # what CMake makes of paths, undone
            own = re.sub(r"CMakeFiles/[^/]+\.dir/", "", str(path.relative_to(build))).removesuffix(".o")
            self.files = [re.sub(r"[^/]+/__/", "", own)]

    def of(self, name, rows):
        """The file that has this variable: of several the one that is listed with it, else the first that names it."""
        candidates = [file for file in self.files if (file, name) in rows]
        candidates += [file for file in self.files if len(self.files) == 1 or self._names(file, name.rpartition("::")[2])]
        return (candidates or self.files)[0]

    def _names(self, file, word):
        text = self.texts.setdefault(file, (self.tree / file).read_text())
        return re.search(rf"\b{re.escape(word)}\b", text)


class Variables:
    """What the object files have: (file, name) of each. What several may define, inline, counts once: by the first of them."""

    def __init__(self):
        self.all = set()
        self.exported = set()  # of these, what any other object in a process may refer to
        self.wanted = set()  # names that files of the product refer to and do not define


def variables(build, tree):
    objects = sorted(str(path) for folder in PRODUCT for path in (build / folder).rglob("*.o") if re.search(r"\.(cpp|cxx)\.o$", path.name))
    found, shared, sources = Variables(), set(), None
    if not objects:
        return found
    rows = listed(tree, "state") | listed(tree, "exported")
    table = subprocess.run(["objdump", "--syms", "--demangle", *objects], capture_output=True, text=True, check=True).stdout
    for line in table.splitlines():
        if begins := OBJECT_FILE.match(line):
            sources = Sources(build, tree, begins[1])
            continue
        symbol = SYMBOL.match(line)
        if symbol and symbol["section"] == "*UND*":
            found.wanted.add(short_name(symbol["name"]))
        if not symbol or "d" in symbol["flags"] or int(symbol["size"], 16) == 0 or not MUTABLE.match(symbol["section"]) or OTHERS.match(symbol["name"]):
            continue
        is_local = symbol["flags"][0] == "l"
        if not is_local and symbol["name"] in shared:
            continue
        if not is_local:
            shared.add(symbol["name"])
        name = short_name(symbol["name"])
        variable = (sources.of(name, rows), name)
        found.all.add(variable)
        if not is_local and not symbol["private"]:
            found.exported.add(variable)
    return found


def listed(tree, kind):
    """(file, name) of each in that block of the document."""
    text = (tree / "docs" / "design" / "state.md").read_text()
    block = re.search(rf"^```{kind}\n(.*?)^```", text, re.M | re.S)
    if not block:
        raise SystemExit(f"globals: docs/design/state.md has no block that begins with ```{kind}")
    rows = [line.partition(" -- ")[0] for line in block[1].splitlines() if line.strip()]
    return {(file.strip(), name.strip()) for file, _, names in (row.partition(":") for row in rows) for name in names.split(",")}


def problems(tree, found):
    """What is not listed where it is (an inline variable: anywhere), what is listed and not in the sources, and what is for others and is not."""
    rows, exported = listed(tree, "state"), listed(tree, "exported")
    names = {name for file, name in rows if file.endswith(".hpp")}
    for file, name in sorted(found.all - rows - exported):
        if name not in names:
            yield f"{file}: {name} outlives its function and is not listed in docs/design/state.md"
    for file, name in sorted(exported):
        if (file, name) in found.all - found.exported:
            yield f"{file}: {name} is listed as exported and is not"
        if name in found.wanted:
            yield f"{file}: {name} is listed as there for others, and the product refers to it"
    for file, name in sorted(rows | exported):
        path = tree / file
        if not path.is_file() or not re.search(rf"\b{re.escape(name.rpartition('::')[2])}\b", path.read_text()):
            yield f"docs/design/state.md: {name} is not in {file}"


def main():
    here = Path(__file__).resolve().parents[2]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tree", type=Path, default=here)
    parser.add_argument("--build", type=Path, default=here / "build" / "release")
    parser.add_argument("--most", type=int, default=MOST, help="default: %(default)s")
    parser.add_argument("--most-at-namespace-scope", type=int, default=MOST_AT_NAMESPACE_SCOPE, help="default: %(default)s")
    options = parser.parse_args()
    tree = options.tree.resolve()
    found = variables(options.build.resolve(), tree)
    wrong = list(problems(tree, found))
    for_others = found.all & listed(tree, "exported")
    own = found.all - for_others
    at_namespace_scope = sum("::" not in name for _, name in own)
    if len(own) > options.most:
        wrong.append(f"globals: more than {options.most}")
    if at_namespace_scope > options.most_at_namespace_scope:
        wrong.append(f"globals: more than {options.most_at_namespace_scope} at namespace scope")
    counts = f"{len(own)} mutable variables outlive their functions, {at_namespace_scope} of them at namespace scope"
    print("\n".join(wrong + [f"{counts}; besides, {len(for_others)} are exported for others"]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
