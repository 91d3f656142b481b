"""The run-tests of gcc's libgomp: which there are, and the programs that the compilers make of them, kept from one run to the next."""
import functools
import hashlib
import re
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import directives

COMPILERS = {"c": "gcc-12", "c++": "g++-12", "fortran": "gfortran-12"}
PATTERNS = {"c": ["*.c"], "c++": ["*.C"], "fortran": ["*.f", "*.F", "*.f90", "*.F90", "*.f95", "*.f03", "*.f08"]}
COMMON = "c-c++-common"  # is compiled by both
# Where a test names none; Fortran tests get them in any case. gcc runs its C and C++ with -O2 and Fortran with seven sets; what is
# tested here is the library, and -O1 takes two thirds of the time.
OPTIONS = ["-O1"]
ALWAYS = ["-fopenmp", "-fmessage-length=0", "-fno-diagnostics-show-caret", "-fdiagnostics-color=never", "-w"]
SECONDS = 600            # for a compiler

# Effective targets: what gcc 12 for x86-64 Linux without accelerators has, and has not.
PRESENT = {"size32plus", "tls", "tls_runtime", "sync_int_long", "lto", "shared", "fpic", "large_long_double", "lp64",
           "vect_simd_clones", "fd_truncate", "__float128", "offload_device_shared_as"}  # the last: the host is the device
ABSENT = {"ia32", "aarch64_tiny", "run_expensive_tests", "skip-all-targets", "offload_device", "offload_device_nonshared_as",
          "offload_device_any_intel_mic", "offload_device_nvptx", "offload_target_nvptx",
          "offload_target_amdgcn"}
OF_CPUS = {"sse2_runtime": "sse2", "avx_runtime": "avx"}


@dataclass
class Program:
    """A run-test as one compiler makes it."""
    name: str           # language/file; of what C and C++ share language/c-c++-common/file
    source: Path
    language: str
    test: directives.Test
    binary: Path        # appears when it is compiled
    failure: Path       # appears when it cannot be; holds what the compiler said
    command: list       # without the name of the output


@functools.cache
def cpu_flags():
    return set(re.search(r"^flags\s*:(.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)[1].split())


def knows(language):
    """has() for directives.parse."""
    def has(name):
        if name in COMPILERS:
            return name == language
        if name in OF_CPUS:
            return OF_CPUS[name] in cpu_flags()
        if name not in PRESENT | ABSENT:
            raise directives.Unknown(f"the effective target {name}")
        return name in PRESENT
    return has


def _digest(*parts):
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def _suite_digest(suite):
    """Changes with any file of the suite, since tests include each other, and with the compilers."""
    versions = [subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True).stdout
                for compiler in COMPILERS.values()]
    files = sorted(path for path in suite.rglob("*") if path.is_file())
    return _digest(*versions, *(f"{path} {hashlib.sha256(path.read_bytes()).hexdigest()}" for path in files))


def _sources(tests):
    """(language, name, file) of all that the suite's own drivers look at."""
    for language, patterns in PATTERNS.items():
        folders = {"": tests / f"libgomp.{language}"}
        if language != "fortran":
            folders[COMMON + "/"] = tests / f"libgomp.{COMMON}"
        for prefix, folder in folders.items():
            for pattern in patterns if not prefix else ["*.c"]:
                for source in sorted(folder.rglob(pattern)):
                    yield language, f"{language}/{prefix}{source.relative_to(folder)}", source


def _command(suite, language, source, test):
    options = OPTIONS if language == "fortran" or not test.has_options else []
    command = [COMPILERS[language], *ALWAYS, f"-I{suite / 'include'}", f"-I{suite / 'libgomp'}", *options, *test.options,
               *test.more_options]
    sources = [str(source), *(str(source.parent / name) for name in test.sources)]
    of_c = ["-x", "c++"] if language == "c++" and source.suffix == ".c" else []
    return [*command, *of_c, *sources, *(["-x", "none"] if of_c else []), "-lm"]


def find(suite, kept):
    """All run-tests of the suite. What the compilers make of them lies in the folder `kept`, under names that change with the
    compilers, their options and the suite."""
    digest, found = _suite_digest(suite), []
    for language, name, source in _sources(suite / "libgomp" / "testsuite"):
        test = directives.parse(source.read_text(errors="replace"), knows(language), OPTIONS)
        if test.action == "run":
            command = _command(suite, language, source, test)
            base = kept / (name.replace("/", "+") + "-" + _digest(digest, *command))
            found.append(Program(name, source, language, test, base, base.with_name(base.name + ".failed"), command))
    return found


def compile_program(program):
    """What the compiler said if there is no program, otherwise nothing."""
    if program.binary.exists():
        return None
    if program.failure.exists():
        return program.failure.read_text()
    program.binary.parent.mkdir(parents=True, exist_ok=True)
    # Modules and dumps go to a folder of their own, since several compilers run at a time.
    with tempfile.TemporaryDirectory(dir=program.binary.parent) as folder:
        result, said = Path(folder) / "program", Path(folder) / "said"
        try:
            done = subprocess.run([*program.command, "-o", str(result)], cwd=folder, capture_output=True, text=True,
                                  errors="replace", timeout=SECONDS)
        except subprocess.TimeoutExpired:
            return f"the compiler did not end within {SECONDS} s"
        if done.returncode == 0:
            result.rename(program.binary)
            return None
        said.write_text(" ".join(program.command) + "\n" + done.stderr)
        said.rename(program.failure)
    return program.failure.read_text()
