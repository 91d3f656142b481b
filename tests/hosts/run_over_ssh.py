#!/usr/bin/env python3
"""`hetmp run --hosts` on two hosts (two_hosts.py): programs, terminals, failures. (Encrypted: run_encrypted.py.)

    run_over_ssh.py --build BUILD [--case NAME] [--list]

Exit codes: 0 passed, 1 failed, 77 skipped (this machine cannot be two hosts, or does not allow node processes).
"""
import contextlib
import ctypes
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import two_hosts
from two_hosts import ADDRESSES, TwoHosts

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "common"))
import processes  # noqa: E402
from cases import Cases, parse  # noqa: E402
from modes import check_machine, environment_for  # noqa: E402
from outcome import SKIPPED, Skip, check  # noqa: E402
from processes import SECONDS, complaints, finish  # noqa: E402
from toolchain import COMPILERS, compile_program  # noqa: E402

SOON = 2.0     # within which a run must have ended that has lost a process
SILENCE = 5.0  # where only silence tells
START_SILENCE = 40.0  # the same before the program has begun
PTRACE_SEIZE = 0x4206
PROGRAM = HERE.parent / "failure" / "program.c"
SUM = "11994\n"
CASES = Cases()


class Site:
    """The program, as built, and the hosts to run it on."""

    def __init__(self, build, hosts):
        self.build = build
        self.hosts = hosts
        self.tool = str(build / "bin" / "hetmp")
        self.compiler = next(name for name in COMPILERS if shutil.which(name))
        self.program = str(compile_program(PROGRAM, self.compiler, build))

    def environment(self, **settings):
        environment = environment_for("one", settings, self.build, stock=False)
        del environment["LD_PRELOAD"]
        return environment

    def command(self, *words, names=",".join(ADDRESSES), remote_shell=None, options=()):
        return [*self.hosts.inside(0), self.tool, "run", *options, "--hosts", names,
                "--remote-shell", remote_shell or self.hosts.remote_shell, "--", *words]

    def run(self, *words, names=",".join(ADDRESSES), remote_shell=None, given="", options=(), **settings):
        """(exit code, stdout, stderr)"""
        process = processes.start(self.command(*words, names=names, remote_shell=remote_shell, options=options),
                                  self.environment(**settings), stdin=subprocess.PIPE)
        return finish(process, given=given)

    def start_spinning(self, seconds=SECONDS, options=(), **settings):
        return processes.start_until_ready(self.command(self.program, "spin", str(seconds), options=options),
                                           self.environment(**settings))

    def node(self, host):
        """The pid of the node's process there."""
        found = self.hosts.find(host, f"hetmp-node-{host}", Path(self.program).name[:15])
        check(len(found) == 1, f"one process should be host {host}'s node: {found}")
        return found[0]

    def check_nothing_left(self):
        end = time.monotonic() + SOON
        names = ("hetmp", "hetmp-node-1", Path(self.program).name[:15])
        while left := self.hosts.find(0, *names) + self.hosts.find(1, *names):
            check(time.monotonic() < end, f"still there: {left}")
            time.sleep(0.05)


def check_ended(site, process, seconds, *words):
    """The run ends in time, with a code that is not 0, which it returns, and one line that has all the words; nobody stays."""
    begin = time.monotonic()
    code, _, err = finish(process)
    took = time.monotonic() - begin
    check(code != 0, "exit code 0 although something was lost")
    check(took < seconds, f"it ended after {took:.1f} s; said {err!r}")
    lines = complaints(err)
    check(len(lines) == 1 and all(re.search(word, lines[0]) for word in words),
          f"expected one line with {words}: {err!r}")
    site.check_nothing_left()
    return code


@CASES.add
def sums_are_right(site):
    for schedule in ("static", "dynamic", "guided", "hetprobe", "hetprobe-i"):
        code, out, err = site.run(site.program, "sum", OMP_SCHEDULE=schedule)
        check((code, out, err) == (0, SUM, ""), f"{schedule}: exit code {code}, output {out!r}, said {err!r}")
    site.check_nothing_left()


def kernels(site):
    """Commands that say whether what they have computed is right."""
    folder = site.build / "bin" / "microbench"
    for name, *arguments in (["ep", "S"], ["cg", "S"], ["blackscholes", "--options", "65536", "--visits", "3"]):
        if not (folder / name).exists():
            raise Skip("the kernels are not built")
        yield [str(folder / name), *arguments]


