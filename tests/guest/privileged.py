"""Processes that must not believe their caller, and programs for which the preload is not honoured.

Each case works on a copy of the libraries in a folder that every user may read, and on a program linked with them.
"""
import contextlib
import os
import shutil
import stat
import subprocess
import tempfile
from pathlib import Path

from cases import Cases
from modes import check_machine
from outcome import Skip, check
from processes import complaints, run_limited
from toolchain import COMPILERS

CASES = Cases()
HERE = Path(__file__).resolve().parent
SECONDS = 20
STRANGER = 65534
PRIVILEGED = "privileged, right, one process\n"
ORDINARY = "ordinary, right, one process\n"
SPREAD = "ordinary, right, several processes\n"


class Place:
    """A folder with the libraries, and with the program linked with them."""

    def __init__(self, site, folder):
        self.folder = folder
        self.libraries = folder / "lib"
        shutil.copytree(site.build / "lib", self.libraries, symlinks=True)
        self.program = folder / "program"
        compiler = next(name for name in COMPILERS if name.startswith("clang") and shutil.which(name))
        # Through a file: the driver would divide a path at its commas.
        (folder / "path").write_text(f'-rpath "{self.libraries}"\n')
        site.compile([compiler, "-O1", "-fopenmp=libomp", str(HERE / "privileged.c"), f"-L{self.libraries / 'omp'}",
                      "-Wl,--disable-new-dtags", f"-Wl,@{folder / 'path'}"], self.program)
        self.program.chmod(0o755)
        self.mine = folder / "mine"  # what only the program's owner may write
        self.mine.mkdir(mode=0o755)

    def run(self, user=None, before=(), **settings):
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("OMP_", "KMP_", "HETMP_", "LD_"))}
        environment |= {"OMP_NUM_THREADS": "4", "HETMP_PROFILE": "none", "HETMP_KNOWLEDGE": "none", "HETMP_PLACEMENT": "all"} | settings
        command = [*before, str(self.program)]
        if user is not None:
            command = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", *command]
        code, out, err = run_limited(command, environment, SECONDS)
        check(code is not None, f"{command}: still running after {SECONDS} s; {err.count(chr(10))} lines, the first {err[:200]!r}")
        check(code == 0, f"{command}: exit code {code}, {out!r}, said {err!r}")
        return out, err


@contextlib.contextmanager
def place(site, name="hetmp-guest-"):
    with tempfile.TemporaryDirectory(prefix=name) as folder:
        os.chmod(folder, 0o755)
        yield Place(site, Path(folder))


def need_root():
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        raise Skip("only root makes a program set-user-ID and runs it as somebody else")


def set_user_id(program):
    program.chmod(0o755 | stat.S_ISUID)


def set_group_id(program):
    os.chown(program, 0, 0)
    program.chmod(0o755 | stat.S_ISGID)


