"""What is fetched and built once, kept in a folder of the user's: one folder below it for each state of what goes into the machines.

A folder appears when it is complete. Who builds holds the lock; who runs needs none.
"""
import contextlib
import fcntl
import hashlib
import os
import platform
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from . import image

SCRIPTS = Path(__file__).resolve().parent.parent
DECISIVE = ("archive.py", "image.py", "libraries.py")  # the files that decide what is in an image
NEEDED = ("apt-get", "dpkg-deb", "tar")
UNUSED_FOR = 7 * 24 * 3600  # seconds after which an image of another state is removed
CHECK_SECONDS = 30
SMALL_PACKAGE = "linux-image-amd64"  # some kilobytes; where it can be had, the others can


class Unavailable(Exception):
    """This machine cannot have such machines, or not now."""


class Cache:
    def __init__(self, folder):
        self.folder = folder
        self.image = folder / _state()
        self.tree = self.image / "packages"
        self.kernel = self.image / "vmlinux"
        self.archive = self.image / "base.cpio"
        self._names = self.image / "names"

    def names(self):
        return frozenset(self._names.read_text().splitlines())

    def check(self):
        """Raises Unavailable where the image neither is there nor can be made."""
        if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
            raise Unavailable("needs Linux on x86-64")
        if self.image.exists():
            return
        if missing := [name for name in NEEDED if not shutil.which(name)]:
            raise Unavailable(f"not installed: {', '.join(missing)}")
        with tempfile.TemporaryDirectory(prefix="rdma-vm-") as folder:
            _call_archives_script("download_package", folder, SMALL_PACKAGE, "deb", seconds=CHECK_SECONDS)

    def provide(self):
        """The image is there when this returns."""
        if not self.image.exists():
            self.check()
            self.folder.mkdir(parents=True, exist_ok=True)
            with _locked(self.folder / "lock"):
                if not self.image.exists():
                    self._make()
        os.utime(self.image)

    def _make(self):
        began = time.monotonic()
        self._remove_unused()
        unfinished = self.folder / "unfinished"
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(mode=0o700)  # a key is in it
        try:
            self._fetch(unfinished / self.tree.name)
            fetched = time.monotonic()
            image.build(*(unfinished / path.name for path in (self.tree, self.kernel, self.archive, self._names)))
            for needless in ("boot", "lib/modules", "usr/share/doc", "usr/share/locale", "usr/share/man"):
                shutil.rmtree(unfinished / self.tree.name / needless, ignore_errors=True)
            unfinished.rename(self.image)
        except (image.Unbuildable, OSError, subprocess.CalledProcessError) as reason:
            raise Unavailable(f"cannot build the machines' image: {reason}") from None
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)
        print(f"rdma-vm: fetched in {fetched - began:.0f} s, built in {time.monotonic() - fetched:.0f} s, in {self.image}", file=sys.stderr)

    def _fetch(self, tree):
        print("rdma-vm: fetching a kernel, QEMU and RDMA's tools (120 MB, the first time only)", file=sys.stderr)
        downloads = self.folder / "downloads"  # an interrupted download goes on there
        _call_archives_script("download_with_dependencies", downloads, *image.PACKAGES)
        for archive in sorted((downloads / "archives").glob("*.deb")):
            _call(["dpkg-deb", "-x", str(archive), str(tree)])
        shutil.rmtree(downloads)

    def _remove_unused(self):
        for path in self.folder.glob("image-*"):
            if path != self.image and path.stat().st_mtime < time.time() - UNUSED_FOR:
                shutil.rmtree(path, ignore_errors=True)


def _state():
    """Changes with what is in an image, and with the C library of this machine, with which the programs that go in have to agree."""
    digest = hashlib.sha256(" ".join(platform.libc_ver("/bin/sh")).encode())
    for name in DECISIVE:
        digest.update((Path(__file__).parent / name).read_bytes())
    return f"image-{digest.hexdigest()[:16]}"


@contextlib.contextmanager
def _locked(path):
    with path.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("rdma-vm: waiting for another run that fetches and builds", file=sys.stderr)
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _call_archives_script(function, *arguments, seconds=None):
    """A function of scripts/debian-archives.sh."""
    _call(["bash", "-c", '. "$1/lib.sh"; . "$1/debian-archives.sh"; "${@:2}"', "rdma-vm", str(SCRIPTS), function, *map(str, arguments)], seconds)


def _call(words, seconds=None):
    """Runs it with everything it starts, which ends with this script."""
    process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace",
                               start_new_session=True)
    try:
        _, said = process.communicate(timeout=seconds)
    except BaseException as reason:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        if isinstance(reason, subprocess.TimeoutExpired):
            raise Unavailable(f"the packages do not come within {seconds} s") from None
        raise
    if process.returncode != 0:
        line = (said.strip().splitlines() or [f"exit code {process.returncode}"])[-1]
        raise Unavailable(line.removeprefix("rdma-vm: "))
