"""A debugger that starts a program on several nodes stops at its breakpoints."""
import os
import shutil
import tempfile
from pathlib import Path

from outcome import check
from processes import run_limited
from toolchain import COMPILERS, compile_program
from programs import CASES, HERE, SECONDS


def said_by_gdb(site, *commands):
    compiler = next(name for name in COMPILERS if shutil.which(name))
    program = str(compile_program(HERE / "stops.c", compiler, site.build))
    wanted = site.environment("proc2")
    settings = [f"set environment {name} {wanted[name]}" for name in wanted
                if name.startswith(("HETMP_", "OMP_", "LD_")) and name != "CONFORMANCE_RUNTIME"]
    with tempfile.TemporaryDirectory(prefix="hetmp-failure-") as folder:
        script = Path(folder) / "commands"
        script.write_text("\n".join(["set pagination off", "set confirm off", "set startup-with-shell off", *settings,
                                     *commands]) + "\n")
        code, out, err = run_limited(["gdb", "-nx", "-batch", "-x", str(script), program], os.environ.copy(), 2 * SECONDS)
    check(code is not None, f"gdb is still running; it said {out!r} {err!r}")
    return out + err


def gdb_works():
    """False where there is none, or it may trace nobody."""
    if not shutil.which("gdb"):
        return False
    _, out, _ = run_limited(["gdb", "-nx", "-batch", "-ex", "starti", "true"], os.environ.copy(), SECONDS)
    return "Program stopped" in out


@CASES.add
def gdb_stops_in_main_and_in_a_region(site):
    if not gdb_works():
        return
    said = said_by_gdb(site, "break main", "break in_region if thread == 1", "run", "continue", "continue")
    places = [line for line in said.splitlines() if "hit Breakpoint" in line]
    check(len(places) == 2 and " main (" in places[0] and " in_region (thread=1)" in places[1] and "sum 6" in said and
          "exited normally" in said, f"gdb said {said}")


@CASES.add
def gdb_stops_on_another_node(site):
    if not gdb_works():
        return
    said = said_by_gdb(site, "set detach-on-fork off", "set schedule-multiple on", "break in_region if thread == 3", "run",
                       "info inferiors", "print thread * 1000", "delete", "continue")
    check("hit Breakpoint" in said and " in_region (thread=3)" in said and "= 3000" in said and "\n* 2 " in said and "sum 6" in said,
          f"gdb said {said}")
