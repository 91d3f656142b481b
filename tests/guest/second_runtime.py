"""A second OpenMP runtime in the process: libgomp, libomp, another copy of hetmp. Merely loaded, serving others, or half of a program."""
import os
import shutil
import subprocess
from pathlib import Path

from cases import Cases
from outcome import Skip, check
from processes import complaints
from toolchain import COMPILERS, compile_program, first_of, omp_header_folder, stock_libomp_folder

CASES = Cases()
HEADING = "Other OpenMP runtimes in this process:"
NOBODY = ", which nobody uses"
NUMPY = """
import ctypes, os, sys
import numpy
numbers = numpy.arange(250000, dtype=float).reshape(500, 500) % 7
product = numbers @ numbers
assert (product[3] == [sum(numbers[3, k] * numbers[k, j] for k in range(500)) for j in range(500)]).all()
for _ in range(20):
    assert (numbers @ numbers == product).all()
child = os.fork()
if child == 0:
    os._exit(0 if (numbers @ numbers == product).all() else 1)
assert os.waitpid(child, 0)[1] == 0
used = {line.split()[-1].rpartition("/")[2] for line in open("/proc/self/maps") if line.count("/")}
print("openmp" if any(name.startswith("libgomp") for name in used) and any("openblas" in name for name in used) else "other",
      len(os.listdir("/proc/self/task")))
sys.stdout.flush()
ctypes.CDLL(None).omp_display_env(1)
"""


def stock(*patterns):
    found = first_of(*patterns)
    if not found:
        raise Skip(f"none of {', '.join(patterns)} is here")
    return found


def libgomp():
    done = subprocess.run(["gcc-12", "-print-file-name=libgomp.so.1"], capture_output=True, text=True, check=False) \
        if shutil.which("gcc-12") else None
    if done is None or not Path(done.stdout.strip()).is_absolute():
        raise Skip("no gcc-12 with its libgomp")
    return Path(done.stdout.strip()).resolve()


def libomp(site):
    folder = stock_libomp_folder(clang())
    if not folder:
        raise Skip("no libomp as new as the compiler")
    return folder / "libomp.so"


def clang():
    found = [name for name in COMPILERS if name.startswith("clang") and shutil.which(name)]
    if not found:
        raise Skip("no clang")
    return found[0]


def own(site):
    return site.build / "lib" / "libhetmp.so"


def made(site, name, compiler, source, *flags):
    """A program or library of this folder; `flags` end with the libraries it is linked to, in their order."""
    folder = site.build / "guest"
    folder.mkdir(exist_ok=True)
    where = [] if compiler.startswith("gcc") else ["-isystem", str(omp_header_folder(site.build))]
    site.compile([compiler, "-O1", "-fopenmp", *where, str(Path(__file__).parent / source), *flags], folder / name)
    return str(folder / name)


def in_order(*libraries):
    """Flags for linking with all of these, whether something of them is needed or not."""
    return ["-Wl,--no-as-needed", *map(str, libraries), "-Wl,--as-needed", *(f"-Wl,-rpath,{Path(library).parent}" for library in libraries)]


def asking_program(site, name, *libraries):
    """By clang: its regions are __kmpc_ entries, which libgomp does not have. What -fopenmp adds itself comes last and is not needed."""
    return made(site, name, clang(), "asking.c", "-DPROGRAM", *in_order(*libraries), f"-L{site.build / 'lib' / 'omp'}")


def listed(text):
    """{file of a runtime: who uses it} of what KMP_SETTINGS and OMP_DISPLAY_ENV=verbose tell."""
    if HEADING in text:
        lines = [line[3:] for line in text.split(HEADING, 1)[1].strip("\n").split("\n\n")[0].splitlines()]
    else:
        lines = [line.split(": ", 1)[1] for line in text.splitlines() if line.startswith("  [host] another OpenMP runtime: ")]
    found = {}
    for line in lines:
        path, _, users = line.partition(", used by ")
        found[Path(path.removesuffix(NOBODY)).resolve()] = [Path(user).name for user in users.split(", ")] if users else []
    return found


def expect(site, command, out, said="", **settings):
    """The same output and the same words of hetmp: none, or one line with all of `said`."""
    code, got, err = site.run(command, **settings)
    check(code == 0 and got == out, f"{command} {settings}: {code}, {got!r}, said {err!r}")
    lines = err.splitlines()
    if not said:
        check(not lines, f"{command} {settings}: said {err!r}")
        return
    check(len(lines) == len(complaints(err)) == 1, f"{command} {settings}: said {err!r}")
    for part in said:
        check(part in err, f"{command} {settings}: {part!r} is not in {err!r}")


