"""Core dumps of programs on several nodes: what is in use, and not the terabytes of address space around it."""
import re
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

from cases import Cases
from outcome import Skip, check
from stacks import compiled, on_nodes

CASES = Cases()
MIB = 1 << 20


@CASES.add
def dumps_hold_what_is_in_use(site):
    program = compiled(site, "dump")
    for nodes in 1, 2, 4:
        code, out, err = on_nodes(site, [program], nodes)
        check(code == 0 and err == "", f"{nodes} nodes: {code}, {out!r}, said {err!r}")
        here, elsewhere, has, others_have = map(int, out.split())
        check(has == 7 and others_have == 3, f"{nodes} nodes: something in use is left out: {out!r}")
        check(max(here, elsewhere) < 2048, f"{nodes} nodes: {here} and {elsewhere} MiB of address space")


def core_file(folder, pid):
    """Where the kernel puts it, if it is a plain file."""
    pattern = Path("/proc/sys/kernel/core_pattern").read_text().strip()
    adds_pid = Path("/proc/sys/kernel/core_uses_pid").read_text().strip() != "0"
    name = pattern.replace("%p", pid)
    if pattern.startswith("|") or re.search("%[^%]", name):
        raise Skip(f"core dumps go to {pattern}")
    return Path(folder) / (name + (f".{pid}" if adds_pid and "%p" not in pattern else ""))


@CASES.add
def debuggers_read_a_dump(site):
    if not shutil.which("gdb"):
        raise Skip("needs gdb")
    program = compiled(site, "dump", "-g", "-O0", name="dump-debug")
    with tempfile.TemporaryDirectory() as folder:
        core_file(folder, "1")
        code, out, err = on_nodes(site, ["sh", "-c", 'cd "$0" && ulimit -c unlimited && echo $$ && exec "$@"', folder, program, "crash"])
        check(code == -signal.SIGSEGV, f"{code}, {out!r}, said {err!r}")
        core = core_file(folder, out.split()[0])
        if not core.exists():
            raise Skip(f"no core dump at {core}")
        try:
            size = core.stat().st_size
            said = subprocess.run(["gdb", "-batch", "-nx", "-ex", "bt", "-ex", "print local", "-ex", "print (int)block[100]",
                                   program, str(core)], capture_output=True, text=True, timeout=60, check=False).stdout
        finally:
            core.unlink()
    check(size < 2048 * MIB, f"the core dump is of {size >> 20} MiB")
    check("main (" in said and "= 17\n" in said and "= 1\n" in said, f"gdb says {said!r}")