@CASES.add
def kernels_verify(site):
    for words in kernels(site):
        for schedule in ("static", "hetprobe"):
            code, out, err = site.run(*words, OMP_SCHEDULE=schedule)
            check(code == 0 and "successful" in out and err == "", f"{words}, {schedule}: {code}, {out!r}, said {err!r}")


@CASES.add
def a_host_may_have_several_nodes(site):
    first, second = ADDRESSES
    code, out, err = site.run(site.program, "sum", names=f"{first},{second},{second},{first}")
    check((code, out, err) == (0, SUM, ""), f"exit code {code}, output {out!r}, said {err!r}")


@CASES.add
def links_are_calibrated(site):
    """Whether two hosts gain here depends on what CPUs they get; what their link costs is measured in any case."""
    with tempfile.TemporaryDirectory(prefix="hetmp-hosts-") as folder:
        profile = Path(folder) / "profile.json"
        words = [*site.hosts.inside(0), site.tool, "calibrate", "--quick", "--hosts", ",".join(f"{name}:1" for name in ADDRESSES),
                 "--remote-shell", site.hosts.remote_shell]
        code, out, err = processes.run_limited(words, site.environment(HETMP_PROFILE=str(profile), OMP_SCHEDULE="statik"), 300)
        check("node 1 computes on pages of node 0 (1 thread" in out and "node 1: a fault costs " in out, f"{code}, {out!r}, said {err!r}")
        if code == 0:
            entry, = json.loads(profile.read_text())["entries"]
            check((entry["interconnect"], entry["from"], entry["to"]) == ("tcp", 0, 1) and err == "", f"{entry}, said {err!r}")
        else:
            check(code == 1 and len(complaints(err)) == len(err.splitlines()) == 1 and "never faster" in err, f"{code}, said {err!r}")
    site.check_nothing_left()


@CASES.add
def exit_codes(site):
    for words in (["return", "42"], ["exit", "43"], ["exit-in-region", "44"]):
        code, _, err = site.run(site.program, *words)
        check(code == int(words[1]) and not complaints(err), f"{words}: exit code {code}, said {err!r}")


@CASES.add
def standard_input_arrives(site):
    """cat runs on each host; only the first one has the input."""
    text = "".join(f"line {i}\n" for i in range(20000))
    code, out, err = site.run("cat", given=text)
    check(code == 0 and out == text, f"exit code {code}, {len(out)} of {len(text)} bytes came back, said {err!r}")


@CASES.add
def words_and_variables_arrive(site):
    words = ["a b", "", "$HOME", "quote'\"s", "\u00e9", "*"]
    # What two hosts say at the same time is mixed by what each writes at once: each says all of it at once.
    script = 'all=; for word; do all="$all[$word]"; done; printf "%s{%s}%s\\n" "$all" "$GREETING" "$(pwd)"'
    with tempfile.TemporaryDirectory(prefix="hetmp hosts ") as folder:
        before = os.getcwd()
        os.chdir(folder)
        try:
            code, out, err = site.run("sh", "-c", script, "sh", *words, GREETING="hello there")
        finally:
            os.chdir(before)
    expected = "".join(f"[{word}]" for word in words) + "{hello there}" + folder + "\n"
    check(code == 0 and out == expected * 2, f"exit code {code}, output {out!r}, said {err!r}")


@CASES.add
def a_killed_node_ends_the_run(site):
    process = site.start_spinning()
    os.kill(site.node(1), signal.SIGKILL)
    check_ended(site, process, SOON, "node 1", ADDRESSES[1], "region at ")


@CASES.add
def an_origin_that_cannot_quite_end_ends_the_run(site):
    """Its parent hears nothing as long as somebody traces it and does not collect it; a device that is torn down takes as long as that."""
    process = site.start_spinning()
    origin = site.node(0)
    calls = ctypes.CDLL(None, use_errno=True)
    check(calls.ptrace(PTRACE_SEIZE, origin, None, None) == 0, f"cannot trace the origin: {os.strerror(ctypes.get_errno())}")
    os.kill(site.node(1), signal.SIGSTOP)
    try:
        code, _, err = finish(process)
        check(processes.field_of_stat(origin)[1] == "Z", "the origin should have ended")
    finally:
        with contextlib.suppress(ChildProcessError):
            os.waitpid(origin, os.WNOHANG)
    lines = complaints(err)
    check(code == 70 and len(lines) == 1 and re.search("node 1 .*region at ", lines[0]), f"exit code {code}, said {err!r}")
    site.check_nothing_left()


