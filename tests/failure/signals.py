"""Signals that end a program which is to leave a report and a timeline: they are there, and it dies as it would without."""
import contextlib
import json
import os
import shutil
import signal
import tempfile
from pathlib import Path

import processes
from outcome import check
from processes import finish, run_limited
from toolchain import COMPILERS, compile_program
from programs import CASES, HERE, SECONDS

MODES = ("one", "cores2", "proc2", "tcp2")


@contextlib.contextmanager
def wanted_files():
    """(settings, report, timeline)"""
    with tempfile.TemporaryDirectory(prefix="hetmp-failure-") as folder:
        report, timeline = Path(folder) / "report.json", Path(folder) / "timeline.json"
        yield {"HETMP_REPORT": str(report), "HETMP_TRACE": str(timeline), "OMP_SCHEDULE": "hetprobe"}, report, timeline


def nodes_of(mode):
    return 1 if mode == "one" else 2


def check_files(what, mode, report, timeline):
    check(report.exists() and timeline.exists(), f"{what}: report {report.exists()}, timeline {timeline.exists()}")
    told = json.loads(report.read_text())
    check(told["nodes"] == nodes_of(mode) and (mode in ("one", "cores2") or len(told["totals"]) == 2), f"{what}: {told}")
    check(mode == "one" or told["regions"], f"{what}: the report knows no loops")
    events = json.loads(timeline.read_text())["traceEvents"]
    check(any(event.get("cat") == "loop" for event in events), f"{what}: no loops in the timeline")


def dispositions(site):
    compiler = next(name for name in COMPILERS if shutil.which(name))
    return str(compile_program(HERE / "dispositions.c", compiler, site.build))


@CASES.add
def reports_of_a_program_that_is_ended(site):
    """By what a terminal or a batch system sends to all of its processes, in regions and between them."""
    for mode in MODES:
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGXCPU):
            for how in ("spin", "work"):
                what = f"{mode}, {how}, {number.name}"
                with wanted_files() as (settings, report, timeline):
                    process = processes.start_until_ready([site.program, how, str(SECONDS)], site.environment(mode, **settings))
                    os.killpg(process.pid, number) if number != signal.SIGXCPU else process.send_signal(number)
                    code, _, err = finish(process)
                    check(code == -number and err == "", f"{what}: ended with {code}, said {err!r}")
                    check_files(what, mode, report, timeline)


@CASES.add
def reports_after_a_time_limit(site):
    for mode in ("one", "proc2"):
        with wanted_files() as (settings, report, timeline):
            code, out, err = run_limited(["timeout", "3", site.program, "work", str(SECONDS)],
                                                     site.environment(mode, **settings), SECONDS)
            check(code == 124 and out == "ready\n" and err == "", f"{mode}: exit code {code}, output {out!r}, said {err!r}")
            check_files(mode, mode, report, timeline)


@CASES.add
def default_actions_are_what_they_seem(site):
    program = dispositions(site)
    for mode in MODES:
        for arguments in (["asked"], ["child"] if mode in ("one", "cores2") else ["asked"]):
            with wanted_files() as (settings, report, timeline):
                code, out, err = run_limited([program, *arguments], site.environment(mode, **settings), SECONDS)
                check(code == 0 and out == "" and err == "", f"{mode}, {arguments}: exit code {code}, {out!r}, said {err!r}")
                check(report.exists() and timeline.exists(), f"{mode}: nothing was written at the end")


@CASES.add
def what_is_ignored_stays_ignored(site):
    """As under nohup."""
    program = dispositions(site)
    for mode in ("one", "proc2"):
        for ignored in ("ignored", "not ignored"):
            with wanted_files() as (settings, report, _):
                shell = ["sh", "-c", ("trap '' HUP; " if ignored == "ignored" else "") + 'exec "$0" inherited', program]
                code, out, err = run_limited(shell, site.environment(mode, **settings), SECONDS)
                check(code == 0 and out == f"SIGHUP is {ignored}\n" and err == "", f"{mode}: {code}, {out!r}, said {err!r}")
                check(report.exists(), f"{mode}: no report")


@CASES.add
def a_handler_that_cannot_run_is_named(site):
    """Where the stack has overflowed."""
    code, out, err = run_limited([dispositions(site), "overflow"], site.environment("proc2"), SECONDS)
    check(code == 128 + signal.SIGSEGV and out == "", f"exit code {code}, output {out!r}, said {err!r}")
    check(len(err.splitlines()) == 1 and "node 1 " in err and "signal 11" in err and
          "although the program has a handler for it" in err, f"said {err!r}")


@CASES.add
def nothing_wakes_up_on_the_way_to_the_end(site):
    """What the program is waiting in does not return because of a report."""
    program = dispositions(site)
    for mode in ("one", "proc2"):
        with wanted_files() as (settings, report, _):
            process = processes.start_until_ready([program, "asleep"], site.environment(mode, **settings))
            process.send_signal(signal.SIGTERM)
            code, out, err = finish(process)
            check(code == -signal.SIGTERM and out == "" and err == "", f"{mode}: {code}, output {out!r}, said {err!r}")
            check(report.exists(), f"{mode}: no report")
