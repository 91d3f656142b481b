"""Runs in virtual machines that have an RDMA device (scripts/rdma-vm): a shell script of them is made here, and what they did is read."""
import json
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "common"))
from modes import environment_for  # noqa: E402
from outcome import Failure, Skip, check  # noqa: E402
from processes import complaints  # noqa: E402
from toolchain import COMPILERS, REPOSITORY, compile_program  # noqa: E402

RDMA_VM = REPOSITORY / "scripts" / "rdma-vm"
GIVEN = ("HETMP_", "OMP_", "LD_", "CONFORMANCE_", "STRESS_")  # of the variables of an ordinary run
SECONDS = 60  # for one that takes some
SPREAD = "on the nodes that their loops need, as HETMP_PLACEMENT asks"  # in a report, of regions
CANNOT, NOT_RUN = 77, 125


class Ended:
    """How a run of the script's ended."""

    def __init__(self, name, code, seconds, packets, folder):
        self.name, self.code, self.seconds, self.packets = name, code, seconds, packets
        self.left = []  # processes that were still there
        self.out, self.err, self.hung = (_text(folder / name / file) for file in ("out", "err", "hung"))
        report = _text(folder / name / "report.json")
        self.report = json.loads(report) if report else None

    def __str__(self):
        how = "still running" if self.code is None else f"exit code {self.code}"
        said = "".join(f"\n  {kind}: {text}" for kind, text in (("output", self.out[-2000:]), ("error", self.err[-2000:]), ("hung", self.hung)) if text)
        return f"{self.name}: {how} after {self.seconds:.2f} s, {self.packets} packets{said}{''.join(self.left)}"

    def in_short(self):
        words = f"{self.name}: {self.seconds:.2f} s, {self.packets} packets"
        if not self.report:
            return words
        pages = sum(node["bytes_received"] for node in self.report["totals"]) // 4096
        return f"{words}, {self.spread_visits()} regions on several nodes, {pages} pages came to a node"

    def check_passed(self):
        check(self.code == 0 and not self.left, self)

    def check_spread(self, nodes):
        """That regions ran on several nodes, since that was asked for, and that pages came to each other node, by RDMA. The
        origin needs none if what it reads has been written by itself: tasks that it executes, for one."""
        check(self.report and self.report["nodes"] == nodes and self.report["interconnect"] == "verbs", f"{self}\n  report: {self.report}")
        check(self.report["placement"]["asked_for"] == "all" and self.spread_visits() > 0, f"{self}\n  placement: {self.report['placement']}")
        received = [node["bytes_received"] for node in self.report["totals"]]
        check(len(received) == nodes and all(received[1:]) and self.packets > 0, f"{self}\n  bytes of pages that came to nodes: {received}")

    def spread_visits(self):
        """How often parallel regions ran on several nodes because HETMP_PLACEMENT=all asks for it."""
        return sum(other["visits"] for other in self.report["placement"]["others"] if other["why"] == SPREAD)

    def check_one_line(self, *words):
        """Of hetmp's, and no other of standard error; it ended with another exit code than 0, and nothing stays."""
        lines = complaints(self.err)
        check(self.code not in (0, None) and len(lines) == 1 and lines == self.err.splitlines() and not self.left, self)
        check(all(word in lines[0] for word in words), f"not in the line: {[word for word in words if word not in lines[0]]}; {self}")


def _text(file):
    return file.read_text(errors="replace") if file.exists() else ""


def environment(build, **settings):
    """What an ordinary run gets, and these."""
    return {name: value for name, value in environment_for("one", settings, build, stock=False).items() if name.startswith(GIVEN)}


def words_with(variables, *command):
    return ["env", *(f"{name}={value}" for name, value in variables.items()), *map(str, command)]


def failure_program(build):
    compiler = next(name for name in COMPILERS if shutil.which(name))
    return compile_program(REPOSITORY / "tests" / "failure" / "program.c", compiler, build)


class Machine:
    """A script that grows, then runs in one machine or the first of two."""

    def __init__(self, build, machines=1, memlock=None):
        self.build, self.machines, self.memlock = build, machines, memlock
        self.names, self.lines = [], ["two=" + ("two" if machines == 2 else ""), ". /test/runs.sh"]
        self.files = {build / "lib", build / "bin" / "hetmp"}

    def add(self, *lines):
        self.lines += lines

    def put(self, *files):
        self.files |= set(map(Path, files))

    def begin(self, name, *words):
        self.names.append(name)
        self.add("begin " + shlex.join([name, *map(str, words)]))

    def run(self, name, *words, seconds=SECONDS):
        self.begin(name, *words)
        self.add(f"finish {seconds}")

    def launch(self, name, *words, seconds=SECONDS, **settings):
        """By hetmp run, with a report."""
        self.run(name, *self.launched(name, *words, **settings), seconds=seconds)

    def launched(self, name, *words, **settings):
        variables = environment(self.build, HETMP_REPORT=f"/out/{name}/report.json", **settings)
        del variables["LD_PRELOAD"]
        return words_with(variables, self.build / "bin" / "hetmp", "run", *words)

    def boot(self, seconds):
        """{name of a run: how it ended}"""
        with tempfile.TemporaryDirectory(prefix="hetmp-rdma-") as folder:
            folder = Path(folder)
            script, out = folder / "script", folder / "out"
            script.write_text("\n".join([*self.lines, "exit 0\n"]))
            (folder / "build").write_text(f"{self.build}\n")
            files = [*map(str, sorted(self.files)), f"{script}:/test/script", f"{folder / 'build'}:/test/build",
                     *(f"{HERE / 'guest' / name}:/test/{name}" for name in ("left", "runs.sh"))]
            code, said = self._boot([word for file in files for word in ("--file", file)], out, seconds)
            runs = self._read(said, out)
            check(code == 0, f"the machine's script ended with {code} and said\n{said}")
            missing = [name for name in self.names if name not in runs]
            check(not missing, f"nothing is known of {', '.join(missing)}; the machine said\n{said}")
            return runs

    def _boot(self, files, out, seconds):
        """(exit code, what was said)"""
        require()
        command = [RDMA_VM, *files, "--out", out, "--machines", str(self.machines), "--seconds", str(seconds)]
        if self.memlock:
            command += ["--memlock", str(self.memlock)]
        done = subprocess.run([*command, "--", "sh", "/test/script"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
        return done.returncode, done.stdout

    def _read(self, said, out):
        runs, left = {}, {}
        for line in said.splitlines():
            kind, _, rest = line.partition(" ")
            words = rest.split()
            if kind == "ended" and len(words) == 4:
                name, code, hundredths, packets = words
                runs[name] = Ended(name, None if code == "none" else int(code), int(hundredths) / 100, int(packets), out)
            elif kind == "left":
                left.setdefault(words[0], []).append(f"\n  left: {rest}")
        for name, lines in left.items():
            if name in runs:
                runs[name].left = lines
        return runs


def require():
    """The machines can be had: they are fetched and built the first time."""
    for option in ("--check", "--only-build"):
        done = subprocess.run([RDMA_VM, option], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode in (CANNOT, NOT_RUN):
            raise Skip(done.stdout.strip().splitlines()[-1])
        check(done.returncode == 0, f"rdma-vm {option}: exit code {done.returncode}, {done.stdout}")


def judge_all(runs, judge):
    """Raises Failure with all that was wrong."""
    wrong = []
    for run in runs:
        try:
            judge(run)
            print(run.in_short(), flush=True)
        except Failure as failure:
            wrong.append(str(failure))
    if wrong:
        raise Failure("\n".join(wrong))
