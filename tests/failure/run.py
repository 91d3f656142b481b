#!/usr/bin/env python3
"""Failures a user meets: a node that dies, Ctrl-C, malformed variables, exits from anywhere, a shell in between.

    run.py --build BUILD [--case NAME] [--list]

Exit codes: 0 passed, 1 failed, 77 skipped (the machine does not allow node processes).
"""
import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "conformance"))
import run as conformance  # noqa: E402  (its toolchain, its environment, its process groups)

SECONDS = 30      # for what should take one
PATIENCE = 2.0    # within which the program must have ended after a node is lost
SUM = "11994\n"
CASES = {}


def case(function):
    CASES[function.__name__] = function
    return function


def check(condition, message):
    if not condition:
        raise conformance.Failure(message)


class Site:
    """The program, as built, and how to start it."""

    def __init__(self, build):
        self.build = build
        compiler = next(name for name in conformance.COMPILERS if conformance.shutil.which(name))
        self.program = str(conformance.compile_program(HERE / "program.c", compiler, build))

    def environment(self, mode="proc2", **settings):
        return conformance.environment_for(mode, settings, self.build, stock=False)

    def run(self, *arguments, mode="proc2", before=(), **settings):
        """(exit code, stdout, stderr)"""
        code, out, err = conformance.run_limited([*before, self.program, *arguments],
                                                 self.environment(mode, **settings), SECONDS)
        check(code is not None, f"still running after {SECONDS} s; standard error: {err!r}")
        return code, out, err

    def start_spinning(self, shell_script=None):
        command = [self.program, "spin", str(SECONDS)]
        process = subprocess.Popen(["sh", "-c", shell_script, "sh", *command] if shell_script else command,
                                   env=self.environment(), text=True, start_new_session=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                                   # A background job starts with the interrupt ignored, and children inherit that.
                                   preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        check(process.stdout.readline() == "ready\n", "the program did not come to its region")
        return process


def children(pid):
    """{pid: name} of the processes below `pid`, from /proc."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                stat = (entry / "stat").read_text()
            except OSError:
                continue  # ended meanwhile
            name, fields = stat[stat.index("(") + 1:stat.rindex(")")], stat[stat.rindex(")") + 2:].split()
            if int(fields[1]) == pid and fields[0] != "Z":
                found[int(entry.name)] = name
    return found


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def wait_until_gone(pids, seconds):
    end = time.monotonic() + seconds
    while any(alive(pid) for pid in pids):
        check(time.monotonic() < end, f"processes still alive: {[pid for pid in pids if alive(pid)]}")
        time.sleep(0.01)


def finish(process):
    """(exit code, stderr) of a process that should end by itself; whatever happens, nothing of its group stays."""
    try:
        _, err = process.communicate(timeout=SECONDS)
        return process.returncode, err
    except subprocess.TimeoutExpired:
        raise conformance.Failure(f"still running after {SECONDS} s") from None
    finally:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def complaints(err):
    return [line for line in err.splitlines() if line.startswith("hetmp: ")]


@case
def node_processes_are_named(site):
    process = site.start_spinning()
    names = sorted(children(process.pid).values())
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    check(names == ["hetmp-node-1"], f"the children are {names}")


@case
def killed_node_ends_the_program(site):
    process = site.start_spinning()
    nodes = children(process.pid)
    try:
        check(len(nodes) == 1, f"expected one node process, found {nodes}")
        os.kill(next(iter(nodes)), signal.SIGKILL)
        begin = time.monotonic()
        process.wait(timeout=SECONDS)
        took = time.monotonic() - begin
    finally:
        code, err = finish(process)
    check(code != 0, "exit code 0 although a node was lost")
    check(took < PATIENCE, f"the program ended {took:.1f} s after its node")
    lines = complaints(err)
    check(len(lines) == 1 and re.search(r"\bnode 1\b", lines[0]), f"expected one line that names node 1: {err!r}")
    wait_until_gone(nodes, PATIENCE)


@case
def killed_origin_ends_the_nodes(site):
    process = site.start_spinning()
    nodes = children(process.pid)
    process.kill()
    process.wait()
    try:
        wait_until_gone(nodes, PATIENCE)
    finally:
        finish(process)


@case
def interrupt_ends_everything(site):
    process = site.start_spinning()
    nodes = children(process.pid)
    os.killpg(process.pid, signal.SIGINT)  # what a terminal does on Ctrl-C
    code, err = finish(process)
    check(code == -signal.SIGINT, f"ended with {code}, not by the interrupt")
    check(err == "", f"words on standard error: {err!r}")
    wait_until_gone(nodes, PATIENCE)


def check_complaint(site, variable, value, mode, **settings):
    code, out, err = site.run("sum", mode=mode, **{variable: value}, **settings)
    check(code == 0 and out == SUM, f"{variable}={value}: exit code {code}, output {out!r}")
    lines = err.splitlines()
    form = rf"hetmp: {variable}={re.escape(value)}: .+; using .+"
    check(len(lines) == 1 and re.fullmatch(form, lines[0]), f"{variable}={value}: expected one complaint, not {err!r}")


@case
def malformed_variables(site):
    for variable, values in {
        "HETMP_NODES": ["proc", "proc:0", "proc:65", "proc:x", "cores:", "cores:0;x", "hosts:a", "-1"],
        "OMP_SCHEDULE": ["statik", "static,0", "dynamic,x", "hetprobe,0", "hetprobe,101", "hetprobe-i,-1", "hetprobe-j"],
        "HETMP_SCHEDULE": ["statik", "hetprobe-i,0"],
        "HETMP_CSR": ["x", "0,0", "-1,2", "1,", "nan,1"],
        "HETMP_DECISION": ["guess"],
        "HETMP_LOOPS": ["most"],
        "HETMP_MISS_THRESHOLD": ["few", "-1"],
        "HETMP_NODE_SCHEDULE": ["hetprobe", "dynamic,0"],
        "HETMP_PROBES": ["0", "1.5"],
        "OMP_HET_PTG": ["101", "-1", "x"],
        "HETMP_FAULT_PERIOD_US": ["x", "-5", "1e"],
    }.items():
        for value in values:
            check_complaint(site, variable, value, "one")


@case
def malformed_variables_on_nodes(site):
    """One line from the program, not one from each of its processes."""
    check_complaint(site, "OMP_SCHEDULE", "statik", "proc2")
    check_complaint(site, "HETMP_FAULT_PERIOD_US", "soon", "proc2")
    check_complaint(site, "HETMP_CSR", "fast", "proc2")
    check_complaint(site, "HETMP_COUNTERS", "NO_SUCH_EVENT", "proc2", OMP_SCHEDULE="hetprobe")


@case
def exit_codes(site):
    for mode in ("one", "proc2", "proc4"):
        for how in ("return", "exit", "exit-in-region"):
            for number in (0, 1, 42, 255):
                code, _, err = site.run(how, str(number), mode=mode)
                check(code == number and err == "", f"mode {mode}, {how} {number}: exit code {code}, said {err!r}")


@case
def fault_on_another_node(site):
    """The program ends as a crashed one does: not successfully, and not by hanging."""
    for mode in ("one", "proc2"):
        code, _, _ = site.run("segv", mode=mode)
        check(code in (-signal.SIGSEGV, 128 + signal.SIGSEGV), f"mode {mode}: exit code {code}")


@case
def no_process_stays_behind(site):
    process = subprocess.Popen([site.program, "sum"], env=site.environment("proc4"), start_new_session=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    group = process.pid
    out, _ = process.communicate(timeout=SECONDS)
    check(process.returncode == 0 and out == SUM, f"exit code {process.returncode}, output {out!r}")
    end = time.monotonic() + PATIENCE
    while True:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return
        check(time.monotonic() < end, "processes of the program's group are still there")
        time.sleep(0.01)


@case
def shell_in_between(site):
    """A preloaded shell is an ordinary shell, with no nodes and no words; the program below it has its nodes."""
    code, out, err = conformance.run_limited(["sh", "-c", '"$@"; exit 3', "sh", site.program, "sum"],
                                             site.environment(), SECONDS)
    check(code == 3 and out == SUM and err == "", f"exit code {code}, output {out!r}, said {err!r}")
    shell = site.start_spinning(shell_script='"$@"; exit 3')
    try:
        below = children(shell.pid)
        check(len(below) == 1 and "hetmp" not in "".join(below.values()), f"below the shell: {below}")
        nodes = children(next(iter(below)))
        check(list(nodes.values()) == ["hetmp-node-1"], f"below the program: {nodes}")
        maps = Path(f"/proc/{shell.pid}/maps").read_text()
        check("libhetmp_dsm" not in maps, "the shell carries the DSM")
    finally:
        os.killpg(shell.pid, signal.SIGKILL)
        shell.communicate()


@case
def programs_it_starts_are_left_alone(site):
    """What a program on several nodes executes inherits the user's environment, not what started the nodes."""
    wanted = site.environment()
    code, out, err = site.run("system", "cat /proc/self/environ | tr '\\0' '\\n'; ls")
    check(code == 0 and err == "", f"exit code {code}, said {err!r}")
    seen = dict(line.split("=", 1) for line in out.splitlines() if "=" in line)
    for name in ("LD_PRELOAD", "HETMP_NODES", "GLIBC_TUNABLES", "HETMP_DSM_PLAN", "HETMP_LAUNCH"):
        check(seen.get(name) == wanted.get(name), f"{name} is {seen.get(name)!r}, not {wanted.get(name)!r}")


@case
def tool_runs_a_program_on_nodes(site):
    tool = str(site.build / "bin" / "hetmp")
    environment = {name: value for name, value in site.environment("one").items() if name != "LD_PRELOAD"}
    code, out, err = conformance.run_limited([tool, "run", "--nodes", "2", site.program, "sum"], environment, SECONDS)
    check(code == 0 and out == SUM and err == "", f"exit code {code}, output {out!r}, said {err!r}")
    for arguments, expected in ((["--nodes", "0"], 2), (["--nodes", "65"], 2), (["--nodes", "x"], 2),
                                (["--schedule", "statik"], 2), (["--nodes", "2", "--", "/nonexistent/program"], 127)):
        code, out, err = conformance.run_limited([tool, "run", *arguments, site.program], environment, SECONDS)
        check(code == expected and out == "" and len(complaints(err)) == len(err.splitlines()) == 1,
              f"{arguments}: exit code {code}, output {out!r}, said {err!r}")


PROFILE = {"format": "hetmp-profile", "version": 1, "entries": [
    {"interconnect": "shared-memory", "from": 0, "to": 1, "threshold_us": 77.5, "fault_us": 60, "machine": "m",
     "date": "2025-01-31T12:00:00Z", "points": []}]}


@case
def unusable_profiles(site):
    """One line that names the file, from a program on several nodes; nothing from others."""
    with tempfile.TemporaryDirectory(prefix="hetmp-failure-") as folder:
        profile = Path(folder) / "profile.json"
        newer = json.dumps(PROFILE | {"version": 2})
        absurd = json.dumps(PROFILE).replace("77.5", "-1")
        for text in ("", "{", json.dumps(PROFILE)[:-9], "[]", newer, absurd, json.dumps(PROFILE) + " " * (1 << 20)):
            profile.write_text(text)
            code, out, err = site.run("sum", HETMP_PROFILE=str(profile))
            check(code == 0 and out == SUM, f"{text[:40]!r}: exit code {code}, output {out!r}")
            form = rf"hetmp: profile {re.escape(str(profile))} .+; using a threshold of 100 us"
            check(len(err.splitlines()) == 1 and re.fullmatch(form, err.strip()), f"{text[:40]!r}: said {err!r}")
            code, out, err = site.run("sum", mode="one", HETMP_PROFILE=str(profile))
            check(code == 0 and out == SUM and err == "", f"one node: exit code {code}, output {out!r}, said {err!r}")
        profile.write_text(json.dumps(PROFILE))
        code, out, err = site.run("sum", HETMP_PROFILE=str(profile))
        check(code == 0 and out == SUM and err == "", f"a good profile: exit code {code}, output {out!r}, said {err!r}")


def run_tool(site, *arguments, seconds=SECONDS, **settings):
    environment = {name: value for name, value in site.environment("one").items() if name != "LD_PRELOAD"} | settings
    return conformance.run_limited([str(site.build / "bin" / "hetmp"), *arguments], environment, seconds)


def calibrate_quickly(site, *arguments, **settings):
    """Whether two nodes gain depends on what else runs here: a busy machine gets another try, with other luck."""
    for _ in range(4):
        code, out, err = run_tool(site, "calibrate", "--quick", *arguments, seconds=300, **settings)
        if "never faster" not in err:
            break
    check(code == 0 and err == "", f"exit code {code}, said {err!r}, output {out}")
    return out


@case
def calibration_writes_a_profile(site):
    if len(os.sched_getaffinity(0)) < 2:
        raise conformance.Skip("two nodes gain nothing on one CPU")
    with tempfile.TemporaryDirectory(prefix="hetmp-failure-") as folder:
        profile = Path(folder) / "new" / "profile.json"
        picture = Path(folder) / "picture.svg"
        # What a user has set for programs must not bend the calibration.
        settings = {"HETMP_PROFILE": str(profile), "OMP_NUM_THREADS": "1", "HETMP_REPORT": "1", "OMP_SCHEDULE": "statik"}
        for arguments, drawn in ((["--svg", str(picture)], picture), ([], profile.with_suffix(".svg"))):
            out = calibrate_quickly(site, *arguments, **settings)
            check(f"profile: {profile}\n" in out and f"picture: {drawn}\n" in out, f"output {out}")
            written = json.loads(profile.read_text())
            check(written["format"] == "hetmp-profile" and written["version"] == 1, f"head of the profile: {written}")
            check(len(written["entries"]) == 1, "the same pair is there twice")
            entry = written["entries"][0]
            check((entry["interconnect"], entry["from"], entry["to"]) == ("shared-memory", 0, 1), f"entry {entry}")
            check(entry["threshold_us"] > 0 and entry["fault_us"] > 0 and len(entry["points"]) > 5, f"entry {entry}")
            check(all(point["fault_period_us"] > 0 for point in entry["points"]), "a point without faults")
            check(ElementTree.parse(drawn).getroot().tag.endswith("svg"), "the picture is not SVG")
        code, out, err = run_tool(site, "info", HETMP_PROFILE=str(profile))
        check(code == 0 and f"threshold {entry['threshold_us']:.4g} us" in out, f"hetmp info does not show it: {out}")
        code, out, err = site.run("sum", HETMP_PROFILE=str(profile))
        check(code == 0 and out == SUM and err == "", f"a program: exit code {code}, output {out!r}, said {err!r}")


@case
def calibration_that_cannot_be(site):
    """One line, no measuring, and what is there stays as it is."""
    with tempfile.TemporaryDirectory(prefix="hetmp-failure-") as folder:
        profile = Path(folder) / "profile.json"
        for text, arguments, expected in (("{", [], 1), (json.dumps(PROFILE | {"version": 2}), [], 1),
                                          ("{", ["--transport", "pigeon"], 2), ("{", ["--nodes", "1"], 2)):
            profile.write_text(text)
            code, out, err = run_tool(site, "calibrate", *arguments, HETMP_PROFILE=str(profile))
            check(code == expected and out == "" and len(complaints(err)) == len(err.splitlines()) == 1,
                  f"{arguments}: exit code {code}, output {out!r}, said {err!r}")
            check(profile.read_text() == text, "the profile was changed")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--build", type=Path, help="the build folder")
    arguments.add_argument("--case", choices=CASES)
    arguments.add_argument("--list", action="store_true")
    given = arguments.parse_args()
    if given.list:
        print("\n".join(CASES))
        return 0
    failed = 0
    try:
        conformance.check_machine("proc2", given.build.resolve())
        site = Site(given.build.resolve())
        for name, function in CASES.items():
            if given.case in (None, name):
                try:
                    function(site)
                    print(f"passed: {name}")
                except conformance.Failure as failure:
                    print(f"FAILED: {name}: {failure}")
                    failed += 1
    except conformance.Skip as reason:
        print(f"skipped: {reason}")
        return conformance.SKIPPED
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
