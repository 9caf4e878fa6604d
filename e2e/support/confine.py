"""Runs a program behind a filter of system calls: confine.py CALLS FAMILIES PROGRAM WORD...

CALLS are the names of the calls that are allowed, FAMILIES the numbers of the address families, both with commas
between them. Every other call fails with EPERM, as in a service of systemd with SystemCallErrorNumber=EPERM.
"""

import ctypes
import errno
import os
import sys

ALLOW = 0x7FFF0000
DENY = 0x00050000 | errno.EPERM
EQUAL = 4


class Comparison(ctypes.Structure):
    _fields_ = [("arg", ctypes.c_uint), ("op", ctypes.c_int), ("a", ctypes.c_uint64), ("b", ctypes.c_uint64)]


seccomp = ctypes.CDLL("libseccomp.so.2")
seccomp.seccomp_init.restype = ctypes.c_void_p
seccomp.seccomp_rule_add_array.argtypes = [
    ctypes.c_void_p,
    ctypes.c_uint32,
    ctypes.c_int,
    ctypes.c_uint,
    ctypes.POINTER(Comparison),
]


def main(calls, families, words):
    rules = ctypes.c_void_p(seccomp.seccomp_init(ctypes.c_uint32(DENY)))
    for name in calls:
        number = seccomp.seccomp_syscall_resolve_name(name.encode())
        if number < 0:
            continue  # Another architecture has it.
        if name != "socket":
            seccomp.seccomp_rule_add_array(rules, ALLOW, number, 0, None)
            continue
        for family in families:
            comparison = Comparison(0, EQUAL, family, 0)
            seccomp.seccomp_rule_add_array(rules, ALLOW, number, 1, ctypes.byref(comparison))
    if seccomp.seccomp_load(rules) != 0:
        sys.exit("the filter cannot be loaded")
    os.execv(words[0], words)


main(sys.argv[1].split(","), [int(family) for family in sys.argv[2].split(",")], sys.argv[3:])
