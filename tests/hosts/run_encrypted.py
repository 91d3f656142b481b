#!/usr/bin/env python3
"""Encrypted runs on two hosts (two_hosts.py), and on this one by tcp: that they are runs like any other, and what somebody sees and
can do who sits on the network.

    run_encrypted.py --build BUILD [--case NAME] [--list]

Exit codes: 0 passed, 1 failed, 77 skipped (this machine cannot be two hosts, or does not allow node processes).
"""
import os
import re
import subprocess
import sys
from pathlib import Path

from run_over_ssh import (ADDRESSES, HERE, SOON, SUM, check, check_ended, complaints, finish, kernels, run_cases)
from cases import Cases  # run_over_ssh has found the modules of tests/common
from processes import borrow_socket, descriptors, run_limited
from toolchain import compile_program
from wire import MARKER, MARKER_MINUS_ONE, Wire

ENCRYPT = ("--encrypt",)
PLUGIN = "libhetmp_seal.so"
PLAIN_SHELL = HERE / "plain_shell.py"
CASES = Cases()


def secret_program(site):
    return str(compile_program(HERE / "secret_program.c", site.compiler, site.build))


def on_this_host(site, *words, options=(), before=(), **settings):
    """(exit code, stdout, stderr) of `hetmp run --nodes 2 --transport tcp` on one of the hosts."""
    command = [*site.hosts.inside(0), *before, site.tool, "run", "--nodes", "2", "--transport", "tcp", *options, "--", *words]
    return run_limited(command, site.environment(**settings), 60)


def hiding_the_plugin(site, command):
    """The command, as a shell takes it, where the plugin is no library."""
    return f"unshare -m sh -c \"mount --bind /dev/null '{site.build}/lib/{PLUGIN}' && {command}\""


@CASES.add
def sums_are_right(site):
    for schedule in ("static", "dynamic", "hetprobe"):
        check(site.run(site.program, "sum", options=ENCRYPT, OMP_SCHEDULE=schedule) == (0, SUM, ""), schedule)
    check(site.run(site.program, "sum", HETMP_ENCRYPT="1") == (0, SUM, ""), "by the variable")
    first, second = ADDRESSES
    result = site.run(site.program, "sum", names=f"{first},{second},{second},{first}", options=ENCRYPT)
    check(result == (0, SUM, ""), f"four nodes: {result}")
    site.check_nothing_left()


@CASES.add
def kernels_verify(site):
    for words in kernels(site):
        code, out, err = site.run(*words, options=ENCRYPT, OMP_SCHEDULE="static")
        check(code == 0 and "successful" in out and err == "", f"{words}: {code}, {out!r}, said {err!r}")


@CASES.add
def exit_codes_and_input_and_words(site):
    for words in (["return", "42"], ["exit", "43"], ["exit-in-region", "44"]):
        code, _, err = site.run(site.program, *words, options=ENCRYPT)
        check(code == int(words[1]) and not complaints(err), f"{words}: exit code {code}, said {err!r}")
    text = "".join(f"line {i}\n" for i in range(50000))
    code, out, err = site.run("cat", given=text, options=ENCRYPT)
    check(code == 0 and out == text, f"exit code {code}, {len(out)} of {len(text)} bytes came back, said {err!r}")
    code, out, err = site.run("sh", "-c", 'printf "[%s]" "$0" "$GREETING"', "a b", GREETING="hello there", options=ENCRYPT)
    check((code, out) == (0, "[a b][hello there]" * 2), f"exit code {code}, output {out!r}, said {err!r}")


@CASES.add
def a_killed_node_ends_the_run(site):
    process = site.start_spinning(options=ENCRYPT)
    os.kill(site.node(1), 9)
    check_ended(site, process, SOON, "node 1", ADDRESSES[1], "region at ")


