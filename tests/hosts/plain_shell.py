#!/usr/bin/env python3
"""A remote shell that hides nothing and asks nobody who they are: what it carries is to be seen on the network.

    plain_shell.py --serve ADDRESS     runs the commands that come, each on a connection of its own
    plain_shell.py HOST COMMAND        runs it there; standard input and output are its own
"""
import os
import socket
import subprocess
import sys
import threading

PORT = 2223


def serve(address):
    with socket.create_server((address, PORT), reuse_port=True) as listener:
        print("listening", flush=True)
        while True:
            connection, _ = listener.accept()
            command = b""
            while not command.endswith(b"\n"):
                command += connection.recv(1)
            threading.Thread(target=attend, args=(connection, command.decode()), daemon=True).start()


def attend(connection, command):
    """To a socket that still has input, closing means a reset, which takes with it output that has not been read yet: so the
    command's end is the end of its output first."""
    with connection:
        subprocess.run(["sh", "-c", command], stdin=connection, stdout=connection)
        try:
            connection.shutdown(socket.SHUT_WR)
            while connection.recv(1 << 16):
                pass
        except OSError:
            pass  # the other side has gone


def pass_on(read, write, at_end):
    while data := read():
        write(data)
    at_end()


def run(host, command):
    connection = socket.create_connection((host, PORT))
    connection.sendall(command.encode() + b"\n")
    there = threading.Thread(target=pass_on, daemon=True, args=(
        lambda: os.read(0, 1 << 16), connection.sendall, lambda: connection.shutdown(socket.SHUT_WR)))
    there.start()
    pass_on(lambda: connection.recv(1 << 16), lambda data: os.write(1, data), lambda: None)


if __name__ == "__main__":
    serve(sys.argv[2]) if sys.argv[1] == "--serve" else run(sys.argv[1], " ".join(sys.argv[2:]))
