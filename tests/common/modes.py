"""The ways in which a program is run: on which nodes, with which variables."""
import os
import re
import subprocess

from outcome import Failure, Skip

MODES = {  # the value of HETMP_NODES
    "one": None,
    "cores2": "cores:0;1",
    "proc2": "proc:2",
    "proc4": "proc:4",
    "tcp2": "proc:2",
    "home2": "proc:2",   # regions stay on the origin
    "drawn2": "proc:2",  # each region is on the origin, on both nodes or on the other one, by a seed
    "lent2": "proc:2",   # regions are on the other node
}
PLACEMENT = {"home2": "origin", "drawn2": "random:1", "lent2": "lent"}  # elsewhere nothing hides by staying on the origin


def check_machine(mode, build):
    if mode == "cores2" and not {0, 1} <= os.sched_getaffinity(0):
        raise Skip("needs CPUs 0 and 1")
    if (MODES.get(mode) or mode).startswith("proc"):
        tool = build / "bin" / "hetmp"
        if tool.exists():
            facts = subprocess.run([tool, "info"], capture_output=True, text=True).stdout
            if re.search(r"^node processes +not possible", facts, re.M):
                raise Skip("this machine does not allow node processes; see hetmp info")


def environment_for(mode, settings, build, stock):
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith(("OMP_", "KMP_", "HETMP_", "LD_"))}
    environment["OMP_NUM_THREADS"] = "4"
    environment["HETMP_PLACEMENT"] = PLACEMENT.get(mode, "all")
    environment["HETMP_PROFILE"] = "none"  # what this machine's user has measured shall not decide
    environment["HETMP_KNOWLEDGE"] = "none"  # nor what earlier runs have learned
    if not stock:
        library = build / "lib" / "libhetmp.so"
        if not library.exists():
            raise Failure(f"{library} is not built")
        environment["LD_PRELOAD"] = str(library)
        environment["CONFORMANCE_RUNTIME"] = str(library)
        if MODES[mode]:
            environment["HETMP_NODES"] = MODES[mode]
        if mode.startswith("tcp"):
            environment["HETMP_TRANSPORT"] = "tcp"
    environment.update(settings)
    return environment
