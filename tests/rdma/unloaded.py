"""A program whose nodes do not speak over RDMA has nothing of it in its memory. Needs no RDMA."""
import os
import signal
from pathlib import Path

from machine import failure_program  # it finds the modules of tests/common
import processes
from modes import check_machine, environment_for
from outcome import check

OF_RDMA = ("libhetmp_verbs", "libibverbs", "-rdmav")


def nothing_is_loaded_without_it(site):
    check_machine("proc2", site.build)
    program = failure_program(site.build)
    for settings in ({}, {"HETMP_TRANSPORT": "tcp"}, {"HETMP_TRANSPORT": "shared-memory"}):
        process = processes.start_until_ready([str(program), "spin", "30"], environment_for("proc2", settings, site.build, stock=False))
        try:
            nodes = processes.children(process.pid)
            check(len(nodes) == 1, f"{settings}: expected one node process, found {nodes}")
            for pid in (process.pid, *nodes):
                maps = Path(f"/proc/{pid}/maps").read_text()
                check("libhetmp.so" in maps, f"{settings}: no hetmp in {maps}")
                found = [line for line in maps.splitlines() if any(name in line for name in OF_RDMA)]
                check(not found, f"{settings}: {found}")
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()


CASES = [nothing_is_loaded_without_it]
