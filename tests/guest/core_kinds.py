"""HETMP_NODES=kinds, on machines that hwloc is told of: their kinds of cores become nodes, static loops follow their speeds."""
import os
import shutil
import subprocess
from pathlib import Path

from cases import Cases
from outcome import Skip, check
from processes import complaints

CASES = Cases()
HERE = Path(__file__).resolve().parent


class Machine:
    """Two of this machine's CPUs, and what hwloc shall believe of them and of all the CPUs that are not there."""

    def __init__(self, site):
        if not (site.build / "lib" / "libhetmp_topology.so").exists():
            raise Skip("hetmp was built without hwloc")
        cpus = sorted(os.sched_getaffinity(0))
        if len(cpus) < 2:
            raise Skip("needs two CPUs")
        self.site = site
        self.first, self.second = cpus[:2]
        self.before = ["taskset", "-c", f"{self.first},{self.second}"]
        flags = subprocess.run(["pkg-config", "--cflags", "--libs", "hwloc"], capture_output=True, text=True, check=False)
        check(flags.returncode == 0, flags.stderr)
        self.maker = site.build / "guest" / "make-machine"
        self.maker.parent.mkdir(exist_ok=True)
        site.compile(["cc", "-O1", str(HERE / "make_machine.c"), *flags.stdout.split()], self.maker)

    def with_kinds(self, *kinds, cpus=None):
        """The settings by which hwloc takes this machine for one with these kinds, each "RANK:CPUS[:NAME=VALUE]"."""
        file = self.maker.with_name(f"machine-{os.getpid()}.xml")
        made = subprocess.run([str(self.maker), str(file), str(cpus or self.second + 1), *kinds], capture_output=True, text=True, check=False)
        check(made.returncode == 0, f"{kinds}: {made.returncode}, {made.stderr}")
        return {"HETMP_NODES": "kinds", "OMP_NUM_THREADS": None, "HWLOC_XMLFILE": str(file)}

    def expect(self, shares, **settings):
        """What each thread has of 300 iterations, by each compiler. gcc divides loops that are declared static itself, evenly, and
        an equal loop that it leaves to the runtime must be divided like those."""
        for which in "runtime", "static":
            for program in self.site.programs:
                threads = len(shares.split())
                expected = " ".join([str(300 // threads)] * threads) if "gcc" in program else shares
                code, out, err = self.site.run([*self.before, program, "shares", which], **settings)
                check(code == 0 and out == expected + "\n" and err == "", f"{program} {which} {settings}: {code}, {out!r}, said {err!r}")

    def info(self, **settings):
        """{name: text} of hetmp info."""
        settings.setdefault("LD_PRELOAD", None)
        code, out, err = self.site.run([*self.before, str(self.site.build / "bin" / "hetmp"), "info"], **settings)
        check(code == 0 and err == "", f"hetmp info: {code}, said {err!r}")
        return {line[:22].strip(): line[22:].strip() for line in out.splitlines()}


@CASES.add
def core_kinds_divide_static_loops(site):
    machine = Machine(site)
    first, second = machine.first, machine.second
    settings = machine.with_kinds(f"0:{first}:FrequencyMaxMHz=1000", f"1:{second}:FrequencyMaxMHz=3000")
    machine.expect("225 75", **settings)  # the faster one is node 0
    facts = machine.info(**settings)
    check(facts["HETMP_NODES"] == "kinds" and facts["node 0"] == f"CPUs {second}, core speed ratio 3"
          and facts["node 1"] == f"CPUs {first}, core speed ratio 1", f"{facts}")
    machine.expect("150 150", HETMP_CSR="1,1", **settings)  # who knows better is obeyed
    machine.expect("100 200", HETMP_CSR="1,2", **settings)
    settings["OMP_NUM_THREADS"] = "4"
    machine.expect("113 112 38 37", **settings)


@CASES.add
def core_kinds_by_capacity(site):
    machine = Machine(site)
    settings = machine.with_kinds(f"-1:{machine.first}:LinuxCapacity=1024", f"-1:{machine.second}:LinuxCapacity=512")
    machine.expect("200 100", **settings)


@CASES.add
def core_kinds_without_speeds(site):
    """Ranks say which kind is faster, not by how much: the loop is divided evenly, the first threads are on the faster one."""
    machine = Machine(site)
    settings = machine.with_kinds(f"0:{machine.first}:CoreType=Small", f"1:{machine.second}:CoreType=Large")
    machine.expect("150 150", **settings)
    facts = machine.info(**settings)
    check(facts["node 0"].startswith(f"CPUs {machine.second}, as fast as the others"), f"{facts}")


@CASES.add
def core_kinds_all_alike(site):
    """One node and no words, but those of hetmp info."""
    machine = Machine(site)
    for settings in (machine.with_kinds(), machine.with_kinds(f"0:0-{machine.second}:FrequencyMaxMHz=2000"),
                     {"HETMP_NODES": "kinds", "OMP_NUM_THREADS": None, "HWLOC_SYNTHETIC": "core:2 pu:1"}):
        machine.expect("150 150", **settings)
        facts = machine.info(**settings)
        check(facts["HETMP_NODES"] == "kinds: the machine tells of one kind of core, which makes one node", f"{facts}")
        check(facts["node 0"] == f"CPUs {machine.first}-{machine.second}" or machine.second != machine.first + 1, f"{facts}")
        check("node 1" not in facts, f"{facts}")


@CASES.add
def core_kinds_of_a_larger_machine(site):
    """Most of its CPUs are not there: only those count that are."""
    machine = Machine(site)
    many = 128 * (machine.second // 128 + 2)
    settings = machine.with_kinds(f"0:0-{many // 2 - 1}:FrequencyMaxMHz=1000", f"1:{many // 2}-{many - 1}:FrequencyMaxMHz=3000", cpus=many)
    machine.expect("150 150", **settings)
    check("node 1" not in machine.info(**settings), "a node without CPUs")
    settings = machine.with_kinds(f"0:{machine.first},{many // 2}-{many - 2}:FrequencyMaxMHz=1500",
                                  f"1:{machine.second},{many - 1}:FrequencyMaxMHz=3000", cpus=many)
    machine.expect("200 100", **settings)
    settings = machine.with_kinds(f"1:{machine.first}:FrequencyMaxMHz=3000", f"0:{many - 1}:FrequencyMaxMHz=1500", cpus=many)
    machine.expect("150 150", **settings)  # the other CPU is of no kind


@CASES.add
def core_kinds_unknown(site):
    """The runtime without its plugin says so in one line and uses one node."""
    alone = site.build / "guest" / "alone"
    alone.mkdir(parents=True, exist_ok=True)
    shutil.copy(site.build / "lib" / "libhetmp.so", alone / ".libhetmp.so")
    (alone / ".libhetmp.so").replace(alone / "libhetmp.so")
    for program in site.programs:
        code, out, err = site.run([program, "shares", "runtime"], LD_PRELOAD=str(alone / "libhetmp.so"), HETMP_NODES="kinds", OMP_NUM_THREADS="2")
        check(code == 0 and out == "150 150\n", f"{program}: {code}, {out!r}, said {err!r}")
        check(len(complaints(err)) == len(err.splitlines()) == 1 and err.startswith("hetmp: HETMP_NODES=kinds: ")
              and "libhetmp_topology.so" in err and err.endswith("; using one node\n"), f"{program}: said {err!r}")