@CASES.add
def second_runtime_merely_loaded(site):
    """Preloaded before libgomp and libomp, hetmp answers for both; it names them where it is asked to, and says nothing else."""
    both = f"{own(site)}:{libgomp()}:{libomp(site)}"
    for program in site.programs:
        expect(site, [program, "team"], "4 4\n", LD_PRELOAD=both)
        expect(site, [program, "team"], "4 4\n", ["KMP_DUPLICATE_LIB_OK=maybe: ", "; using false"], KMP_DUPLICATE_LIB_OK="maybe")
        code, out, err = site.run([program, "team"], LD_PRELOAD=both, KMP_SETTINGS="1")
        check(code == 0 and out == "4 4\n", f"{program}: {code}, {out!r}, said {err!r}")
        found = listed(err)
        check({libgomp().resolve(), libomp(site).resolve()} <= set(found) and not any(found.values()), f"{program}: {found} of {err!r}")
        code, out, err = site.run([program, "team"], LD_PRELOAD=both, OMP_DISPLAY_ENV="true")
        check("another OpenMP runtime" not in err, f"nobody asked: {err!r}")


@CASES.add
def second_runtime_is_not_told_of_schedules(site):
    """libgomp, which a program of gcc's brings, does not know hetmp's kinds: `hetmp run --schedule` must not put them where it looks."""
    libgomp()
    program = str(compile_program(Path(__file__).with_name("guest.c"), "gcc-12", site.build))
    tool = [str(site.build / "bin" / "hetmp"), "run", "--cores", "0;1", "--schedule", "hetprobe,5"]
    if not {0, 1} <= os.sched_getaffinity(0):
        raise Skip("needs CPUs 0 and 1")
    code, out, err = site.run([*tool, "--", program, "shares", "runtime"], LD_PRELOAD=None, HETMP_REPORT="1")
    check(code == 0 and sum(map(int, out.split())) == 300, f"{code}, {out!r}, said {err!r}")
    check("hetprobe" in err and not [line for line in err.splitlines() if not line.startswith("hetmp: ")], f"said {err!r}")


@CASES.add
def second_runtime_linked_before(site):
    """Regions are hetmp's, routines are libgomp's: the program is told in one line, and runs; where hetmp is first nothing is to be told."""
    first = asking_program(site, "hetmp-first", own(site), libgomp())
    expect(site, [first], "5050\n", LD_PRELOAD=None)
    expect(site, [first], "5050\n", LD_PRELOAD=str(libgomp()))  # found first by name, but it has not the versions asked for
    second = asking_program(site, "gomp-first", libgomp(), own(site))
    wrong = "20200\n"  # libgomp tells each of four threads that it is alone
    parts = [second, "libgomp.so.1", "omp_get_", "__kmpc_"]
    expect(site, [second], wrong, parts, LD_PRELOAD=None)
    for silent in ({"KMP_DUPLICATE_LIB_OK": "true"}, {"KMP_DUPLICATE_LIB_OK": "1"}, {"KMP_WARNINGS": "0"}):
        expect(site, [second], wrong, LD_PRELOAD=None, **silent)
    expect(site, [second], wrong, parts, LD_PRELOAD=None, KMP_DUPLICATE_LIB_OK="false")
    code, out, err = site.run([second], LD_PRELOAD=None, KMP_SETTINGS="1", KMP_WARNINGS="0")
    check(listed(err).get(libgomp().resolve()) == ["gomp-first"], f"{code}, {out!r}, said {err!r}")
    expect(site, [second], "5050\n")  # as the line says: preloaded, all is well


@CASES.add
def second_runtime_answers_alone(site):
    """libomp before hetmp has all that the program calls: it is libomp's program, and neither of them minds. Nothing of hetmp starts."""
    for order in ([libomp(site), own(site)], [own(site), libomp(site)]):
        program = asking_program(site, f"{order[0].stem}-before-{order[1].stem}", *order)
        expect(site, [program], "5050\n", LD_PRELOAD=None)
        code, _, err = site.run([program], LD_PRELOAD=None, KMP_VERSION="1")
        check(code == 0 and ("in the place of libomp" in err) == (order[0] == own(site)), f"{order}: {code}, said {err!r}")


@CASES.add
def second_runtime_of_a_library(site):
    """A library with dependences of its own order has libgomp to itself beside the program's hetmp; both work, each for its own."""
    library = made(site, "libgcc-asking.so", "gcc-12", "asking.c", "-shared", "-fPIC")
    libgomp()
    for compiler in [name for name in COMPILERS if shutil.which(name)]:
        linked = [] if compiler.startswith("gcc") else [f"-L{stock_libomp_folder(compiler) or site.build / 'lib' / 'omp'}"]
        host = made(site, f"deep-host-{compiler}", compiler, "deep_host.c", "-ldl", *linked)
        for deep in ([], ["deep"]):
            code, out, err = site.run([host, library, *deep])
            check(code == 0 and out == "5050 5050 10100 55\n", f"{host} {deep}: {code}, {out!r}, said {err!r}")
            check(not complaints(err), f"{host} {deep}: said {err!r}")
            users = listed(err).get(libgomp().resolve())
            check(users == (["libgcc-asking.so"] if deep else []), f"{host} {deep}: {users}, said {err!r}")


