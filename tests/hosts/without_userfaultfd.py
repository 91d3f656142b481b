#!/usr/bin/env python3
"""without_userfaultfd.py RANK COMMAND...: executes the command; if this process has that rank, without userfaultfd."""
import ctypes
import os
import struct
import sys

AUDIT_ARCH, SYS_IOCTL, SYS_USERFAULTFD, NEW_DESCRIPTOR = 0xC000003E, 16, 323, 0xAA00
LOAD, EQUAL, RETURN = 0x20, 0x15, 0x06  # of the kernel's packet filters
ALLOW, REFUSE = 0x7FFF0000, 0x00050000 | 1  # 1 is EPERM
PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, FILTER = 22, 38, 2


def refuse_userfaultfd():
    program = [
        (LOAD, 0, 0, 4), (EQUAL, 0, 6, AUDIT_ARCH),
        (LOAD, 0, 0, 0), (EQUAL, 3, 0, SYS_USERFAULTFD),  # the number of the system call
        (EQUAL, 0, 3, SYS_IOCTL),
        (LOAD, 0, 0, 24), (EQUAL, 0, 1, NEW_DESCRIPTOR),  # its second argument
        (RETURN, 0, 0, REFUSE), (RETURN, 0, 0, ALLOW),
    ]
    code = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *step) for step in program))
    header = struct.pack("@HP", len(program), ctypes.addressof(code))
    call = ctypes.CDLL(None, use_errno=True).prctl
    if call(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 or call(PR_SET_SECCOMP, FILTER, ctypes.c_char_p(header), 0, 0) != 0:
        sys.exit(f"no system call filter: {os.strerror(ctypes.get_errno())}")


if os.environ["PMIX_RANK"] == sys.argv[1]:
    refuse_userfaultfd()
os.execvp(sys.argv[2], sys.argv[2:])
