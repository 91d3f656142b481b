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
            subprocess.Popen(["sh", "-c", command.decode()], stdin=connection, stdout=connection)
            connection.close()


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
