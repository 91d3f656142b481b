"""Programs among other programs: below a shell, started by the tool, starting others."""
import os
import signal
from pathlib import Path

import processes
from outcome import check
from processes import complaints, run_limited
from programs import CASES, SECONDS, SUM


@CASES.add
def shell_in_between(site):
    """A preloaded shell is an ordinary shell, with no nodes and no words; the program below it has its nodes."""
    code, out, err = run_limited(["sh", "-c", '"$@"; exit 3', "sh", site.program, "sum"],
                                             site.environment(), SECONDS)
    check(code == 3 and out == SUM and err == "", f"exit code {code}, output {out!r}, said {err!r}")
    shell = site.start_spinning(shell_script='"$@"; exit 3')
    try:
        below = processes.children(shell.pid)
        check(len(below) == 1 and "hetmp" not in "".join(below.values()), f"below the shell: {below}")
        nodes = processes.children(next(iter(below)))
        check(list(nodes.values()) == ["hetmp-node-1"], f"below the program: {nodes}")
        maps = Path(f"/proc/{shell.pid}/maps").read_text()
        check("libhetmp_dsm" not in maps, "the shell carries the DSM")
    finally:
        os.killpg(shell.pid, signal.SIGKILL)
        shell.communicate()


@CASES.add
def programs_it_starts_are_left_alone(site):
    """What a program on several nodes executes inherits the user's environment, not what started the nodes."""
    wanted = site.environment()
    code, out, err = site.run("system", "cat /proc/self/environ | tr '\\0' '\\n'; ls")
    check(code == 0 and err == "", f"exit code {code}, said {err!r}")
    seen = dict(line.split("=", 1) for line in out.splitlines() if "=" in line)
    for name in ("LD_PRELOAD", "HETMP_NODES", "GLIBC_TUNABLES", "HETMP_DSM_PLAN", "HETMP_LAUNCH"):
        check(seen.get(name) == wanted.get(name), f"{name} is {seen.get(name)!r}, not {wanted.get(name)!r}")


@CASES.add
def tool_runs_a_program_on_nodes(site):
    tool = str(site.build / "bin" / "hetmp")
    environment = {name: value for name, value in site.environment("one").items() if name != "LD_PRELOAD"}
    code, out, err = run_limited([tool, "run", "--nodes", "2", site.program, "sum"], environment, SECONDS)
    check(code == 0 and out == SUM and err == "", f"exit code {code}, output {out!r}, said {err!r}")
    for arguments, expected in ((["--nodes", "0"], 2), (["--nodes", "65"], 2), (["--nodes", "x"], 2),
                                (["--schedule", "statik"], 2), (["--nodes", "2", "--", "/nonexistent/program"], 127)):
        code, out, err = run_limited([tool, "run", *arguments, site.program], environment, SECONDS)
        check(code == expected and out == "" and len(complaints(err)) == len(err.splitlines()) == 1,
              f"{arguments}: exit code {code}, output {out!r}, said {err!r}")
