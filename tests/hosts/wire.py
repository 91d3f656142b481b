"""What travels over a network device of a network namespace, as anybody there could record it."""
import os
import socket
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

EVERY_PROTOCOL = 0x0003
SOL_PACKET, PACKET_STATISTICS, SO_RCVBUFFORCE = 263, 6, 33  # of Linux; the module lacks them
READY = "listening\n"
MARKER_MINUS_ONE = "rcvbjeStemarkForsecret-program" # see secret_program.c
MARKER = bytes(byte + 1 for byte in MARKER_MINUS_ONE.encode())


def record(device, file):
    """Writes all that passes there to the file until standard input ends."""
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(EVERY_PROTOCOL)) as wire:
        wire.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 256 << 20)
        wire.bind((device, 0))
        wire.settimeout(0.2)
        os.set_blocking(0, False)
        sys.stdout.write(READY)
        sys.stdout.flush()
        with open(file, "wb") as out:
            ended = False
            while True:
                try:
                    out.write(wire.recv(1 << 17))
                except TimeoutError:
                    if ended:  # and nothing came since
                        break
                if not ended:
                    ended = sys.stdin.buffer.raw.read(1) == b""
        _, dropped = struct.unpack("II", wire.getsockopt(SOL_PACKET, PACKET_STATISTICS, 8))
        sys.exit(f"{dropped} packets were not recorded" if dropped else 0)


class Wire:
    """Use as a context around what is to be recorded; `bytes` is what was, afterwards."""

    def __init__(self, device, inside=()):
        self.command = [*inside, sys.executable, __file__, device]
        self.bytes = b""

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="hetmp-wire-")
        self.file = Path(self.folder.name) / "bytes"
        self.recorder = subprocess.Popen([*self.command, str(self.file)], text=True, stdin=subprocess.PIPE,
                                         stdout=subprocess.PIPE)
        line = self.recorder.stdout.readline()
        if line != READY:
            self.recorder.kill()
            raise RuntimeError(f"no recording: {line!r}")
        return self

    def __exit__(self, *_):
        time.sleep(0.1)
        self.recorder.stdin.close()
        if self.recorder.wait(timeout=60) != 0:
            raise RuntimeError("what was recorded is not all")
        self.bytes = self.file.read_bytes()
        self.folder.cleanup()

    def count(self, marker):
        return self.bytes.count(marker)


if __name__ == "__main__":
    record(sys.argv[1], sys.argv[2])
