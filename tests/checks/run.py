#!/usr/bin/env python3
"""Whether the checks of scripts/checks find what they are for, in a small tree made for each case.

    run.py --build BUILD [--case NAME] [--list]

Exit codes: 0 passed, 1 failed, 77 skipped (a tool is not installed).
"""
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
CHECKS = HERE.parents[1] / "scripts" / "checks"
sys.path.insert(0, str(HERE.parent / "common"))
import cases  # noqa: E402
from outcome import Failure, Skip  # noqa: E402

CASES = cases.Cases()
LADDER = """# A map
```rooms
base            -- the ground
schedulers      -- above it
dsm             -- a contract
dsm/space       -- behind it
runtime/team    -- teams
never: runtime -> dsm/space
```
"""
FILES = {
    "docs/architecture.md": LADDER,
    "base/message.hpp": "#pragma once\n",
    "schedulers/policy.hpp": '#include "base/message.hpp"\n',
    "dsm/fabric.hpp": '#include "base/message.hpp"\n#include <vector>\n',
    "dsm/space/heap.hpp": '#include "dsm/fabric.hpp"\n',
    "runtime/team/team.hpp": '#include "schedulers/policy.hpp"\n#include "dsm/fabric.hpp"\n',
    "runtime/team/team.cpp": '#include "team.hpp"\n',
}


def said_of(changes, check="rooms.py"):
    """What the check prints of that tree with these changes, and its exit code."""
    with tempfile.TemporaryDirectory(prefix="hetmp-rooms-") as folder:
        for name, text in {**FILES, **changes}.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        done = subprocess.run([sys.executable, str(CHECKS / check), "--tree", folder], capture_output=True, text=True, timeout=60, check=False)
        return done.stdout + done.stderr, done.returncode


def must_find(changes, words, check="rooms.py"):
    said, code = said_of(changes, check)
    if code != 1 or words not in said:
        raise Failure(f"exit code {code}, said {said!r}, not {words!r}")


@CASES.add
def a_tree_that_keeps_to_the_ladder(_):
    said, code = said_of({})
    if code != 0:
        raise Failure(f"exit code {code}, said {said!r}")


@CASES.add
def a_climb_is_found(_):
    must_find({"base/message.hpp": '#pragma once\n\n#include "runtime/team/team.hpp"\n'},
              "base/message.hpp:3: base may not include from runtime/team, which is higher")
    must_find({"schedulers/policy.hpp": '#  include "../dsm/fabric.hpp"\n'}, "schedulers may not include from dsm, which is higher")


@CASES.add
def a_forbidden_room_is_found(_):
    must_find({"runtime/team/team.hpp": '#include "dsm/space/heap.hpp"\n'}, "runtime/team may never include from dsm/space")


@CASES.add
def rooms_and_the_list_agree(_):
    must_find({"base/deep/thing.hpp": ""}, "base/deep: not in the ladder")
    must_find({"docs/architecture.md": LADDER.replace("runtime/team ", "runtime/loops ")}, "the room runtime/loops has no source file")


@CASES.add
def full_rooms_and_long_files_are_found(_):
    must_find({f"base/part{i}.cpp": "" for i in range(30)}, "base: 31 source files")
    must_find({"base/message.hpp": "\n" * 400}, "base/message.hpp: 400 lines")


HEADERS = {name: "#pragma once\n" for name in ("runtime/team/thread.hpp", "runtime/team/node_team.hpp", "dsm/engine/service_thread.hpp")}


@CASES.add
def headers_that_few_files_reach(_):
    users = {f"runtime/team/user{i}.cpp": '#include "runtime/team/thread.hpp"\n' for i in range(35)}
    said, code = said_of({**HEADERS, **users}, "reach.py")
    if code != 0 or "thread.hpp: reached by 35 .cpp files" not in said:
        raise Failure(f"exit code {code}, said {said!r}")


@CASES.add
def a_header_that_too_many_files_reach_is_found(_):
    users = {f"runtime/team/user{i}.cpp": '#include "team.hpp"\n' for i in range(25)}  # beside team.cpp, by a header between
    must_find({**HEADERS, **users, "runtime/team/team.hpp": '#include "node_team.hpp"\n'}, "node_team.hpp: reached by 26 .cpp files", "reach.py")
    without = {name: text for name, text in HEADERS.items() if "service" not in name}
    must_find(without, "dsm/engine/service_thread.hpp: not there", "reach.py")


