"""What a run could leave on a machine besides processes."""
import os
import re
import time
from pathlib import Path

PATIENCE = 5
OF_TESTS = re.compile(r"hetmp-(hosts|failure)-")  # temporary folders of tests, which may run beside this one


def names_in(folder):
    try:
        return set(os.listdir(folder))
    except OSError:
        return set()


def control_groups():
    """Those of hetmp's name, however deep."""
    return {folder for folder, _, _ in os.walk("/sys/fs/cgroup") if "hetmp" in os.path.basename(folder)}


def unix_sockets():
    lines = Path("/proc/net/unix").read_text().splitlines()[1:]
    return {line.split()[7] for line in lines if len(line.split()) > 7 and "hetmp" in line.split()[7]}


class Leftovers:
    """Compares what there is with what there was. Other programs make such things too: what they remove within some seconds
    does not count, and of temporary files only those of hetmp's name do."""

    def __init__(self):
        self.before = self.things()

    @staticmethod
    def things():
        temporary = os.environ.get("TMPDIR", "/tmp")
        return {
            "shared memory": {"/dev/shm/" + name for name in names_in("/dev/shm")},
            "System V shared memory": {line.split()[1] for line in Path("/proc/sysvipc/shm").read_text().splitlines()[1:]},
            "files": {name for name in names_in(temporary) if name.startswith("hetmp") and not OF_TESTS.match(name)},
            "control groups": control_groups(),
            "sockets": unix_sockets(),
        }

    def find(self):
        """{kind: names} of what has come and stays."""
        end = time.monotonic() + PATIENCE
        while True:
            now = self.things()
            left = {kind: sorted(now[kind] - self.before[kind]) for kind in now if now[kind] - self.before[kind]}
            if not left or time.monotonic() > end:
                return left
            time.sleep(0.1)
