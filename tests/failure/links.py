"""Links between nodes on which bytes change: the run ends with one line, whoever notices, and does not wait for ever."""
import os
from pathlib import Path

import processes
from outcome import check
from processes import borrow_socket, complaints, descriptors, finish
from programs import CASES, SECONDS

# What looks like the beginning of something long: a frame with 64 KiB of data, a record as long as may be.
LONG_FRAME = bytes([0, 0, 0, 0, 0, 0, 1, 0])
LONG_RECORD = bytes([0, 0, 1, 0])


def sockets_of_links(pid):
    """Descriptors of the connections between the nodes, which share them: both ends of each."""
    inodes = {line.split()[9] for line in Path(f"/proc/{pid}/net/tcp").read_text().splitlines()[1:]}
    return [number for number, link in sorted(descriptors(pid).items()) if link[8:-1] in inodes and link.startswith("socket:")]


def end_of_a_run_with(site, content, which, **settings):
    """(exit code, lines) after `content` has come on one of the links, from nowhere."""
    environment = site.environment("tcp2", HETMP_PATIENCE="2", **settings)
    process = processes.start_until_ready([site.program, "spin", str(SECONDS)], environment)
    sockets = sockets_of_links(process.pid)
    if len(sockets) != 4:
        processes.kill_group(process)
        check(False, f"two nodes should have two connections: {sockets}")
    borrowed = borrow_socket(process.pid, sockets[which])
    os.write(borrowed, content)
    os.close(borrowed)
    code, _, err = finish(process, SECONDS / 2)
    check(err.count("\n") == 1, f"socket {which}: said {err!r}")
    return code, complaints(err)


@CASES.add
def changed_bytes_end_the_run(site):
    sealed = (site.build / "lib" / "libhetmp_seal.so").exists()
    for content, settings in ((LONG_FRAME, {}), (b"x", {}), (LONG_FRAME * 40, {}), (LONG_RECORD, {"HETMP_ENCRYPT": "yes"})):
        if settings and not sealed:
            continue
        seen = set()
        for which in range(4):
            code, lines = end_of_a_run_with(site, content, which, **settings)
            what = f"{content[:8]}, socket {which}"
            check(code == 70, f"{what}: exit code {code}, said {lines}")
            check(len(lines) == 1 and "node 1 was lost" in lines[0] and
                  ("changed on the way" in lines[0] or "has not ended" in lines[0]), f"{what}: said {lines}")
            seen.add("it has lost node 0" in lines[0])
        check(seen == {False, True}, f"{content[:8]}: both nodes should have noticed: {seen}")
