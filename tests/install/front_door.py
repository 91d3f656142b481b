#!/usr/bin/env python3
"""What somebody has who ran scripts/demo and nothing else: the tool with all its parts; and what `hetmp info` says where one is missing.

    front_door.py --build BUILD

What the demo builds is copied out of the build folder, so that nothing else can help. Exit codes: 0 passed, 1 failed, 77 skipped.
"""
import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "common"))
from outcome import SKIPPED, check, exit_with  # noqa: E402
from toolchain import REPOSITORY  # noqa: E402

PLUGINS = {"libhetmp_papi.so": ("hardware counters", "no: "), "libhetmp_seal.so": ("encryption", "not possible: "),
           "libhetmp_verbs.so": ("RDMA", "no: ")}


def call(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=60, check=False)
    check(done.returncode == 0, f"{words}: exit code {done.returncode}, said {done.stderr!r}")
    return done.stdout


def targets_of_demo():
    """Of what scripts/demo builds."""
    line = re.search(r"configure_and_build release ([^>]+)>", (REPOSITORY / "scripts" / "demo").read_text())
    check(line, "scripts/demo builds nothing that this test finds")
    return line[1].split()


def copy_built(build, targets, to):
    """The libraries and programs that belong to the targets, at their places below `to`."""
    files = set()
    for target in targets:  # each is a name for files, which are made of others
        files |= set(call("ninja", "-C", build, "-t", "query", target).partition("outputs:")[0].split())
    files |= set(call("ninja", "-C", build, "-t", "inputs", *targets).split())
    for path in [path for pattern in ("bin/*", "lib/*.so", "libexec/*/*") for path in build.glob(pattern)]:
        if str(path.relative_to(build)) in files:
            target = to / path.relative_to(build)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, target)


def installed_libraries(build, to):
    """The names of hetmp's libraries among what an installation puts below `to`: the build folder has libraries of tests besides."""
    call("cmake", "--install", build, "--prefix", to)
    return {path.name for path in to.rglob("libhetmp*.so")}


def fact(tree, name):
    """What `hetmp info` says of it."""
    found = re.search(rf"^{name} +(.*)$", call(tree / "bin" / "hetmp", "info"), re.M)
    check(found, f"hetmp info says nothing of {name}")
    return found[1]


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--build", type=Path, required=True)
    build = arguments.parse_args().build.resolve()
    if not (build / "build.ninja").exists() or not shutil.which("ninja"):
        print("skipped: only ninja tells what targets consist of")
        return SKIPPED
    with tempfile.TemporaryDirectory(prefix="hetmp-demo-") as folder:
        tree = Path(folder).resolve()
        copy_built(build, targets_of_demo(), tree)
        built = installed_libraries(build, tree / "all")
        check({path.name for path in (tree / "lib").iterdir()} == built, f"the demo builds {list(tree.glob('lib/*'))}, not {built}")
        check((tree / "libexec" / "hetmp" / "hetmp-calibration").exists(), "the demo builds nothing that hetmp calibrate could run")
        for name, (subject, refusal) in PLUGINS.items():
            plugin = tree / "lib" / name
            if name not in built:
                check("hetmp was built without " in fact(tree, subject), f"{subject}: {fact(tree, subject)}")
                continue
            check(str(plugin) not in fact(tree, subject), f"{subject}: {fact(tree, subject)}")
            plugin.unlink()
            check(fact(tree, subject).startswith(f"{refusal}there is no {plugin}, which belongs to this build"),
                  f"without {name}, {subject}: {fact(tree, subject)}")
            plugin.write_text("something else")
            check(fact(tree, subject).startswith(f"{refusal}{plugin} cannot be loaded: "),
                  f"with another {name}, {subject}: {fact(tree, subject)}")
    print("passed")
    return 0


if __name__ == "__main__":
    exit_with(main)