@CASES.add
def a_killed_origin_ends_the_run(site):
    process = site.start_spinning()
    os.kill(site.node(0), signal.SIGKILL)
    code = check_ended(site, process, SOON, "node 0", ADDRESSES[0], "signal 9")
    check(code == 128 + signal.SIGKILL, f"exit code {code}")


@CASES.add
def a_killed_agent_ends_the_run(site):
    for host in range(2):
        process = site.start_spinning()
        os.kill(processes.field_of_stat(site.node(host))[2], signal.SIGKILL)
        check_ended(site, process, SOON, f"node {host}", ADDRESSES[host])


@CASES.add
def a_stopped_origin_ends_the_run(site):
    process = site.start_spinning()
    os.kill(site.node(0), signal.SIGSTOP)
    check_ended(site, process, SILENCE, "node 0", ADDRESSES[0])


@CASES.add
def a_killed_launcher_ends_the_run(site):
    process = site.start_spinning()
    process.kill()  # `ip netns exec` has become it
    process.wait()
    site.check_nothing_left()
    finish(process)


@CASES.add
def a_cut_link_ends_the_run(site):
    process = site.start_spinning()
    site.hosts.cut()
    try:
        begin = time.monotonic()
        code, _, err = finish(process)
        took = time.monotonic() - begin
        lines = complaints(err)
        check(code != 0 and took < SILENCE, f"exit code {code} after {took:.1f} s, said {err!r}")
        check(len(lines) == 1 and "node 1" in lines[0] and ADDRESSES[1] in lines[0], f"said {err!r}")
        while site.hosts.find(1, "hetmp-node-1"):
            check(time.monotonic() - begin < SILENCE, "the lost host's node still runs")
            time.sleep(0.1)
    finally:
        site.hosts.mend()
    site.check_nothing_left()


@CASES.add
def a_stopped_node_ends_the_run(site):
    process = site.start_spinning()
    os.kill(site.node(1), signal.SIGSTOP)
    check_ended(site, process, SILENCE, "node 1", ADDRESSES[1], "nothing came from it")


@CASES.add
def a_node_stopped_before_its_program_ends_the_run(site):
    """It is connected then, and has not said a word yet: there is more patience with programs that load."""
    for host in range(2):
        script = f'grep -q "{ADDRESSES[host]}$" /proc/net/fib_trie && kill -STOP $$; exec "$@"'
        process = processes.start(site.command("sh", "-c", script, "sh", site.program, "spin", str(SECONDS)), site.environment())
        check_ended(site, process, START_SILENCE, f"node {host}", ADDRESSES[host])


@CASES.add
@CASES.add
def a_stopped_node_is_waited_for_if_that_is_wanted(site):
    """As somebody does who looks at it in a debugger, for longer than the usual patience."""
    for patience in ("off", "60"):
        process = site.start_spinning(seconds=6, HETMP_PATIENCE=patience)
        node = site.node(1)
        os.kill(node, signal.SIGSTOP)
        time.sleep(SILENCE)
        ended = process.poll()
        os.kill(node, signal.SIGCONT)
        code, _, err = finish(process)
        check(ended is None and code == 0 and err == "", f"{patience}: exit code {code} ({ended} while it waited), said {err!r}")
        site.check_nothing_left()


@CASES.add
def a_malformed_patience_gets_one_line(site):
    for patience in ("soon", "1", "-5", "100000"):
        code, out, err = site.run(site.program, "sum", HETMP_PATIENCE=patience)
        check(code == 0 and out == SUM and re.fullmatch(
            rf"hetmp: HETMP_PATIENCE={patience}: neither off nor a number of seconds from 2 to 86400; using 3\n", err),
            f"{patience}: exit code {code}, said {err!r}")


@CASES.add
def signals_are_the_programs(site):
    for number in (signal.SIGINT, signal.SIGTERM):
        process = site.start_spinning()
        process.send_signal(number)
        code, _, err = finish(process)
        check(code == 128 + number and not complaints(err), f"signal {number}: exit code {code}, said {err!r}")
        site.check_nothing_left()


