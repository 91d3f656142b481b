"""How programs end: by themselves, by a signal, because a node was lost; and that nothing stays behind."""
import os
import re
import signal
import time

import processes
from outcome import check
from processes import complaints, finish, wait_until_gone
from programs import CASES, PATIENCE, SECONDS, SUM


@CASES.add
def node_processes_are_named(site):
    process = site.start_spinning()
    names = sorted(processes.children(process.pid).values())
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    check(names == ["hetmp-node-1"], f"the children are {names}")


@CASES.add
def killed_node_ends_the_program(site):
    process = site.start_spinning()
    nodes = processes.children(process.pid)
    try:
        check(len(nodes) == 1, f"expected one node process, found {nodes}")
        os.kill(next(iter(nodes)), signal.SIGKILL)
        begin = time.monotonic()
        process.wait(timeout=SECONDS)
        took = time.monotonic() - begin
    finally:
        code, _, err = finish(process)
    check(code != 0, "exit code 0 although a node was lost")
    check(took < PATIENCE, f"the program ended {took:.1f} s after its node")
    lines = complaints(err)
    check(len(lines) == 1 and re.search(r"\bnode 1\b", lines[0]), f"expected one line that names node 1: {err!r}")
    wait_until_gone(nodes, PATIENCE)


@CASES.add
def killed_origin_ends_the_nodes(site):
    process = site.start_spinning()
    nodes = processes.children(process.pid)
    process.kill()
    process.wait()
    try:
        wait_until_gone(nodes, PATIENCE)
    finally:
        finish(process)


@CASES.add
def interrupt_ends_everything(site):
    process = site.start_spinning()
    nodes = processes.children(process.pid)
    os.killpg(process.pid, signal.SIGINT)  # what a terminal does on Ctrl-C
    code, _, err = finish(process)
    check(code == -signal.SIGINT, f"ended with {code}, not by the interrupt")
    check(err == "", f"words on standard error: {err!r}")
    wait_until_gone(nodes, PATIENCE)


@CASES.add
def exit_codes(site):
    for mode in ("one", "proc2", "proc4"):
        for how in ("return", "exit", "exit-in-region"):
            for number in (0, 1, 42, 255):
                code, _, err = site.run(how, str(number), mode=mode)
                check(code == number and err == "", f"mode {mode}, {how} {number}: exit code {code}, said {err!r}")


@CASES.add
def fault_on_another_node(site):
    """The program ends as a crashed one does: not successfully, and not by hanging."""
    for mode in ("one", "proc2"):
        code, _, _ = site.run("segv", mode=mode)
        check(code in (-signal.SIGSEGV, 128 + signal.SIGSEGV), f"mode {mode}: exit code {code}")


@CASES.add
def no_process_stays_behind(site):
    process = processes.start([site.program, "sum"], site.environment("proc4"))
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
