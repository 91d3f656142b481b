"""Launchers that start `hetmp run` many times: how each is called, and whether it is here."""
import os
import re
import shutil
import subprocess
from pathlib import Path

from two_hosts import ADDRESSES, TwoHosts
import two_hosts

REPOSITORY = Path(__file__).resolve().parent.parent.parent


class Absent(Exception):
    """The launcher is not installed, or may not run here."""


class OpenMpi:
    """mpirun, which is prterun from Open MPI 5 on."""

    def __init__(self, name):
        if not shutil.which(name):
            raise Absent(f"no {name}")
        as_root = ["--allow-run-as-root"] if os.getuid() == 0 else []
        crowd = ["--map-by", ":OVERSUBSCRIBE"] if name == "prterun" else ["--oversubscribe"]
        self.command = [name, *as_root, *crowd]
        tried = subprocess.run([*self.command, "-n", "2", "true"], capture_output=True, text=True)
        if tried.returncode != 0:
            raise Absent(f"{name} may not start processes here: {tried.stderr.strip()}")

    hosts = 1
    unbound = ["--bind-to", "none"]
    environment = {}

    def start(self, processes, *options):
        return [*self.command, "-n", str(processes), *options]

    def stop(self):
        pass


class OpenMpiOnTwoHosts(OpenMpi):
    def __init__(self, name):
        super().__init__(name)
        self.network = make_two_hosts()
        agent = "plm_ssh_agent" if name == "prterun" else "plm_rsh_agent"
        self.command = [*self.network.inside(0), *self.command, "--mca", agent, self.network.remote_shell,
                        "--host", ",".join(f"{address}:64" for address in ADDRESSES), "--map-by", "node", "-x", "HOSTS_TEST", "-x", "HETMP_NODES"]

    hosts = 2

    def stop(self):
        self.network.__exit__()


def make_two_hosts():
    try:
        return TwoHosts().__enter__()
    except two_hosts.Absent as reason:
        raise Absent(str(reason)) from None


class Slurm:
    """srun, with a Slurm of its own for as long as it is needed."""

    hosts = 1
    namespaces = ()
    prefix = ()

    def __init__(self, build):
        missing = [name for name in ("srun", "slurmctld", "slurmd", "munged")
                   if not shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin")]
        if missing:
            raise Absent(f"no {', '.join(missing)}")
        self.folder = build / f"slurm-{os.getpid()}"
        started = self.script("start", *self.namespaces)
        configuration = re.search(r"^export SLURM_CONF=(.+)$", started.stdout, re.M)
        if not configuration:
            raise RuntimeError(f"Slurm does not start: {started.stdout}{started.stderr}")
        self.environment = {"SLURM_CONF": configuration[1]}

    unbound = []

    def script(self, verb, *namespaces):
        return subprocess.run([REPOSITORY / "scripts" / "slurm-on-one-machine", verb, self.folder, *namespaces],
                              capture_output=True, text=True)

    def start(self, processes, *options):
        return [*self.prefix, "srun", "-N", str(min(processes, self.hosts)), "-n", str(processes), *options]

    def stop(self):
        stopped = self.script("stop")
        if stopped.returncode != 0 or self.folder.exists():
            raise RuntimeError(f"Slurm does not stop: {stopped.stderr}")


class SlurmOnTwoHosts(Slurm):
    hosts = 2

    def __init__(self, build):
        self.network = make_two_hosts()
        self.namespaces = self.network.names
        self.prefix = self.network.inside(0)
        try:
            super().__init__(build)
        except BaseException:
            self.network.__exit__()
            raise

    def stop(self):
        try:
            super().stop()
        finally:
            self.network.__exit__()


MAKERS = {
    "mpirun": lambda build: OpenMpi("mpirun"),
    "prterun": lambda build: OpenMpi("prterun"),
    "srun": Slurm,
    "mpirun-on-two-hosts": lambda build: OpenMpiOnTwoHosts("mpirun"),
    "prterun-on-two-hosts": lambda build: OpenMpiOnTwoHosts("prterun"),
    "srun-on-two-hosts": SlurmOnTwoHosts,
}
