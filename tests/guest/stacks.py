"""Stacks and address spaces on several nodes: what `ulimit -s` and `setarch` say, and what programs ask about their stack."""
import shutil
import signal
import subprocess
from pathlib import Path

from cases import Cases
from modes import check_machine
from outcome import Skip, check
from processes import complaints

CASES = Cases()
HERE = Path(__file__).resolve().parent
UNLIMITED = ["sh", "-c", 'ulimit -s unlimited && exec "$@"', "sh"]
UPWARDS = ["setarch", "-L"]


def limited(kilobytes):
    return ["sh", "-c", f'ulimit -s {kilobytes} && exec "$@"', "sh"]


def possible(before):
    return shutil.which(before[0]) and subprocess.run([*before, "true"], capture_output=True, check=False).returncode == 0


def surroundings():
    """Ways to start a program that change where the kernel puts what it maps; those that this machine allows."""
    each = [[], UNLIMITED, UPWARDS, [*UNLIMITED, *UPWARDS], limited(1 << 21), limited(1 << 34)]
    return [before for before in each if not before or possible(before)]


def on_nodes(site, command, nodes=2, **settings):
    check_machine("proc2", site.build)
    return site.run(command, HETMP_NODES=f"proc:{nodes}" if nodes > 1 else "1", **settings)


def compiled(site, source, *flags, name=None):
    made = site.build / "guest" / (name or source)
    made.parent.mkdir(exist_ok=True)
    if not shutil.which("gcc"):
        raise Skip("needs gcc")
    site.compile(["gcc", "-O1", "-D_GNU_SOURCE", "-fopenmp", *flags, str(HERE / f"{source}.c"), "-ldl"], made)
    return str(made)


def stack_program(site):
    return compiled(site, "stack")


def same_as_alone(site, program, arguments, before=(), **settings):
    """On two nodes it says what it says with the compiler's own runtime and no other."""
    settings["OMP_STACKSIZE"] = "4M"  # the default is the limit, which may be more than there can be
    expected = site.run([*before, program, *arguments], LD_PRELOAD=None, OMP_STACKSIZE="4M")
    check(expected[0] == 0, f"{before} {arguments} alone: {expected}")
    got = on_nodes(site, [*before, program, *arguments], **settings)
    check(got == expected, f"{before} {arguments} {settings}: {got}, alone: {expected}")


@CASES.add
def limits_and_layouts_of_any_kind(site):
    program = stack_program(site)
    for before in surroundings():
        for transport in "shared-memory", "tcp":
            same_as_alone(site, program, ["limits"], before, HETMP_TRANSPORT=transport)


@CASES.add
def main_has_the_stack_that_its_limit_allows(site):
    program = stack_program(site)
    for before, size in ([], 7), (limited(1 << 21), 1500), (UNLIMITED, 3000), (limited(1 << 14), 15):
        if not before or possible(before):
            same_as_alone(site, program, ["deep", str(size)], before)


@CASES.add
def an_overflow_is_a_segmentation_fault(site):
    program = stack_program(site)
    for before in [], limited(1 << 14):
        code, out, err = on_nodes(site, [*before, program, "overflow", "0"])
        check(code == -signal.SIGSEGV and err == "", f"{before}: {code}, {out!r}, said {err!r}")


@CASES.add
def what_lies_among_the_nodes_addresses_is_named(site):
    check_machine("proc2", site.build)
    folder = site.build / "guest"
    folder.mkdir(exist_ok=True)
    source, made = folder / "far.c", folder / "far"
    source.write_text('__attribute__((section(".far"), used)) char far_data[4096] = {1};\n'
                      f'#include "{HERE / "stack.c"}"\n')
    site.compile(["cc", "-D_GNU_SOURCE", "-fopenmp", "-no-pie", "-Wl,--section-start=.far=0x120000000000", str(source)], made)
    for transport in "shared-memory", "tcp":
        code, out, err = on_nodes(site, [str(made), "sum"], HETMP_TRANSPORT=transport)
        check(code == 70 and out == "" and len(complaints(err)) == len(err.splitlines()) == 1, f"{code}, {out!r}, said {err!r}")
        check(str(made) in err and "0x120000000000" in err and "one node" in err, err)
    code, out, err = site.run([str(made), "sum"])
    check((code, out, err) == (0, "sum 10\n", ""), f"on one node: {code}, {out!r}, said {err!r}")


@CASES.add
def programs_find_their_stack(site):
    """With and without a copy of the C library's variable in the program."""
    for name, flags in ("stack-places", ["-fPIE", "-pie"]), ("stack-places-fixed", ["-fno-pie", "-no-pie"]):
        program = compiled(site, "stack_places", *flags, name=name)
        for before in [], UNLIMITED, UPWARDS:
            if not before or possible(before):
                same_as_alone(site, program, [], before)


@CASES.add
def nested_functions_can_be_called(site):
    program = compiled(site, "nested", "-Wl,-z,noexecstack", name="nested-refused")
    code, _, _ = on_nodes(site, [program])
    check(code == -signal.SIGSEGV, f"a stack that nobody wants to be executable is: {code}")
    program = compiled(site, "nested", "-Wl,-z,execstack")
    same_as_alone(site, program, [])
    same_as_alone(site, program, [], HETMP_TRANSPORT="tcp")
    plugin = compiled(site, "nested", "-shared", "-fPIC", "-DPLUGIN", "-Wl,-z,execstack", name="libnested.so")
    for name, flags in ("nested-late", ["-fPIE", "-pie"]), ("nested-late-fixed", ["-fno-pie", "-no-pie"]):
        loader = compiled(site, "nested", "-DLOADER", "-Wl,-z,noexecstack", *flags, name=name)
        same_as_alone(site, loader, [plugin])


@CASES.add
def stacks_that_nowhere_fit(site):
    """Teams become smaller, as on one node, and say so; each node keeps the thread that it cannot do without."""
    program = stack_program(site)
    for nodes in 1, 2, 3:
        code, out, err = on_nodes(site, [program, "loop"], nodes, OMP_STACKSIZE="16T")
        lines = complaints(err)
        check((code, out) == (0, "loop 499500\n"), f"{nodes} nodes: {code}, {out!r}, said {err!r}")
        check(len(lines) == 1 and "cannot create another thread" in lines[0], f"{nodes} nodes: said {err!r}")
