#!/usr/bin/env python3
"""Nodes that somebody else's launcher starts: `mpirun -n 2 hetmp run -- program`, and the same by srun and prterun.

    run_by_launchers.py --build BUILD [--case LAUNCHER.NAME] [--list]

srun gets a Slurm of its own (scripts/slurm-on-one-machine). Each launcher is tried on this host and, as root, on two hosts that
are network namespaces (two_hosts.py).
Exit codes: 0 passed, 1 failed, 77 skipped (no such launcher here, or the machine does not allow node processes).
"""
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import launchers
from job import HERE, Site, check_refused, check_run  # it finds the modules of tests/common
from cases import Cases, parse
from modes import check_machine, environment_for
from outcome import SKIPPED, Skip, check
from processes import PATIENCE, SECONDS, check_all_gone, complaints, finish, marked, run_limited
from toolchain import compile_program
from wire import MARKER, MARKER_MINUS_ONE, Wire

SUM = 119995
CASES = Cases()
ON_ONE_HOST = set()  # of the cases: those that make no sense on two
ON_TWO_HOSTS = set()  # and those that make none on one


def on_one_host(function):
    ON_ONE_HOST.add(function.__name__)
    return CASES.add(function)


def on_two_hosts(function):
    ON_TWO_HOSTS.add(function.__name__)
    return CASES.add(function)


def cases_of(launcher):
    others = ON_ONE_HOST if launcher.endswith("-on-two-hosts") else ON_TWO_HOSTS
    return [name for name in CASES if name not in others]


def sums(nodes, times=1):
    return f"nodes {nodes} sum {SUM}\n" * times


@CASES.add
def ranks_are_nodes(site):
    for processes in (2, 3, 4):
        for schedule in ("static", "dynamic", "hetprobe"):
            check_run(site.run(processes, "nodes", OMP_SCHEDULE=schedule), sums(processes))


@CASES.add
def options_reach_the_program(site):
    check_run(site.run(2, "nodes", options=["--schedule", "hetprobe", "--threads", "2", "--loops", "all"]), sums(2))


@CASES.add
def a_single_process_is_one_node(site):
    check_run(site.run(1, "nodes"), sums(1))


@CASES.add
def nodes_that_are_asked_for_win(site):
    check_run(site.run(1, "nodes", options=["--nodes", "2"]), sums(2))
    check_run(site.run(2, "nodes", options=["--nodes", "1"]), sums(1, times=2))
    check_run(site.run(2, "nodes", HETMP_NODES="1"), sums(1, times=2))


@on_one_host
def cpus_are_divided(site):
    here = sorted(os.sched_getaffinity(0))
    if len(here) < 2:
        raise Skip("one CPU cannot be divided")
    code, out, err = site.run(2, "cpus", launcher_options=site.launcher.unbound)
    sets = [[int(cpu) for cpu in line.split()] for line in out.splitlines()]
    check(code == 0 and len(sets) == 2 and sorted(sets[0] + sets[1]) == here, f"CPUs {sets}; exit code {code}, said {err!r}")


@CASES.add
def words_folder_and_variables(site):
    with tempfile.TemporaryDirectory(prefix="hetmp hosts ") as folder:
        before = os.getcwd()
        os.chdir(folder)
        try:
            result = site.run(2, "words", "a b", "", "--nodes", "$x'\"", HOSTS_TEST="one two")
        finally:
            os.chdir(before)
        check_run(result, f"[a b]\n[]\n[--nodes]\n[$x'\"]\nin {folder}\nHOSTS_TEST=one two\n")


@CASES.add
def the_runtimes_variables_are_rank_0s(site):
    """Also where a launcher passes no environment on, or another one."""
    other = ["sh", "-c", 'if [ "$PMIX_RANK" = 1 ]; then unset OMP_SCHEDULE; export OMP_NUM_THREADS=1 KMP_BLOCKTIME=7; fi; exec "$@"',
             "sh"]
    process, mark = site.start(2, "spin", str(SECONDS), before=other, OMP_SCHEDULE="dynamic,3", HETMP_LOOPS="all")
    try:
        seen = {}
        for pid, name in marked(mark).items():
            variables = dict(entry.split("=", 1) for entry in Path(f"/proc/{pid}/environ").read_text().split("\0") if "=" in entry)
            if "HETMP_NODES" in variables:
                seen[name] = {key: variables.get(key) for key in ("OMP_SCHEDULE", "OMP_NUM_THREADS", "KMP_BLOCKTIME", "HETMP_LOOPS")}
    finally:
        process.kill()
        finish(process)
    wanted = {"OMP_SCHEDULE": "dynamic,3", "OMP_NUM_THREADS": "4", "KMP_BLOCKTIME": None, "HETMP_LOOPS": "all"}
    check(seen == {Path(site.program).name: wanted, "hetmp-node-1": wanted}, f"variables {seen}")