STATE = """# State
```state
runtime/team/team.cpp: count, find::said -- the team
```
```exported
runtime/team/team.cpp: kmp_told -- whoever has one of its own
```
"""
TEAM = """extern "C" __attribute__((visibility("default"))) int kmp_told;
int kmp_told;
namespace hetmp::runtime {
namespace { int count; }
const int constant = 1;
const char* const words[] = {"a"};
int find() { static bool said = false; said = true; return ++count + constant + *words[0]; }
}
"""


def globals_said(team, state=STATE, limits=("--most", "2", "--most-at-namespace-scope", "1"), beside=None):
    """What globals.py says of a tree with one file, compiled as CMake would; or with two, the other of this text, compiled together."""
    with tempfile.TemporaryDirectory(prefix="hetmp-globals-") as folder:
        tree = Path(folder)
        objects = tree / "build" / "runtime" / "CMakeFiles" / "hetmp.dir" / "team"
        for path in (objects, tree / "runtime" / "team", tree / "docs" / "design"):
            path.mkdir(parents=True)
        (tree / "runtime" / "team" / "team.cpp").write_text(team)
        (tree / "docs" / "design" / "state.md").write_text(state)
        source, compiled = tree / "runtime" / "team" / "team.cpp", objects / "team.cpp.o"
        if beside:
            (tree / "runtime" / "team" / "crew.cpp").write_text(beside)
            source, compiled = (objects.parent / "Unity" / name for name in ("unity_0_cxx.cxx", "unity_0_cxx.cxx.o"))
            source.parent.mkdir()
            source.write_text("".join(f'#include "{tree}/runtime/team/{name}.cpp"\n' for name in ("crew", "team")))
        subprocess.run(["c++", "-c", "-fPIC", "-fvisibility=hidden", "-o", compiled, source], check=True, timeout=60)
        done = subprocess.run([sys.executable, str(CHECKS / "globals.py"), "--tree", folder, "--build", tree / "build", *limits],
                              capture_output=True, text=True, timeout=60, check=False)
        return done.stdout + done.stderr, done.returncode


@CASES.add
def variables_that_have_an_owner(_):
    said, code = globals_said(TEAM)
    if code != 0 or "2 mutable variables outlive their functions, 1 of them at namespace scope; besides, 1 are exported" not in said:
        raise Failure(f"exit code {code}, said {said!r}")


@CASES.add
def variables_of_files_compiled_together_have_their_own_files(_):
    crew = "namespace hetmp::runtime { int find(); int hetmp_use() { return find(); } }\n"
    said, code = globals_said(TEAM, beside=crew)
    if code != 0 or "2 mutable variables outlive their functions" not in said:
        raise Failure(f"exit code {code}, said {said!r}")
    said, code = globals_said(TEAM, beside=crew + "thread_local int mine = 7;\nint hetmp_other() { return mine++; }\n")
    if code != 1 or "runtime/team/crew.cpp: mine outlives its function" not in said:
        raise Failure(f"exit code {code}, said {said!r}")


@CASES.add
def variables_without_an_owner_are_found(_):
    said, code = globals_said(TEAM + "thread_local int mine = 7;\nint hetmp_use() { return mine++; }\n")
    if code != 1 or "runtime/team/team.cpp: mine outlives its function" not in said or "more than 2" not in said:
        raise Failure(f"exit code {code}, said {said!r}")
    said, code = globals_said(TEAM, STATE.replace("count,", "count, gone,"))
    if code != 1 or "gone is not in runtime/team/team.cpp" not in said:
        raise Failure(f"exit code {code}, said {said!r}")
    for limits, words in ((("--most", "1"), "globals: more than 1\n"), (("--most-at-namespace-scope", "0"), "globals: more than 0 at namespace scope\n")):
        said, code = globals_said(TEAM, limits=limits)
        if code != 1 or words not in said:
            raise Failure(f"exit code {code}, said {said!r}")


