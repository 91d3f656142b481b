"""Two hosts made of this one: network namespaces joined by a pair of virtual Ethernet devices, with an ssh server in each."""
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

ADDRESSES = ("10.77.213.1", "10.77.213.2")
PORT = 2222
UNPACKED = Path(__file__).resolve().parent.parent.parent / "build" / "unpacked"  # by scripts/install-deps
SERVERS = ("/usr/sbin/sshd", str(UNPACKED / "usr/sbin/sshd"))


class Absent(Exception):
    """This machine cannot be two."""


def call(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, words))}: {done.stderr.strip()}")
    return done.stdout


class TwoHosts:
    """Use as a context. Root's, and removed at the end with everything that runs there."""

    def __init__(self):
        for name in ("ip", "ssh", "ssh-keygen"):
            if not shutil.which(name):
                raise Absent(f"no {name}")
        self.server = next((path for path in SERVERS if os.path.exists(path)), None)
        if not self.server:
            raise Absent("no sshd; scripts/install-deps unpacks one")
        if os.getuid() != 0:
            raise Absent("network namespaces need root")
        self.names = [f"hetmp-{os.getpid()}-{letter}" for letter in "ab"]
        self.devices = [f"hetmp{os.getpid() % 100000}{letter}" for letter in "ab"]
        self.folder = None
        self.servers = []

    def __enter__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="hetmp-hosts-"))
        try:
            self._make_network()
            self._make_keys()
            self._start_servers()
        except RuntimeError as reason:  # no virtual network, or no server in it
            self.__exit__()
            raise Absent(str(reason)) from None
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for server in self.servers:
            server.kill()
            server.wait()
        for name in self.names:
            for pid in self.processes(name):
                try:
                    os.kill(pid, 9)
                except ProcessLookupError:
                    pass
            subprocess.run(["ip", "netns", "delete", name], capture_output=True)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _make_network(self):
        for name in self.names:
            try:
                call("ip", "netns", "add", name)
            except RuntimeError as reason:
                raise Absent(str(reason)) from None
        call("ip", "link", "add", self.devices[0], "type", "veth", "peer", "name", self.devices[1])
        for name, device, address in zip(self.names, self.devices, ADDRESSES):
            call("ip", "link", "set", device, "netns", name)
            call("ip", "-n", name, "addr", "add", address + "/24", "dev", device)
            call("ip", "-n", name, "link", "set", device, "up")
            call("ip", "-n", name, "link", "set", "lo", "up")

    def _make_keys(self):
        for key in ("host", "user"):
            call("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.folder / key)
        shutil.copy(self.folder / "user.pub", self.folder / "authorized")
        (self.folder / "client").write_text(
            f"Port {PORT}\nUser root\nIdentityFile {self.folder}/user\nIdentitiesOnly yes\nUserKnownHostsFile /dev/null\n"
            "StrictHostKeyChecking no\nLogLevel ERROR\nBatchMode yes\n")

    def _start_servers(self):
        os.makedirs("/run/sshd", exist_ok=True)  # where it wants to have nothing
        # It wants a user of its own, which only its package's installation would make: each host gets a list with one. And root's
        # home is an empty one there: what the shell reads at home on this machine is free to print.
        users = [line for line in Path("/etc/passwd").read_text().splitlines() if not line.startswith(("root:", "sshd:"))]
        (self.folder / "home").mkdir()
        users += [f"root:x:0:0:root:{self.folder}/home:/bin/bash", "sshd:x:65534:65534::/run/sshd:/usr/sbin/nologin"]
        (self.folder / "passwd").write_text("\n".join(users) + "\n")
        for name, address in zip(self.names, ADDRESSES):
            configuration = self.folder / f"server-{name}"
            configuration.write_text(
                f"ListenAddress {address}\nPort {PORT}\nHostKey {self.folder}/host\nAuthorizedKeysFile {self.folder}/authorized\n"
                "StrictModes no\nUsePAM no\nPermitRootLogin yes\nPidFile none\nMaxStartups 100\n")
            script = f"mount --bind '{self.folder}/passwd' /etc/passwd && exec '{self.server}' -D -e -f '{configuration}'"
            libraries = str(UNPACKED / "usr/lib/x86_64-linux-gnu")
            self.servers.append(subprocess.Popen(["ip", "netns", "exec", name, "sh", "-c", script],
                                                 env={**os.environ, "LD_LIBRARY_PATH": libraries},
                                                 stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        end = time.monotonic() + 20
        for address in ADDRESSES:
            while subprocess.run([*self.inside(0), *self.remote_shell.split(), address, "true"],
                                 capture_output=True).returncode != 0:
                if time.monotonic() > end:
                    raise RuntimeError(f"no ssh to {address}")
                time.sleep(0.1)

    def inside(self, host):
        """Words to put before a command that is to run on host 0 or 1."""
        return ["ip", "netns", "exec", self.names[host]]

    @property
    def remote_shell(self):
        return f"ssh -F {self.folder}/client"

    @staticmethod
    def processes(name):
        """The pids there. Not by `ip netns pids`: tests ask often, and it would be a process each time."""
        found = []
        try:
            wanted = os.stat(f"/run/netns/{name}").st_ino
        except OSError:
            return found
        for entry in os.listdir("/proc"):
            if entry.isdigit():
                try:
                    if os.stat(f"/proc/{entry}/ns/net").st_ino == wanted:
                        found.append(int(entry))
                except OSError:
                    pass  # ended meanwhile
        return found

    def find(self, host, *names):
        """The processes on a host that have one of these names."""
        found = []
        for pid in self.processes(self.names[host]):
            try:
                if Path(f"/proc/{pid}/comm").read_text().strip() in names:
                    found.append(pid)
            except OSError:
                pass  # ended meanwhile
        return found

    def cut(self):
        """Nothing passes any more."""
        call("ip", "-n", self.names[1], "link", "set", self.devices[1], "down")

    def mend(self):
        call("ip", "-n", self.names[1], "link", "set", self.devices[1], "up")
