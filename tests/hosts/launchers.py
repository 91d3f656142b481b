"""Launchers that start `hetmp run` many times: how each is called, and whether it is here."""
import os
import re
import shutil
import subprocess
from pathlib import Path

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

    unbound = ["--bind-to", "none"]
    environment = {}

    def start(self, processes, *options):
        return [*self.command, "-n", str(processes), *options]

    def stop(self):
        pass


class Slurm:
    """srun, with a Slurm of its own for as long as it is needed."""

    def __init__(self, build):
        missing = [name for name in ("srun", "slurmctld", "slurmd", "munged")
                   if not shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin")]
        if missing:
            raise Absent(f"no {', '.join(missing)}")
        self.folder = build / f"slurm-{os.getpid()}"
        started = self.script("start")
        configuration = re.search(r"^export SLURM_CONF=(.+)$", started.stdout, re.M)
        if not configuration:
            raise RuntimeError(f"Slurm does not start: {started.stdout}{started.stderr}")
        self.environment = {"SLURM_CONF": configuration[1]}

    unbound = []

    def script(self, verb):
        return subprocess.run([REPOSITORY / "scripts" / "slurm-on-one-machine", verb, self.folder],
                              capture_output=True, text=True)

    def start(self, processes, *options):
        return ["srun", "-n", str(processes), *options]

    def stop(self):
        stopped = self.script("stop")
        if stopped.returncode != 0 or self.folder.exists():
            raise RuntimeError(f"Slurm does not stop: {stopped.stderr}")


MAKERS = {
    "mpirun": lambda build: OpenMpi("mpirun"),
    "prterun": lambda build: OpenMpi("prterun"),
    "srun": Slurm,
}
