#!/usr/bin/env python3
"""Programs in C, C++ and Fortran, as stock compilers make them: linked with the build's lib/omp in libomp's or libgomp's place, and linked
with the compiler's own runtime and run with hetmp preloaded.

    linked.py --build BUILD

A program passes if it ends with 0, says "done" and nothing else, and the loader found its regions' entry points in hetmp.
Exit codes: 0 passed, 1 failed, 77 skipped (no compiler is here).
"""
import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "common"))
from modes import environment_for  # noqa: E402
from outcome import SKIPPED, Failure  # noqa: E402
from toolchain import omp_header_folder, stock_libomp_folder  # noqa: E402

PROGRAMS = HERE / "linked"
# Of each compiler: what it compiles.
COMPILERS = {
    "clang-14": "program.c", "clang-16": "program.c", "clang-19": "program.c", "gcc": "program.c",
    "clang++-14": "program.cpp", "clang++-16": "program.cpp", "clang++-19": "program.cpp", "g++": "program.cpp",
    "flang-new-19": "program.f90", "gfortran": "program.f90",
}
SECONDS = 60


def call(words, environment=None):
    done = subprocess.run([str(word) for word in words], env=environment, capture_output=True, text=True, timeout=SECONDS)
    if done.returncode != 0:
        raise Failure(f"{' '.join(map(str, words))}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def compile_program(compiler, source, flags, program, header):
    own_header = ["-isystem", header] if compiler.startswith("clang") else []
    call([compiler, "-O1", "-fopenmp", *flags, *own_header, source, "-o", program,
          *(["-J", program.parent] if source.suffix == ".f90" else [])])


def owners_of_entries(program, environment):
    """The libraries in which the loader found the entry points of the program's regions."""
    notes = program.parent / "bindings"
    call([program], environment | {"LD_DEBUG": "bindings", "LD_DEBUG_OUTPUT": str(notes)})
    found = set()
    for part in program.parent.glob("bindings.*"):
        text = part.read_text(errors="replace")
        found.update(re.findall(r"binding file \S*/" + re.escape(program.name) + r" \[0\] to (\S+) \[0\]: normal symbol "
                                r"`(?:GOMP_parallel\w*|__kmpc_fork_call)'", text))
        part.unlink()
    return found


def check(what, program, environment, library):
    said = call([program], environment)
    if said.split() != ["done"]:
        raise Failure(f"{what}: said {said!r}")
    owners = owners_of_entries(program, environment)
    if not owners or {Path(owner).resolve() for owner in owners} != {library}:
        raise Failure(f"{what}: its regions are those of {', '.join(sorted(owners)) or 'nothing'}, not of {library}")
    print(f"passed: {what}", flush=True)


def check_both_ways(compiler, source, flags, build, folder):
    library = (build / "lib" / "libhetmp.so").resolve()
    links = build / "lib" / "omp"
    header = omp_header_folder(build)
    environment = environment_for("one", {}, build, stock=True)
    program = folder / f"{compiler}-{source.stem}"
    what = f"{source.name} by {compiler}"

    compile_program(compiler, source, [*flags, f"-L{links}", f"-Wl,-rpath,{links}"], program, header)
    check(f"{what}, linked", program, environment, library)

    stock = [] if compiler.startswith("g") else stock_libomp_folder(re.sub(r"^\D+", "clang-", compiler))
    if stock is None:
        print(f"not here: a libomp to link {what} with")
        return
    compile_program(compiler, source, [*flags, *([f"-L{stock}", f"-Wl,-rpath,{stock}"] if stock else [])], program, header)
    check(f"{what}, preloaded", program, environment | {"LD_PRELOAD": str(library)}, library)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--build", type=Path, required=True)
    build = arguments.parse_args().build.resolve()
    failed = ran = 0
    with tempfile.TemporaryDirectory(prefix="hetmp-linked-") as folder:
        for compiler, name in COMPILERS.items():
            if not shutil.which(compiler):
                print(f"not here: {compiler}")
                continue
            cases = [(name, [])] + ([("integer8.f90", ["-fdefault-integer-8"])] if compiler == "gfortran" else [])
            for source, flags in cases:
                ran += 1
                try:
                    check_both_ways(compiler, PROGRAMS / source, flags, build, Path(folder))
                except Failure as failure:
                    print(f"FAILED: {failure}", flush=True)
                    failed += 1
    if ran == 0:
        return SKIPPED
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
