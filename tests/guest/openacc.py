"""OpenACC programs of gcc's, with hetmp before libgomp and in its place."""
import shutil
from pathlib import Path

from cases import Cases
from modes import environment_for
from outcome import Skip, check
from processes import run_limited

CASES = Cases()
HERE = Path(__file__).parent
COMPILERS = {"openacc.c": "gcc-12", "openacc.f90": "gfortran-12"}
SECONDS = 60


def programs(site):
    """[(program, what it prints on libgomp)]"""
    found = []
    folder = site.build / "guest"
    folder.mkdir(exist_ok=True)
    for source, compiler in COMPILERS.items():
        if not shutil.which(compiler):
            continue
        made = folder / source.replace(".", "-")
        site.compile([compiler, "-O1", "-fopenacc", str(HERE / source)], made)
        code, out, err = run_limited([str(made)], environment_for("one", {}, None, stock=True), SECONDS)
        check(code == 0 and out and err == "", f"{made} on libgomp: {code}, {out!r}, said {err!r}")
        found.append((str(made), out))
    if not found:
        raise Skip(f"none of {', '.join(COMPILERS.values())}")
    return found


@CASES.add
def openacc_in_libgomps_place(site):
    for program, output in programs(site):
        for preload in (None, str(site.build / "lib" / "libhetmp.so")):
            code, out, err = site.run([program], LD_PRELOAD=preload, LD_LIBRARY_PATH=str(site.build / "lib" / "omp"))
            check(code == 0 and out == output and err == "", f"{program}: {code}, {out!r} and not {output!r}, said {err!r}")


@CASES.add
def openacc_before_libgomp(site):
    """libgomp does it, which may know devices; the vendor of the host tells who answers."""
    for program, output in programs(site):
        code, out, err = site.run([program])
        check(code == 0 and out == output and err == "", f"{program}: {code}, {out!r} and not {output!r}, said {err!r}")
        if program.endswith("-c"):
            behind = site.run([program, "vendor"])
            check(behind == (0, "vendor GNU\n", ""), f"with libgomp behind: {behind}")
            alone = site.run([program, "vendor"], LD_LIBRARY_PATH=str(site.build / "lib" / "omp"))
            check(alone == (0, "vendor \n", ""), f"without libgomp: {alone}")
