"""The programs by which placement is judged, with their sizes, and how each compiler makes them."""
import dataclasses
import functools
import glob
import os
import shutil
import subprocess
import sys

from .runs import Missing, RunFailed

REPOSITORY = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
sys.path.insert(0, os.path.join(REPOSITORY, "tests", "common"))
from toolchain import omp_header_folder, stock_libomp_folder  # noqa: E402

MICROBENCH = os.path.join(REPOSITORY, "microbench")
COMPILERS = ("clang-14", "clang-19", "gcc-12")
COMMON_FLAGS = ("-O3", "-fopenmp")
GENERATED = "generated_"


@dataclasses.dataclass
class Program:
    """`sizes` has the arguments for runs that take about so many seconds on one core; `sources` names files in microbench/."""
    sources: str
    sizes: dict
    flags: tuple = ()
    spins: bool = False  # on flags of its own
    more_sources: tuple = ()

    def arguments(self, seconds):
        """Of the size that is nearest to `seconds` in proportion."""
        if not self.sizes:  # generated: it was drawn for that time; the other run of a round has the result to compare with
            return ["--serial", "0"]
        nearest = min(self.sizes, key=lambda size: max(size / seconds, seconds / size))
        return self.sizes[nearest].split()


def _trap(name, small, large, **more):
    return Program(f"traps/{name}", {2: small, 10: large}, **more)


def _classes(name, **classes):
    """microbench/`name`, whose classes S, W ... take about so many seconds."""
    return Program(f"{name}/*.c", {seconds: letter for letter, seconds in classes.items()})


PROGRAMS = {
    "trap_team_array": _trap("team_array.c", "--rounds 2000 --steps 500000", "--rounds 10000 --steps 500000"),
    "trap_max_threads": _trap("max_threads.c", "--rounds 2000 --steps 500000", "--rounds 10000 --steps 500000"),
    "trap_partial_sums": _trap("partial_sums.c", "--rounds 2000 --steps 500000", "--rounds 10000 --steps 500000"),
    "trap_threadprivate": _trap("threadprivate.c", "--rounds 2000 --steps 500000", "--rounds 10000 --steps 500000"),
    "trap_kept_address": _trap("kept_address.c", "--rounds 2000 --steps 500000", "--rounds 10000 --steps 500000"),
    "trap_thread_objects": _trap("thread_objects.cpp", "--rounds 2000 --steps 500000", "--rounds 10000 --steps 500000"),
    "trap_flags": _trap("flags.c", "--rounds 500 --steps 500000", "--rounds 2500 --steps 500000", spins=True),
    "ep": Program("ep/*.c", {0.3: "S", 0.7: "W", 5: "A", 20: "A --visits 4"}, ("-DBENCHMARK_SCHEDULE=",)),
    "cg": _classes("cg", S=0.1, W=0.3, A=1, B=60),  # its loops are schedule(runtime)
    "blackscholes": Program("blackscholes/*.c", {1: "--visits 20", 10: "--visits 50 --repeats 4"}, ("-DBENCHMARK_SCHEDULE=",)),
    "mg": _classes("mg", S=0.02, W=1, A=5, B=15),
    "ft": _classes("ft", S=0.1, W=0.2, A=2.5, B=30),
    "is": _classes("is", S=0.02, W=0.2, A=2, B=10),
    "lu": Program("lu/*.c", {0.1: "S", 1.5: "W", 12: "A"}, spins=True),
    "bt": Program("adi/bt.c", {0.1: "S", 0.6: "W", 4: "A", 15: "B"}, more_sources=("adi/adi.c",)),
    "sp": Program("adi/sp.c", {0.1: "S", 1.5: "W", 15: "A"}, more_sources=("adi/adi.c",)),
    "kmeans": _classes("kmeans", S=0.02, W=0.3, A=1.6, B=12),
    "lavamd": _classes("lavamd", S=0.2, W=2, A=12),
    "lud": _classes("lud", S=0.02, W=0.4, A=3, B=14),
    "streamcluster": _classes("streamcluster", S=0.05, W=0.4, A=1.4, B=8),
    "cfd": _classes("cfd", S=0.05, W=0.5, A=3.5, B=17),
    "locks": _classes("locks", S=0.02, W=1, A=10),
    "jacobi": _classes("jacobi", S=0.01, W=1.7, A=7),
    "seidel": _classes("seidel", S=0.01, W=0.9, A=3.5),
    "primes": _classes("primes", S=0.01, W=1.6, A=9),
    "queens": _classes("queens", S=0.01, W=0.2, A=1.1, B=7.3),
    "quadrature": _classes("quadrature", S=0.002, W=0.8, A=2.2, B=4),
    "strassen": _classes("strassen", S=0.02, W=0.25, A=1.6, B=11.5),
    "growing": _classes("growing", S=0.01, W=0.9, A=5.7),
    "neighbours": Program("neighbours/neighbours.cpp", {0.05: "S", 1.2: "W", 8: "A"}),
    "phases": _classes("phases", S=0.02, W=0.5, B=4),
    "small_regions": _classes("small_regions", S=0.02, W=1, A=6),
    "one_region": _classes("one_region", S=0.5, W=2, A=10, B=40),
}