def set_capability(program):
    if not shutil.which("setcap"):
        raise Skip("no setcap (libcap2-bin)")
    done = subprocess.run(["setcap", "cap_sys_ptrace=ep", str(program)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Skip(f"no file capabilities here: {done.stderr.strip()}")


def check_nothing_is_believed(site, grant):
    """Whoever runs it names the files of the program's owner."""
    need_root()
    with place(site) as here:
        precious = here.mine / "precious"
        precious.write_text("precious\n")
        os.symlink(precious, here.folder / "link")
        profile = here.mine / "profile.json"
        profile.write_text("this is no profile")
        files = {"HETMP_REPORT": str(precious), "HETMP_TRACE": str(here.folder / "link")}
        out, err = here.run(**files)  # its owner may, before it gets more rights than others
        check(out == ORDINARY and err == "" and precious.read_text() != "precious\n", f"not written at all: {out!r}, said {err!r}")
        precious.write_text("precious\n")
        grant(here.program)
        for settings in (files, {"HETMP_REPORT": str(here.mine / "new.json"), "HETMP_TRACE": str(here.mine / "new")},
                         {"HETMP_REPORT": "1"}, {"HETMP_NODES": "cores:0", "HETMP_PROFILE": str(profile)},
                         {"HETMP_KNOWLEDGE": str(here.mine / "new")}, {"HETMP_KNOWLEDGE": "", "XDG_CACHE_HOME": str(here.mine)},
                         {"HETMP_PROFILE": "", "XDG_CONFIG_HOME": str(here.mine), "HOME": str(here.mine)}):
            out, err = here.run(STRANGER, OMP_SCHEDULE="hetprobe", **settings)
            check(out == PRIVILEGED and err == "", f"{settings}: {out!r}, said {err!r}")
        check(precious.read_text() == "precious\n", f"now it holds {precious.read_text()[:100]!r}")
        check(sorted(file.name for file in here.mine.iterdir()) == ["precious", "profile.json"], f"{list(here.mine.iterdir())}")
        # Nothing that another library would read names of files from is loaded.
        out, err = here.run(STRANGER, OMP_PLACES="cores", HWLOC_PLUGINS_PATH=str(here.mine), HWLOC_XMLFILE=str(precious))
        check(out == PRIVILEGED and len(complaints(err)) == len(err.splitlines()) == 1 and "OMP_PLACES=cores" in err, f"{out!r}, said {err!r}")
        # Numbers and words are as ever.
        out, err = here.run(STRANGER, OMP_NUM_THREADS="3", OMP_DISPLAY_ENV="true")
        check(out == PRIVILEGED and "OMP_NUM_THREADS='3'" in err, f"{out!r}, said {err!r}")


def check_one_node(site, grant):
    need_root()
    with place(site) as here:
        grant(here.program)
        plan = "process=1 transport=shared-memory node=0 cpus=0;1"
        for settings in ({"HETMP_NODES": "proc:2"}, {"HETMP_NODES": "hosts:0;0", "HETMP_LAUNCH": plan}):
            out, err = here.run(STRANGER, **settings)
            check(out == PRIVILEGED and len(complaints(err)) == len(err.splitlines()) == 1 and
                  f"HETMP_NODES={settings['HETMP_NODES']}: " in err and "one node" in err, f"{settings}: {out!r}, said {err!r}")


@CASES.add
def set_user_id_programs_believe_nothing(site):
    check_nothing_is_believed(site, set_user_id)


@CASES.add
def set_group_id_programs_believe_nothing(site):
    check_nothing_is_believed(site, set_group_id)


@CASES.add
def programs_with_capabilities_believe_nothing(site):
    check_nothing_is_believed(site, set_capability)


@CASES.add
def set_user_id_programs_stay_on_one_node(site):
    check_one_node(site, set_user_id)


@CASES.add
def programs_with_capabilities_stay_on_one_node(site):
    check_one_node(site, set_capability)


@CASES.add
def ambient_capability_gives_nodes(site):
    """As docs/using.md advises those who are refused userfaultfd."""
    need_root()
    with place(site) as here:
        ambient = ["setpriv", "--inh-caps", "+sys_ptrace", "--ambient-caps", "+sys_ptrace", f"--reuid={STRANGER}",
                   f"--regid={STRANGER}", "--clear-groups"]
        if subprocess.run([*ambient, "true"], capture_output=True, check=False).returncode != 0:
            raise Skip("CAP_SYS_PTRACE cannot be passed on here")
        check_machine("proc2", site.build)
        out, err = here.run(before=ambient, HETMP_NODES="proc:2")
        check(out == SPREAD and err == "", f"{out!r}, said {err!r}")


def check_one_line(here, nodes="proc:2", lines=1):
    """Its children inherit nothing of an attempt."""
    out, err = here.run(HETMP_NODES=nodes)
    check(out == ORDINARY and len(complaints(err)) == 1 and len(err.splitlines()) == lines and "one node" in err, f"{out!r}, said {err!r}")


@CASES.add
def library_in_an_odd_folder(site):
    """What is to be preloaded cannot be named where blanks and colons divide names."""
    check_machine("proc2", site.build)
    with place(site, "hetmp guest ") as here:
        check_one_line(here)
    with place(site) as here:  # a colon divides a program's own search path as well: it finds the library where it is run
        colon = here.folder / "with:colon"
        here.libraries.rename(colon)
        with contextlib.chdir(colon):
            out, err = here.run(HETMP_NODES="proc:2", LD_LIBRARY_PATH=".")
        check(out == ORDINARY and len(complaints(err)) == len(err.splitlines()) == 1 and "one node" in err, f"{out!r}, said {err!r}")


@CASES.add
def library_that_cannot_be_preloaded(site):
    """It is there, and the dynamic linker does not take it: the program finds out when it has been executed again."""
    check_machine("proc2", site.build)
    with place(site) as here:
        (here.libraries / "libhetmp_dsm.so").write_text("no library\n")
        check_one_line(here, lines=2)  # the dynamic linker has a word of its own