@CASES.add
def pages_on_the_network(site):
    program = secret_program(site)
    for options, seen in (((), True), (ENCRYPT, False)):
        with Wire(site.hosts.devices[0], site.hosts.inside(0)) as wire:
            result = site.run(program, MARKER_MINUS_ONE, options=options)
        check(result == (0, MARKER.decode() + "\n", ""), f"{options}: {result}")
        check((wire.count(MARKER) > 0) == seen, f"{options}: {wire.count(MARKER)} times in {len(wire.bytes)} bytes")
        check(len(wire.bytes) > 64 * 4096, f"{options}: only {len(wire.bytes)} bytes were recorded")


@CASES.add
def output_on_the_network(site):
    """By a remote shell that hides nothing. The origin is the other host, whose output comes here."""
    servers = [subprocess.Popen([*site.hosts.inside(host), sys.executable, PLAIN_SHELL, "--serve", ADDRESSES[host]], text=True,
                                stdout=subprocess.PIPE) for host in (0, 1)]
    try:
        check(all(server.stdout.readline() == "listening\n" for server in servers), "a shell's server does not start")
        command = f"printf '%s\\n' {MARKER_MINUS_ONE} | tr 'a-yA-Y-' 'b-zB-Z.'"  # as the program makes it
        for options, seen in (((), True), (ENCRYPT, False)):
            with Wire(site.hosts.devices[0], site.hosts.inside(0)) as wire:
                result = site.run("sh", "-c", command, names=",".join(reversed(ADDRESSES)), options=options,
                                  remote_shell=f"{sys.executable} {PLAIN_SHELL}")
            check(result == (0, (MARKER.decode() + "\n") * 2, ""), f"{options}: {result}")
            check((wire.count(MARKER) > 0) == seen, f"{options}: {wire.count(MARKER)} times in {len(wire.bytes)} bytes")
    finally:
        for server in servers:
            server.kill()
            server.wait()


@CASES.add
def pages_on_this_machines_loopback(site):
    program = secret_program(site)
    for settings, options, seen in (({}, (), True), ({}, ENCRYPT, False), ({"HETMP_ENCRYPT": "yes"}, (), False),
                                    ({"HETMP_ENCRYPT": "0"}, (), True)):
        with Wire("lo", site.hosts.inside(0)) as wire:
            result = on_this_host(site, program, MARKER_MINUS_ONE, "0", options=options, **settings)
        check(result == (0, "", ""), f"{settings} {options}: {result}")
        check((wire.count(MARKER) > 0) == seen, f"{settings} {options}: {wire.count(MARKER)} times in {len(wire.bytes)} bytes")


def launched_sockets(pid):
    """The descriptors of the connections that a launcher has made (runtime/launch/node_program.cpp)."""
    links = descriptors(pid)
    return [number for number, link in sorted(links.items()) if number >= 200 and link.startswith("socket:")]


@CASES.add
def what_somebody_puts_in_ends_the_run(site):
    for options, reason in (((), "changed on the way"), (ENCRYPT, "changed on the way")):
        for lane in (0, 1):
            process = site.start_spinning(options=options)
            pid = site.node(1)
            sockets = launched_sockets(pid)
            check(len(sockets) == 2, f"the node should have a socket for each lane: {sockets}")
            borrowed = borrow_socket(pid, sockets[lane])
            os.write(borrowed, b"\x40\x00\x00\x00" + b"\xff" * 4096)
            os.close(borrowed)
            # It is the first host that reads what is written there.
            check_ended(site, process, SOON, "node 1", ADDRESSES[1], reason)


@CASES.add
def what_another_host_finds_changed_is_told_by_both_names(site):
    for options in ((), ENCRYPT):
        process = site.start_spinning(options=options)
        pid = site.node(0)
        borrowed = borrow_socket(pid, launched_sockets(pid)[0])
        os.write(borrowed, b"\x40\x00\x00\x00" + b"\xff" * 4096)
        os.close(borrowed)
        check_ended(site, process, SOON, "node 1", ADDRESSES[1], "it has lost node 0", ADDRESSES[0], "changed on the way")