def _construct(name):
    """One construct around units of 0.35 ms that share nothing."""
    return Program("constructs/constructs.c", {0.5: f"{name} --units 1024", 2: f"{name} --units 4096", 10: f"{name} --units 20480"})


CONSTRUCTS = {f"construct_{name}": _construct(name) for name in (
    "static", "dynamic", "guided", "ordered", "doacross", "regions", "barriers", "singles", "sections", "nested", "critical", "atomic",
    "locks", "tasks", "recursion", "sums_by_recursion", "taskloop", "taskloop_of_ones", "taskloop_reduction", "task_reduction",
    "taskgroups", "dependences")}


def program_named(name):
    """One of PROGRAMS or CONSTRUCTS, or for `generated_N` what is drawn from seed N."""
    return Program(name, {}) if name.startswith(GENERATED) else PROGRAMS.get(name) or CONSTRUCTS.get(name)


def draw_source(name, seconds, folder):
    """The source of a generated program that takes about so long."""
    source = folder / f"{name}.c"
    words = [sys.executable, os.path.join(MICROBENCH, "generate", "generate.py"), name[len(GENERATED):],
             "--seconds", str(seconds), "--output", str(source)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RunFailed(f"cannot draw {name}: {done.stderr[-300:]}")
    return str(source)


def sources_of(program):
    found = sorted(path for pattern in (program.sources, *program.more_sources) for path in glob.glob(os.path.join(MICROBENCH, pattern)))
    if not found:
        raise Missing(f"no sources {program.sources}")
    return found


def is_up_to_date(target, sources, *more):
    """Whether nothing that it was made from, beside its sources or in common/, is newer."""
    inputs = [*glob.glob(os.path.join(os.path.dirname(sources[0]), "*")), *glob.glob(os.path.join(MICROBENCH, "common", "*")), __file__, *more]
    return target.exists() and target.stat().st_mtime > max(map(os.path.getmtime, inputs))


def compile_with(words, name):
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RunFailed(f"{words[0]} cannot compile {name}:\n{done.stderr[-2000:]}")


def clang_flags(compiler, build):
    library = stock_libomp_folder(compiler)
    if library is None:
        raise Missing(f"no libomp for {compiler}")
    return ["-isystem", str(omp_header_folder(build)), f"-L{library}", f"-Wl,-rpath,{library}"]


@functools.lru_cache(maxsize=None)
def compiled(name, compiler, build, seconds):
    """The program's path; compiled again when its sources or common/ have changed. Only what is generated depends on `seconds`."""
    folder = build / "placement" / compiler
    folder.mkdir(parents=True, exist_ok=True)
    program, target = program_named(name), folder / name
    sources = [draw_source(name, seconds, folder)] if name.startswith(GENERATED) else sources_of(program)
    if is_up_to_date(target, sources):
        return str(target)
    cplusplus = any(source.endswith(".cpp") for source in sources)
    if compiler.startswith("gcc"):
        driver = [compiler.replace("gcc", "g++") if cplusplus else compiler]
    else:
        driver = [compiler, *(["--driver-mode=g++"] if cplusplus else []), *clang_flags(compiler, build)]
    words = [*driver, f"-I{MICROBENCH}/generate", "-std=c++17" if cplusplus else "-std=gnu11", *COMMON_FLAGS, *program.flags, *sources,
             "-lm", "-o", str(target)]
    compile_with(words, name)
    return str(target)


def found_compilers():
    return [compiler for compiler in COMPILERS if shutil.which(compiler)]