@CASES.add
def a_crash_on_another_host_is_told_as_one(site):
    for program, signalled in ((("segv",), signal.SIGSEGV), (("system", "kill -ABRT $PPID; sleep 9"), signal.SIGABRT)):
        code, out, err = site.run(site.program, *program)
        lines = complaints(err)
        if program[0] == "segv":
            check(len(lines) == 1 and f"node 1 (host {ADDRESSES[1]}) was ended by signal 11 (Segmentation fault), in the parallel "
                  "region at program+0x" in lines[0], f"said {err!r}")
        else:
            check(len(lines) == 1 and ADDRESSES[0] in lines[0] and "signal 6" in lines[0], f"said {err!r}")
        check(code == 128 + signalled, f"exit code {code}, said {err!r}")
        site.check_nothing_left()


@CASES.add
def reports_of_an_interrupted_run(site):
    with tempfile.TemporaryDirectory(prefix="hetmp-hosts-") as folder:
        report, timeline = Path(folder) / "report.json", Path(folder) / "timeline.json"
        process = site.start_spinning(HETMP_REPORT=str(report), HETMP_TRACE=str(timeline))
        process.send_signal(signal.SIGTERM)
        code, _, err = finish(process)
        check(code == 128 + signal.SIGTERM and not complaints(err), f"exit code {code}, said {err!r}")
        check(report.exists() and timeline.exists(), f"report {report.exists()}, timeline {timeline.exists()}")
        check([node["known"] for node in json.loads(report.read_text())["totals"]] == [True, True], report.read_text())
        check(json.loads(timeline.read_text())["traceEvents"], "an empty timeline")
        site.check_nothing_left()


@CASES.add
def other_files_are_refused(site):
    """The second host has another program under the same name."""
    with tempfile.TemporaryDirectory(prefix="hetmp-hosts-") as folder:
        other = Path(folder) / "program.c"
        other.write_text(PROGRAM.read_text() + "\nint differs = 1;\n")
        changed = compile_program(other, site.compiler, Path(folder))
        shell = Path(folder) / "shell"
        shell.write_text(f"""#!/bin/sh
host=$1; shift
if [ "$host" = {ADDRESSES[0]} ]; then exec sh -c "$*"; fi
exec {' '.join(site.hosts.inside(1))} unshare -m sh -c "mount --bind '{changed}' '{site.program}' && $*"
""")
        shell.chmod(0o755)
        code, out, err = site.run(site.program, "sum", remote_shell=str(shell))
    lines = complaints(err)
    check(code != 0 and out == "" and len(lines) == 1 and ADDRESSES[1] in lines[0] and "program" in lines[0],
          f"exit code {code}, output {out!r}, said {err!r}")


@CASES.add
def mistakes_get_one_line(site):
    first, second = ADDRESSES
    for names, code_wanted, form in (
            ("alone", 2, r"--hosts alone: from 2 to 64"), ("a,,b", 2, r"'' is no host"), ("a,b:x", 2, "'b:x'"),
            ("a,-oProxyCommand=x", 2, "is no host"), (f"{first},10.77.213.9", 1, r"host 10\.77\.213\.9: "),
            (f"{first},{second}:999", 1, "CPUs"), ("localhost,b", 2, "localhost")):
        code, out, err = site.run(site.program, names=names)
        lines = complaints(err)
        check(code == code_wanted and out == "" and len(lines) == 1 and re.search(form, lines[0]),
              f"{names}: exit code {code}, output {out!r}, said {err!r}")
    long = {f"LONG_{i}": "x" * 120_000 for i in range(9)}
    code, out, err = site.run(site.program, **long)
    check(code == 1 and out == "" and re.fullmatch("hetmp: the program's arguments and its environment make \\d+ bytes .*\n", err),
          f"a long environment: exit code {code}, output {out!r}, said {err!r}")
    code, out, err = site.run("/nonexistent/program")
    check(code == 127 and out == "" and all("/nonexistent/program" in line for line in complaints(err)),
          f"exit code {code}, said {err!r}")


def run_cases(cases):
    given = parse(sys.modules["__main__"].__doc__, cases)
    try:
        check_machine("proc2", given.build)
        with TwoHosts() as hosts:
            failed = cases.run([given.case] if given.case else cases, Site(given.build, hosts))
    except (Skip, two_hosts.Absent) as reason:
        print(f"skipped: {reason}")
        return SKIPPED
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(run_cases(CASES))
