"""Objects that stand in front of the C library's functions, which the runtime calls as well: preloaded ones, the program itself."""
import re
import shutil
import subprocess
from pathlib import Path

from cases import Cases
from outcome import Skip, check
from toolchain import omp_header_folder, stock_libomp_folder
from second_runtime import clang

CASES = Cases()
HERE = Path(__file__).resolve().parent
RESULT = "600 rounds right\n"
NODES = {"two nodes": dict(HETMP_NODES="proc:2"), "by tcp": dict(HETMP_NODES="proc:2", HETMP_TRANSPORT="tcp"),
         "encrypted": dict(HETMP_NODES="proc:2", HETMP_TRANSPORT="tcp", HETMP_ENCRYPT="1")}

# A function of whatever kind: counts, which takes writing, and goes on to where the call would have led.
ENTRY = """
  .globl {name}
  .type {name}, @function
{name}:
  lock incq count_{name}(%rip)
  cmpq $0, next_{name}(%rip)
  jne 1f
  pushq %rax
  leaq next_{name}(%rip), %rax
  pushq %rax
  leaq name_{name}(%rip), %rax
  pushq %rax
  callq find_with_all_registers
  addq $16, %rsp
  popq %rax
1: jmpq *next_{name}(%rip)
  .size {name}, . - {name}
  .data
  .globl calls_of_{name}
  .type calls_of_{name}, @object
  .size calls_of_{name}, 8
calls_of_{name}:
count_{name}: .quad 0
next_{name}: .quad 0
name_{name}: .asciz "{name}"
  .text
"""
FIND = """
  .text
find_with_all_registers:
  pushq %rbp
  movq %rsp, %rbp
  pushq %rdi
  pushq %rsi
  pushq %rdx
  pushq %rcx
  pushq %r8
  pushq %r9
  pushq %r10
  pushq %r11
  andq $-64, %rsp
  subq $1024, %rsp
  fxsave (%rsp)
  movq 16(%rbp), %rsi
  movq $-1, %rdi
  callq dlsym@PLT
  movq 24(%rbp), %rsi
  movq %rax, (%rsi)
  fxrstor (%rsp)
  leaq -64(%rbp), %rsp
  popq %r11
  popq %r10
  popq %r9
  popq %r8
  popq %rcx
  popq %rdx
  popq %rsi
  popq %rdi
  popq %rbp
  retq
"""


def symbols(file, option, kinds):
    listing = subprocess.run(["nm", "-D", option, file], capture_output=True, text=True, check=True).stdout
    return set(re.findall(rf"^[0-9a-f ]*[{kinds}] (\w+)", listing, re.M))


def folder(site):
    made = site.build / "guest"
    made.mkdir(exist_ok=True)
    return made


def program(site, *flags, name="interposed"):
    made = folder(site) / name
    library = stock_libomp_folder(clang()) or site.build / "lib" / "omp"
    site.compile([clang(), "-O1", "-fno-builtin", "-fopenmp", *flags, "-isystem", str(omp_header_folder(site.build)),
                  str(HERE / "interposed.c"), f"-L{library}", f"-Wl,-rpath,{library}", "-ldl"], made)
    return str(made)


def shim(site, names, name):
    """Stands in front of these functions of the C library."""
    assembly = folder(site) / f"{name}.s"
    assembly.write_text(FIND + "".join(ENTRY.format(name=function) for function in sorted(names)) +
                        "  .section .note.GNU-stack,\"\",@progbits\n")
    made = folder(site) / f"lib{name}.so"
    site.compile(["cc", "-shared", str(assembly), "-ldl"], made)
    return str(made)


def passed_through():
    """What hetmp stands in front of for the program's sake only, and calls itself."""
    source = (HERE.parents[1] / "dsm" / "objects" / "passed_through.hpp").read_text()
    return set(re.findall(r'"(\w+)"', source.split("functions_passed_through[] =")[1].split("};")[0]))


def all_that_is_called(site):
    """By libraries that the service thread runs in, but for what is needed to find the functions."""
    called = set()
    for library in ["libhetmp.so", "libhetmp_dsm.so", "libhetmp_seal.so"]:
        if (site.build / "lib" / library).exists():
            called |= symbols(site.build / "lib" / library, "--undefined-only", "UwW")
    defined = set()
    for library in Path("/proc/self/maps").read_text().split():
        if re.search(r"/(libc|libm|ld-linux[^/]*)\.so", library):
            defined |= symbols(library, "--defined-only", "TWi")
    called |= passed_through()
    found = (called & defined) - {"dlsym", "dlvsym"}
    check(len(found) > 120 and {"recv", "memcpy", "ppoll", "pthread_create"} <= found, f"only {len(found)} functions found")
    return found


def runs_right(site, executable, preload, what, before=()):
    for nodes, settings in NODES.items():
        if nodes == "encrypted" and not (site.build / "lib" / "libhetmp_seal.so").exists():
            continue
        preloaded = ":".join([str(site.build / "lib" / "libhetmp.so"), *preload])
        code, out, err = site.run([*before, executable], **settings, LD_PRELOAD=preloaded)
        check(code == 0 and out == RESULT and err == "", f"{what}, {nodes}: exit code {code}, {out!r}, said {err!r}")


@CASES.add
def one_function_is_interposed(site):
    """As tracers, sandboxes and simulated networks do; by a library whose data are the program's."""
    executable = program(site)
    for function in ["recv", "read", "ppoll", "memcpy", "clock_gettime", "syscall"]:
        runs_right(site, executable, [shim(site, [function], f"in-front-of-{function}")], function)


@CASES.add
def every_function_is_interposed(site):
    """Also seen: what such a library counts in is memory that nodes share, so it counts the calls of all nodes, and hetmp's none."""
    runs_right(site, program(site), [shim(site, all_that_is_called(site), "in-front-of-all")], "all functions")


@CASES.add
def the_program_has_functions_of_its_own(site):
    runs_right(site, program(site, "-DOWN", "-rdynamic", name="own-functions"), [], "the program's own functions")
    # With the C library's variables in the program, too.
    runs_right(site, program(site, "-DOWN", "-rdynamic", "-fno-pie", "-no-pie", name="own-functions-no-pie"), [],
               "a program at a fixed address")


@CASES.add
def time_is_faked(site):
    """libfaketime: functions of its own in front of everything that has to do with time."""
    if not shutil.which("faketime"):
        raise Skip("no faketime")
    listed = subprocess.run(["faketime", "2020-01-02 03:04:05", "env"], capture_output=True, text=True, check=True).stdout
    variables = dict(line.split("=", 1) for line in listed.splitlines() if line.startswith(("FAKETIME", "LD_PRELOAD")))
    executable = program(site)
    for nodes, settings in NODES.items():
        if nodes == "encrypted" and not (site.build / "lib" / "libhetmp_seal.so").exists():
            continue
        preloaded = f"{site.build / 'lib' / 'libhetmp.so'}:{variables['LD_PRELOAD']}"
        settings = dict(settings, FAKETIME="@2020-01-02 03:04:05", LD_PRELOAD=preloaded)
        for _ in range(3):
            code, out, err = site.run([executable], **settings)
            check(code == 0 and out == RESULT and err == "", f"{nodes}: exit code {code}, {out!r}, said {err!r}")
