"""What all machines have: a kernel, and the archive of its first file system, made of Debian's packages."""
import lzma
import re
import subprocess

from .archive import Archive
from .libraries import LOADER, STANDARD, TRIPLE, Libraries, needed

# The metapackage of the kernel wants something that makes initramfs: of all, tiny-initramfs needs the least.
PACKAGES = ("linux-image-amd64", "tiny-initramfs", "qemu-system-x86", "busybox-static", "iproute2", "libcap2-bin", "dropbear-bin",
            "ibverbs-providers", "ibverbs-utils", "rdmacm-utils", "perftest")
TOOLS = ("ip", "rdma", "capsh", "dropbear", "dbclient", "ibv_devices", "ibv_devinfo", "ibv_rc_pingpong", "ibv_uc_pingpong", "ibv_ud_pingpong",
         "ibv_srq_pingpong", "rping", "ib_write_bw", "ib_write_lat", "ib_read_bw", "ib_read_lat", "ib_send_bw", "ib_send_lat")
# With what they depend on. rxe asks for crc32 by the name of an algorithm, which is no dependency.
MODULES = ("virtio_pci", "virtio_console", "virtio_net", "dummy", "crc32_generic", "rdma_rxe", "ib_uverbs", "rdma_ucm")
LOADED_LATER = ("libgcc_s.so.1",)  # by the C library, when a thread is cancelled
FOLDERS = ("/dev", "/proc", "/sys", "/tmp", "/run", "/out", "/var/log", "/var/run")
TEXTS = {
    "/etc/passwd": "root:x:0:0:root:/root:/bin/sh\n",
    "/etc/group": "root:x:0:\n",
    "/etc/shells": "/bin/sh\n",
    "/etc/hosts": "127.0.0.1 localhost\n10.0.0.1 one\n10.0.0.2 two\n",
    "/etc/nsswitch.conf": "hosts: files\n",
    "/etc/libibverbs.d/rxe.driver": "driver rxe\n",
}


class Unbuildable(Exception):
    """The packages are not as they have to be."""


def build(tree, kernel, archive, names):
    """Writes the kernel, the archive and the list of its names, from packages that are unpacked below `tree`."""
    kernel.write_bytes(_kernel(tree))
    with archive.open("wb") as stream:
        base = Archive(stream)
        _add_system(base, tree)
        _add_modules(base, tree)
        _add_key(base, tree)
        base.close()
    names.write_text("".join(f"{name}\n" for name in sorted(base.names)))


def _found(tree, name):
    for folder in ("usr/bin", "usr/sbin", "bin", "sbin"):
        if (path := tree / folder / name).exists():
            return path
    raise Unbuildable(f"the packages have no {name}")


def _kernel(tree):
    """The kernel proper, out of what a boot loader takes: it boots in half the time. Where it is not packed by xz, as it is."""
    packed = next((tree / "boot").glob("vmlinuz-*")).read_bytes()
    for match in re.finditer(rb"\xfd7zXZ\x00", packed):
        try:
            kernel = lzma.LZMADecompressor().decompress(packed[match.start():])
        except lzma.LZMAError:
            continue
        if kernel.startswith(b"\x7fELF"):
            return kernel
    return packed


def _add_system(base, tree):
    for folder in FOLDERS:
        base.add_folder(folder)
    base.add_merged_folders()
    for path, text in TEXTS.items():
        base.add_text(path, text)

    tools = {name: _found(tree, name) for name in TOOLS}
    providers = list((tree / STANDARD[1:] / "libibverbs").glob("librxe-rdmav*.so"))
    if not providers:
        raise Unbuildable("libibverbs has no provider for rxe")
    for name, path in tools.items():
        base.add_file(f"/usr/bin/{name}", path)
    for path in providers:
        base.add_file(f"{STANDARD}/libibverbs/{path.name}", path)
    own = Libraries(tree)
    for name, path in sorted(needed([*tools.values(), *providers], own) | {(name, own.find(name)) for name in LOADED_LATER}):
        base.add_file(f"{STANDARD}/{name}", path)
    base.add_file(f"/lib64/{LOADER}", tree / "lib" / TRIPLE / LOADER)

    busybox = _found(tree, "busybox")
    base.add_file("/usr/bin/busybox", busybox)
    applets = subprocess.run([busybox, "--list"], capture_output=True, text=True, check=True).stdout.split()
    for applet in applets:
        if applet not in TOOLS and applet != "busybox":
            base.add_link(f"/usr/bin/{applet}", "busybox")


def _add_modules(base, tree):
    """Numbered in the order in which they can be loaded. What is built into the kernel has no file."""
    files = {path.name.partition(".ko")[0].replace("-", "_"): path for path in (tree / "lib/modules").rglob("*.ko*")}
    if "rdma_rxe" not in files:
        raise Unbuildable("the kernel has no rdma_rxe")
    order = {}

    def add(name):
        if name in order or name not in files:
            return
        content = files[name].read_bytes()
        if files[name].suffix == ".xz":
            content = lzma.decompress(content)
        for other in re.search(rb"\0depends=([^\0]*)\0", content)[1].decode().split(","):
            add(other)
        order[name] = content

    for name in MODULES:
        add(name)
    for number, (name, content) in enumerate(order.items()):
        base.add_data(f"/usr/lib/modules/{number:02}-{name}.ko", content)


def _add_key(base, tree):
    """One for all machines, each other's and the users': they are alone with each other, and live as long as a command."""
    key = tree / "key"
    key.unlink(missing_ok=True)
    words = Libraries(tree).program(_found(tree, "dropbearkey"), "-t", "ed25519", "-f", key)
    made = subprocess.run(words, capture_output=True, text=True, check=True)
    public = re.search(r"^ssh-\S+ \S+", made.stdout, re.M)[0]  # dbclient would take the comment behind it for a part
    base.add_file("/root/.ssh/key", key)
    base.add_text("/root/.ssh/authorized_keys", public + "\n", 0o600)
    base.add_text("/root/.ssh/known_hosts", "".join(f"{host} {public}\n" for host in ("one", "two", "10.0.0.1", "10.0.0.2")), 0o600)
