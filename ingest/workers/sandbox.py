"""What a worker gives up when it starts: outliving us, dumping core, writing, connecting.

Linux only, and as far as the kernel goes; elsewhere a worker ends when its pipe does.
"""

import ctypes
import os
import resource
import signal
import sys
from collections.abc import Iterable

_SET_DEATH_SIGNAL, _SET_NO_NEW_PRIVILEGES = 1, 38  # of prctl(2)
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # the same on all architectures
_VERSION, _PATH_BENEATH = 1, 1
# Landlock's rights by the version that brought them: to write, make and remove of any kind; to
# move between folders; to truncate. The first and the last are all that a file can be given.
_WRITE_FILE, _TRUNCATE = 1 << 1, 1 << 14
_RIGHTS = ((1, sum(1 << bit for bit in (1, *range(4, 13)))), (2, 1 << 13), (3, _TRUNCATE))
_NETWORK = (4, 0b11)  # to bind and to connect over TCP


class _Ruleset(ctypes.Structure):
    _fields_ = [("files", ctypes.c_uint64), ("network", ctypes.c_uint64)]


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = [("allowed", ctypes.c_uint64), ("folder", ctypes.c_int32)]


def give_up(parent: int, writable: Iterable[str]) -> None:
    """Die with the process `parent`, leave no core, write only under `writable`, connect nowhere."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        library = ctypes.CDLL(None, use_errno=True)
        library.prctl(_SET_DEATH_SIGNAL, signal.SIGKILL)
        _restrict(library, writable)
    if os.getppid() != parent:  # it died before it could take us along
        os._exit(0)


def _restrict(library: ctypes.CDLL, writable: Iterable[str]) -> None:
    version = library.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), _VERSION)
    if version < 1:  # no Landlock in this kernel, or it is switched off
        return
    files = sum(rights for since, rights in _RIGHTS if since <= version)
    asked = _Ruleset(files, _NETWORK[1] if version >= _NETWORK[0] else 0)
    size = ctypes.sizeof(asked) if version >= _NETWORK[0] else 8
    rules = library.syscall(_CREATE_RULESET, ctypes.byref(asked), ctypes.c_size_t(size), 0)
    if rules < 0:
        return
    for path in writable:
        _allow(library, rules, path, files)
    _allow(library, rules, os.devnull, files & (_WRITE_FILE | _TRUNCATE))
    library.prctl(_SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    library.syscall(_RESTRICT_SELF, rules, 0)
    os.close(rules)


def _allow(library: ctypes.CDLL, rules: int, path: str, rights: int) -> None:
    try:
        folder = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    rule = _Beneath(rights, folder)
    library.syscall(_ADD_RULE, rules, _PATH_BENEATH, ctypes.byref(rule), 0)
    os.close(folder)
