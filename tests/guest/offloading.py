"""A program whose target regions run on devices that LLVM's offloading library serves: x86-64 images in the process itself."""
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from cases import Cases
from modes import check_machine, environment_for
from outcome import Skip, check
from processes import run_limited
from toolchain import omp_header_folder, stock_libomp_folder

HERE = Path(__file__).resolve().parent
CASES = Cases()
COMPILERS = ("clang-16", "clang-19")  # what clang-14 makes of the program never ends, also beside its own libraries
TARGETS = "-fopenmp-targets=x86_64-pc-linux-gnu"
SECONDS = 60


def stock_program(site, compiler):
    """(program, folder of its libraries) that has devices without hetmp; None where the compiler or its libraries cannot do that."""
    folder = stock_libomp_folder(compiler)
    if not folder or not (folder / "libomptarget.so").exists():
        return None
    made = site.build / "guest" / f"offloading-{compiler}"
    made.parent.mkdir(exist_ok=True)
    command = [compiler, "-O1", "-fopenmp", TARGETS, "-isystem", str(omp_header_folder(site.build)),
               str(HERE / "offloading.c"), f"-L{folder}", f"-Wl,-rpath,{folder}"]
    temporary = tempfile.mktemp(dir=made.parent)  # moved into place when complete: other tests may be running it
    if subprocess.run([*command, "-o", temporary], capture_output=True, check=False).returncode != 0:
        return None
    os.replace(temporary, made)
    return str(made), folder


def stock_output(program):
    environment = environment_for("one", {}, None, stock=True)
    code, out, err = run_limited([program], environment, SECONDS)
    devices = re.match(r"devices (\d+)", out)
    return out if code == 0 and err == "" and devices and int(devices[1]) > 0 else None


def programs(site):
    """[(program, folder of its libraries, what it prints without hetmp)]"""
    found = []
    for compiler in filter(shutil.which, COMPILERS):
        made = stock_program(site, compiler)
        output = stock_output(made[0]) if made else None
        if output:
            found.append((*made, output))
    if not found:
        raise Skip("no clang with an offloading library and devices (scripts/install-deps all)")
    return found


def expect(site, program, output, **settings):
    code, out, err = site.run([program], **settings)
    check(code == 0 and out == output and err == "", f"{program} {settings}: {code}, {out!r} and not {output!r}, said {err!r}")


@CASES.add
def devices_are_the_offloading_librarys(site):
    for program, _, output in programs(site):
        expect(site, program, output)


@CASES.add
def devices_beside_a_libomp_that_is_looked_up(site):
    """Since LLVM 17 the offloading library looks for the host runtime by name, and has the libomp that it finds begin."""
    for program, folder, output in programs(site):
        expect(site, program, output, LD_LIBRARY_PATH=str(folder))


@CASES.add
def devices_of_a_program_that_finds_hetmp_by_path(site):
    for program, _, output in programs(site):
        expect(site, program, output, LD_PRELOAD=None, LD_LIBRARY_PATH=str(site.build / "lib" / "omp"))


@CASES.add
def devices_of_a_program_on_node_processes(site):
    check_machine("proc2", site.build)
    for program, _, output in programs(site):
        expect(site, program, output, HETMP_NODES="proc:2")