@CASES.add
def keys_are_for_the_program_alone(site):
    """They are in nobody's environment, and what the program starts inherits no way to them."""
    code, out, err = site.run(site.program, "system", "ls -l /proc/self/fd; tr '\\0' '\\n' < /proc/self/environ", options=ENCRYPT)
    check(code == 0 and not complaints(err), f"exit code {code}, said {err!r}")
    inherited = [int(number) for number in re.findall(r" (\d+) -> (?:pipe|socket)", out)]
    check(inherited and max(inherited) < 200, f"inherited: {inherited}")
    check(not re.search(r"keys=|[0-9a-fA-F]{64}", out), f"its environment: {out!r}")
    process = site.start_spinning(options=ENCRYPT)
    for host in (0, 1):
        pid = site.node(host)
        links = descriptors(pid)
        pipes = [number for number, link in links.items() if number >= 200 and not link.startswith("socket:") and
                 re.search(r"flags:\s*\d*[02468]$", Path(f"/proc/{pid}/fdinfo/{number}").read_text(), re.M)]  # those to read
        check(not pipes, f"host {host} still has {pipes}")
    process.kill()
    finish(process)
    site.check_nothing_left()


@CASES.add
def a_second_program_gets_no_used_keys(site):
    code, out, err = site.run("sh", "-c", '"$0" sum && "$0" sum', site.program, options=ENCRYPT)
    check(code != 0 and out == SUM and complaints(err) and all("has used this run's keys" in line for line in complaints(err)),
          f"exit code {code}, output {out!r}, said {err!r}")


@CASES.add
def a_host_that_cannot_encrypt_is_named(site):
    shell = site.build / f"hiding-shell-{os.getpid()}"
    shell.write_text(f"""#!/bin/sh
host=$1; shift
if [ "$host" = {ADDRESSES[0]} ]; then exec sh -c "$*"; fi
exec {' '.join(site.hosts.inside(1))} {hiding_the_plugin(site, '$*')}
""")
    shell.chmod(0o755)
    try:
        code, out, err = site.run(site.program, "sum", remote_shell=str(shell), options=ENCRYPT)
        lines = complaints(err)
        check(code == 1 and out == "" and len(lines) == 1 and ADDRESSES[1] in lines[0] and PLUGIN in lines[0],
              f"exit code {code}, output {out!r}, said {err!r}")
        result = site.run(site.program, "sum", remote_shell=str(shell))
        check(result == (0, SUM, ""), f"without encryption it is not needed: {result}")
    finally:
        shell.unlink()


@CASES.add
def this_machine_without_the_plugin(site):
    before = ["sh", "-c", hiding_the_plugin(site, "exec \\\"\\$@\\\"") + ' sh "$@"', "sh"]
    code, out, err = on_this_host(site, site.program, "sum", options=ENCRYPT, before=before)
    lines = complaints(err)
    check(code == 70 and out == "" and len(lines) == 1 and "node 0: " in lines[0] and PLUGIN in lines[0],
          f"exit code {code}, output {out!r}, said {err!r}")
    result = on_this_host(site, site.program, "sum", before=before)
    check(result == (0, SUM, ""), f"without encryption it is not needed: {result}")


@CASES.add
def mistakes_get_one_line(site):
    line = "hetmp: HETMP_ENCRYPT=perhaps: neither true nor false; using true\n"
    check(site.run(site.program, "sum", HETMP_ENCRYPT="perhaps") == (0, SUM, line), "on two hosts")
    check(on_this_host(site, site.program, "sum", HETMP_ENCRYPT="perhaps") == (0, SUM, line), "on this one")
    for words in (["--cores", "0"], ["--nodes", "2", "--transport", "shared-memory"]):
        command = [site.tool, "run", "--encrypt", *words, "--", site.program, "sum"]
        code, out, err = run_limited(command, site.environment(), 60)
        check(code == 2 and out == "" and err == "hetmp: --encrypt is for nodes that are connected by tcp, verbs or auto\n", f"{words}: {err!r}")


if __name__ == "__main__":
    sys.exit(run_cases(CASES))