@CASES.add
def standard_input(site):
    command = site.command(2, "lines")
    done = subprocess.run(command, env=site.environment(), input="line\n" * 5000, capture_output=True, text=True, timeout=SECONDS)
    check_run((done.returncode, done.stdout, done.stderr), "5000 lines\n")


@CASES.add
def exit_codes(site):
    for how in ("return", "exit-in-region"):
        for number in (0, 1, 42, 255):
            code, out, err = site.run(2, how, str(number))
            check(code == number and out == "" and not complaints(err), f"{how} {number}: exit code {code}, said {err!r}")


@CASES.add
def a_shell_in_between(site):
    command = [*site.launcher.start(2), site.tool, "run", "--", "sh", "-c", '"$0" nodes', site.program]
    check_run(run_limited(command, site.environment(), SECONDS), sums(2))


@CASES.add
def a_run_inside_the_run(site):
    """What the program starts is no further process of the job, and waits for none."""
    code, out, err = site.run(2, "system", f"{site.tool} run --nodes 1 {site.program} nodes; {site.tool} run {site.program} nodes")
    check(code == 0 and out == sums(1, times=2), f"exit code {code}, output {out!r}, said {err!r}")


@CASES.add
def killed_node_ends_the_job(site):
    process, mark = site.start(2, "spin", str(SECONDS))
    nodes = [pid for pid, name in marked(mark).items() if name == "hetmp-node-1"]
    try:
        check(len(nodes) == 1, f"one process should be node 1: {marked(mark)}")
        os.kill(nodes[0], signal.SIGKILL)
        begin = time.monotonic()
        process.wait(timeout=SECONDS)
        took = time.monotonic() - begin
    finally:
        code, _, err = finish(process)
    check(code != 0, "exit code 0 although a node was lost")
    check(took < PATIENCE, f"the job ended {took:.1f} s after its node; said {err!r}")
    check_all_gone(mark)


@CASES.add
def interrupt_ends_the_job(site):
    process, mark = site.start(2, "spin", str(SECONDS))
    for _ in range(2):  # srun wants to be asked twice, and people do
        process.send_signal(signal.SIGINT)
        time.sleep(0.2)
    code, _, err = finish(process)
    check(code != 0, f"exit code 0 although it was interrupted; said {err!r}")
    check_all_gone(mark)


@CASES.add
def lost_launcher_ends_the_job(site):
    """Whose process on this host is the parent of the nodes."""
    process, mark = site.start(2, "spin", str(SECONDS))
    try:
        nodes = [pid for pid, name in marked(mark).items() if name == "hetmp-node-1"]
        check(len(nodes) == 1, f"one process should be node 1: {marked(mark)}")
        status = Path(f"/proc/{nodes[0]}/status").read_text()
        os.kill(int(re.search(r"^PPid:\s+(\d+)", status, re.M)[1]), signal.SIGKILL)
        check_all_gone(mark, but=["srun"])  # which waits for what was Slurm's
    finally:
        process.kill()
        finish(process)


@CASES.add
def forwarded_signals_are_the_programs(site):
    process, mark = site.start(2, "await-signal")
    process.send_signal(signal.SIGUSR1)
    code, out, err = finish(process)
    check_run((code, out, err), "signal\n" + sums(2))
    check_all_gone(mark)


@CASES.add
def more_processes_than_nodes_can_be(site):
    check_refused(site.run(65, "nodes"), r"\b65 processes\b.*\b64 nodes\b")


@on_one_host
def a_chosen_interface(site):
    others = [name for _, name in socket.if_nameindex() if name != "lo"]
    reported = []
    for name in ["lo", *others]:
        code, out, err = site.run(2, "nodes", HETMP_INTERFACE=name)
        if code == 0:
            check_run((code, out, err), sums(2))
            reported.append(name)
        else:
            check_refused((code, out, err), f"HETMP_INTERFACE={name}: ")
    check("lo" in reported, "the loopback does not do")
    check_refused(site.run(3, "nodes", HETMP_INTERFACE="nosuch0"), "HETMP_INTERFACE=nosuch0: .*lo")


@CASES.add
def a_node_without_userfaultfd(site):
    for rank in ("0", "1"):
        wrapper = [sys.executable, str(HERE / "without_userfaultfd.py"), rank]
        check_refused(site.run(3, "nodes", before=wrapper), rf"rank {rank}: .*userfaultfd")


