# -*- Python -*-
# Tells lit how the OpenMP tests of an LLVM release run on hetmp: it sets what LLVM's build would have set, with hetmp in libomp's
# place, and lets the tests' own lit.cfg do the rest. What differs from machine to machine comes from run.py as parameters.
import os
import platform
import re
import subprocess

config, lit_config = config, lit_config  # noqa: F821  (lit defines them)
given = lit_config.params


def family_and_version(compiler):
    words = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True).stdout
    found = re.search(r"(clang) version (\d+)\.(\d+)\.(\d+)|^(gcc)\S* \(.*\) (\d+)\.(\d+)\.(\d+)", words)
    if not found:
        lit_config.fatal(f"{compiler} is neither clang nor gcc")
    family, *numbers = filter(None, found.groups())
    return family, numbers


def features_of(compiler):
    """What the tests' conditions call the compiler: clang, clang-19, clang-19.1, clang-19.1.7."""
    family, numbers = family_and_version(compiler)
    return [family, *(f"{family}-" + ".".join(numbers[:count]) for count in (1, 2, 3))]


def cxx_compiler(compiler):
    if family_and_version(compiler)[0] == "clang":
        return compiler + " --driver-mode=g++"
    folder, name = os.path.split(compiler)
    return os.path.join(folder, name.replace("gcc", "g++", 1))


def check_library():
    """A program built and run as the tests are must find hetmp, not a libomp that lies somewhere on the way."""
    os.makedirs(given["work"], exist_ok=True)
    program = os.path.join(given["work"], "which-library")
    command = f"{config.test_c_compiler} {given['flags']} {config.test_flags} {given['which_library']} -o {program} && {program}"
    done = subprocess.run(command, shell=True, env=config.environment, capture_output=True, text=True)
    owner = done.stdout.split("\n")[0]
    if done.returncode != 0 or os.path.realpath(owner) != os.path.realpath(given["library"]):
        lit_config.fatal(f"programs run on {owner or 'nothing'}, not on {given['library']}\n{command}\n{done.stderr}")


def configure():
    for name in ("LIBRARY_PATH", "LD_LIBRARY_PATH", "LD_PRELOAD"):  # lit hands them on; they could name another runtime
        config.environment.pop(name, None)

    config.test_c_compiler = given["compiler"]
    config.test_cxx_compiler = cxx_compiler(given["compiler"])
    config.test_fortran_compiler = ""
    config.test_compiler_features = features_of(given["compiler"])
    # Tests of what a compiler and its omp.h agree on take gcc's; for clang given["headers"] serves them, too.
    config.test_compiler_has_omp_h = family_and_version(given["compiler"])[0] == "gcc"
    config.is_standalone_build = True
    config.test_openmp_flags = given["flags"]
    config.test_extra_flags = f"-DHETMP_SLEEP_SCALE={given['sleep_scale']}"
    config.test_filecheck = os.path.join(given["tools"], "FileCheck")
    config.test_not = os.path.join(given["tools"], "not")
    config.llvm_tools_dir = given["tools"]

    config.libomp_obj_root = given["work"]
    config.library_dir = given["libraries"]  # where hetmp has the names of the runtime
    config.omp_header_directory = given["headers"]
    config.operating_system = platform.system()
    config.target_arch = platform.machine()
    config.compiler_frontend_variant = ""
    config.compiler_simulate_id = ""
    config.using_hwloc = False  # asks for a runtime that takes KMP_TOPOLOGY_METHOD=hwloc
    config.hwloc_library_dir = ""
    config.has_ompt = True
    config.has_ompx_taskgraph = False  # an experiment of LLVM's, off in its releases
    config.has_omp_taskgraph_experimental = False
    config.has_libm = True
    config.has_libatomic = False
    config.has_omit_frame_pointer_flag = True

    lit_config.maxIndividualTestTime = int(given["seconds"])
    lit_config.load_config(config, os.path.join(given["tests"], "lit.cfg"))

    config.name = "llvm-" + given["version"]
    config.environment.update(word.split("=", 1) for word in given["environment"].split())
    check_library()


configure()