@CASES.add
def second_runtime_of_a_program(site):
    """A program with libgomp loads a library that hetmp comes with: each has its own, by the versions of their entries. A library that is
    divided itself is told."""
    host = made(site, "gomp-host", "gcc-12", "host.c", "-Wl,--no-as-needed", str(libgomp()), "-ldl")
    where = [f"-L{site.build / 'lib' / 'omp'}", f"-Wl,-rpath,{site.build / 'lib' / 'omp'}", "-shared", "-fPIC"]
    silent = made(site, "libclang-plugin.so", clang(), "plugin.c", *where)
    expect(site, [host, "3", silent], "3 right\n", LD_PRELOAD=None)
    asking = made(site, "libclang-asking.so", clang(), "asking.c", *where)
    expect(site, [host, "3", silent, asking], "6 right\n", LD_PRELOAD=None)
    divided = made(site, "libdivided.so", clang(), "asking.c", "-shared", "-fPIC", *in_order(libgomp(), own(site)), *where)
    parts = [divided, "libgomp.so.1", "omp_get_", "__kmpc_"]
    for program in host, site.host():
        expect(site, [program, "1", divided], "0 right\n", parts, LD_PRELOAD=None)
        expect(site, [program, "2", divided, asking], "4 right\n")


@CASES.add
def second_runtime_is_a_copy(site):
    """Of hetmp, under libomp's name: the first one answers, the other does not even start."""
    folder = site.build / "guest" / "copy"
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(own(site), folder / ".libomp.so")
    (folder / ".libomp.so").replace(folder / "libomp.so")
    program = asking_program(site, "with-a-copy", folder / "libomp.so")
    both = f"{own(site)}:{folder / 'libomp.so'}"
    expect(site, [program], "5050\n", LD_PRELOAD=both)
    code, out, err = site.run([program], LD_PRELOAD=both, KMP_VERSION="1", KMP_SETTINGS="1")
    check(code == 0 and out == "5050\n" and len(complaints(err)) == 1, f"{code}, {out!r}, said {err!r}")
    check(listed(err) == {folder / "libomp.so": []}, f"said {err!r}")


@CASES.add
def second_runtime_under_numpy(site):
    """OpenBLAS with OpenMP under numpy, in a Python that knows nothing of it."""
    python = stock("/usr/bin/python3")
    stock("/usr/lib/python3/dist-packages/numpy/__init__.py")
    stock("/usr/lib/*/openblas-openmp/libblas.so.3")
    code, out, err = site.run([str(python), "-c", NUMPY], PYTHONPATH=None)
    if code == 0 and out.startswith("other"):
        raise Skip("numpy's BLAS is not the OpenBLAS with OpenMP")
    check(code == 0 and out == "openmp 4\n" and not complaints(err), f"{code}, {out!r}, said {err!r}")
    check(listed(err).get(libgomp().resolve()) == [], f"said {err!r}")


@CASES.add
def second_runtime_in_info(site):
    tool = str(site.build / "bin" / "hetmp")
    code, out, err = site.run([tool, "info"], LD_PRELOAD=None)
    check(code == 0 and err == "" and "other OpenMP runtimes" in out and "warned of in one line" in out and "preloaded" not in out, out + err)
    code, out, err = site.run([tool, "info"], LD_PRELOAD=str(libgomp()), KMP_DUPLICATE_LIB_OK="true")
    check(code == 0 and "not warned of" in out and any(line.split()[:2] == ["preloaded", f"{libgomp()};"] for line in out.splitlines()), out)


@CASES.add
def libgomp_has_bound_the_initial_thread_before(site):
    """Its constructor is earlier; the CPUs that it leaves to that thread are not those of the process."""
    libgomp()
    if not {0, 1} <= os.sched_getaffinity(0):
        raise Skip("needs CPUs 0 and 1")
    program = made(site, "bound", "gcc-12", "bound.c")
    for setting in ({"OMP_PROC_BIND": "true"}, {"OMP_PROC_BIND": "spread"}, {"OMP_PLACES": "threads"}, {"OMP_PLACES": "{0},{1}"},
                    {"GOMP_CPU_AFFINITY": "1 0"}, {"OMP_PROC_BIND": "false"}, {}):
        alone = site.run([program], LD_PRELOAD=None, OMP_NUM_THREADS=None, **setting)
        preloaded = site.run([program], OMP_NUM_THREADS=None, **setting)
        check(alone[0] == 0 and preloaded == alone, f"{setting}: {preloaded}, with libgomp {alone}")