@CASES.add
def encrypted_runs(site):
    for processes in (2, 3):
        check_run(site.run(processes, "nodes", options=["--encrypt"], OMP_SCHEDULE="dynamic"), sums(processes))
    only_rank_0 = ["sh", "-c", 'if [ "$PMIX_RANK" = 0 ]; then export HETMP_ENCRYPT=1; fi; exec "$@"', "sh"]
    check_run(site.run(2, "nodes", before=only_rank_0), sums(2))
    code, out, err = site.run(2, "nodes", before=["env", "HETMP_ENCRYPT=perhaps"])
    check(code == 0 and out == sums(2) and len(complaints(err)) == 1 and "HETMP_ENCRYPT=perhaps" in err,
          f"exit code {code}, output {out!r}, said {err!r}")


@on_two_hosts
def what_others_see_on_the_network(site):
    """Shared pages. (Standard output is the launcher's to carry.)"""
    hosts = site.launcher.network
    program = str(compile_program(HERE / "secret_program.c", site.compiler, site.build))
    for options, seen in (([], True), (["--encrypt"], False)):
        with Wire(hosts.devices[0], hosts.inside(0)) as wire:
            command = [*site.launcher.start(2), site.tool, "run", *options, "--", program, MARKER_MINUS_ONE, "0"]
            result = run_limited(command, site.environment(), SECONDS)
        check_run(result, "")
        check((wire.count(MARKER) > 0) == seen, f"{options}: {wire.count(MARKER)} times in {len(wire.bytes)} bytes")


@CASES.add
def a_node_that_cannot_encrypt(site):
    if os.getuid() != 0:
        raise Skip("hiding a file needs root")
    plugin = str(site.build / "lib" / "libhetmp_seal.so")
    for rank in ("0", "1"):
        hide = 'if [ "$PMIX_RANK" = "$2" ]; then mount --bind /dev/null "$1"; fi; shift 2; exec "$@"'
        wrapper = ["unshare", "-m", "sh", "-c", hide, "sh", plugin, rank]
        check_refused(site.run(2, "nodes", before=wrapper, options=["--encrypt"]), rf"rank {rank}: encryption .*libhetmp_seal\.so")
        check_run(site.run(2, "nodes", before=wrapper), sums(2))


@CASES.add
def a_program_that_is_not_there(site):
    command = [*site.launcher.start(2), site.tool, "run", "--", "/nonexistent/program"]
    code, out, err = run_limited(command, site.environment(), SECONDS)
    lines = complaints(err)
    check(code == 127 and out == "" and lines and all("/nonexistent/program" in line for line in lines),
          f"exit code {code}, output {out!r}, said {err!r}")


def built_without_pmix(build):
    """Also the case of a PMIX_RANK that no launcher has set."""
    tool = str(build / "bin" / "hetmp")
    environment = environment_for("one", {"PMIX_RANK": "0", "PMIX_NAMESPACE": "nobody"}, build, stock=False)
    del environment["LD_PRELOAD"]
    code, out, err = run_limited([tool, "run", "--", "echo", "ran"], environment, SECONDS)
    check(code == 1 and out == "" and len(complaints(err)) == 1 and "PMIX_RANK" in err and "--nodes 1" in err,
          f"PMIX_RANK without a launcher: exit code {code}, output {out!r}, said {err!r}")
    return "built without PMIx" in err


def run_case(build, launcher_name, names):
    if built_without_pmix(build):
        raise Skip("hetmp was built without PMIx")
    try:
        launcher = launchers.MAKERS[launcher_name](build)
    except launchers.Absent as reason:
        raise Skip(str(reason)) from None
    try:
        return CASES.run(names, Site(build, launcher), f"{launcher_name}.")
    finally:
        launcher.stop()


def main():
    given = parse(__doc__, [f"{launcher}.{name}" for launcher in launchers.MAKERS for name in cases_of(launcher)])
    wanted_launcher, _, wanted = (given.case or "").partition(".")
    failed, tried = 0, 0
    for launcher in launchers.MAKERS:
        if wanted_launcher in ("", launcher):
            try:
                check_machine("proc2", given.build)
                failed += run_case(given.build, launcher, [wanted] if wanted else cases_of(launcher))
                tried += 1
            except Skip as reason:
                print(f"skipped: {launcher}: {reason}")
    return 1 if failed else 0 if tried else SKIPPED


if __name__ == "__main__":
    sys.exit(main())