@CASES.add
def variables_that_are_not_for_others_are_found(_):
    said, code = globals_said(TEAM.replace(' __attribute__((visibility("default")))', ""))
    if code != 1 or "kmp_told is listed as exported and is not" not in said:
        raise Failure(f"exit code {code}, said {said!r}")
    said, code = globals_said(TEAM.replace("int kmp_told;\nnamespace", "namespace") + "int hetmp_use() { return kmp_told; }\n")
    if code != 1 or "kmp_told is listed as there for others, and the product refers to it" not in said:
        raise Failure(f"exit code {code}, said {said!r}")


DOCUMENTS = {
    "README.md": "# Read [the map](docs/architecture.md#a-map).\n\n    build/bin/x dsm/fabric.hpp\n\n`base/message`, `schedulers/{policy,policy}.hpp`, `team.cpp`\n",
    "docs/story.md": "| hop | file | function |\n| --- | --- | --- |\n| 1 | `base/message.hpp` | `say` | it says |\n",
    "base/message.hpp": "void say();\n",
}


@CASES.add
def documents_that_name_what_is_there(_):
    said, code = said_of(DOCUMENTS, "doc_links.py")
    if code != 0:
        raise Failure(f"exit code {code}, said {said!r}")


@CASES.add
def documents_that_name_what_is_gone_are_found(_):
    def must_refuse(line, words):
        must_find({**DOCUMENTS, "docs/limits.md": line}, words, "doc_links.py")

    must_refuse("See [there](../dsm/gone.md).\n", "docs/limits.md:1: the link ../dsm/gone.md leads nowhere")
    must_refuse("See [there](architecture.md#a-house).\n", "leads to no heading")
    must_refuse("In `runtime/team/teem`.\n", "`runtime/team/teem` is not in the tree")
    must_refuse("In `dsm/space/{heap,stack}.hpp`.\n", "is not in the tree")
    must_refuse("In `teem.cpp`.\n", "`teem.cpp` is not in the tree")
    must_refuse("\n    cat dsm/gone.hpp\n", "docs/limits.md:2: `dsm/gone.hpp` is not in the tree")
    must_refuse("| 7 | `base/message.hpp` | `shout` | |\n", "`shout` is not in base/message.hpp")


def tidied(files):
    """What scripts/tidy says of these files of one library, and its exit code."""
    with tempfile.TemporaryDirectory(prefix="hetmp-tidy-") as folder:
        tree = Path(folder).resolve() / "runtime"
        tree.mkdir()
        for name, text in files.items():
            (tree / name).write_text(text)
        (tree.parent / "compile_commands.json").write_text(json.dumps(
            [{"directory": folder, "command": f"c++ -std=c++20 -o runtime.dir/{name}.o -c {tree / name}", "file": str(tree / name)}
             for name in files]))
        done = subprocess.run([str(CHECKS.parent / "tidy"), "--build", folder, "--tree", folder], capture_output=True, text=True, timeout=120,
                              check=False)
        return done.stdout + done.stderr, done.returncode


@CASES.add
def what_clang_tidy_looks_for_is_found(_):
    if not shutil.which("clang-tidy-14"):
        raise Skip("clang-tidy-14 is not installed")
    alike = "namespace { int own() { return 1; } }\n"
    sound = {f"{name}.cpp": f"{alike}int {name}() {{ return own(); }}\n" for name in ("one", "two")} # which do not go together
    said, code = tidied(sound)
    if code != 0 or "2 files" not in said:
        raise Failure(f"exit code {code}, said {said!r}")
    for planted, words in (("bool alike(int a) { return a == 1 || a == 1; }\n", "three.cpp:1:35: error: .*misc-redundant-expression"),
                           ("int wrong() { return nothing; }\n", "three.cpp:1:22: error: use of undeclared identifier 'nothing'")):
        said, code = tidied({**sound, "three.cpp": planted})
        if code != 1 or not re.search(words, said):
            raise Failure(f"exit code {code}, said {said!r}, not {words!r}")


if __name__ == "__main__":
    sys.exit(cases.main(__doc__, CASES, lambda build: build))
