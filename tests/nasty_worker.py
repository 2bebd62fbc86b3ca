"""A worker whose parsers do what a file's first word says, in place of reading it."""

import ctypes
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from ingest import parsing
from ingest.parse.surroundings import current
from ingest.workers import child
from kb.errors import ParseError
from kb.records import Document
from kb.settings import ParseSettings

Begun = tuple[Document, Iterator[Document]]


def _given(text: str) -> Begun:
    document = Document(text, ())
    return document, iter([document])


def _hang(_: str) -> None:
    while True:
        pass


def _hang_in_c(_: str) -> None:
    re.match("(a+)+$", "a" * 64 + "b")


def _hang_with_a_child(where: str) -> None:
    sleeper = subprocess.Popen(["sleep", "600"])
    Path(tempfile.gettempdir(), "sleeper").write_text(str(sleeper.pid))
    _hang(where)


def _hang_late(_: str) -> Begun:
    def parts() -> Iterator[Document]:
        yield Document("the first part", ())
        while True:
            pass

    return Document("", ()), parts()


def _take_memory(_: str) -> None:
    held: list[bytearray] = []
    while True:
        held.append(bytearray(1 << 20))


def _take_memory_at_once(_: str) -> None:
    bytearray(1 << 40)


def _starve_a_library(_: str) -> None:
    """As C code does that is given no memory and calls it something else."""
    try:
        _take_memory("")
    except MemoryError:
        raise ParseError("broken file") from None


def _recurse(_: str) -> None:
    _recurse(_)


def _crash(_: str) -> None:
    ctypes.string_at(0)


def _abort(_: str) -> None:
    os.abort()


def _write(path: str) -> Begun:
    """Whether it could write where it should not, and where it may."""
    said = []
    for target in (Path(path), Path(tempfile.gettempdir(), "mine")):
        try:
            target.write_text("here I am")
            said.append("written")
        except OSError as error:
            said.append(type(error).__name__)
    return _given(" ".join(said))


def _connect(port: str) -> Begun:
    try:
        socket.create_connection(("127.0.0.1", int(port)), timeout=2).close()
    except OSError as error:
        return _given(type(error).__name__)
    return _given("connected")


def _talk(_: str) -> Begun:
    os.write(1, b"noise\n")
    os.write(2, b"noise\n")
    return _given("quiet")


def _step_by_step(_: str) -> Begun:
    for _number in range(8):
        time.sleep(0.1)
        current().alive()
    return _given("done in steps")


def _long(megabytes: str) -> Begun:
    text = "x" * 1_000_000
    return Document(text, ()), iter([Document(text, ())] * int(megabytes))


DEEDS: dict[str, Callable[[str], Begun | None]] = {
    "hang": _hang,
    "hang-in-c": _hang_in_c,
    "hang-with-a-child": _hang_with_a_child,
    "hang-late": _hang_late,
    "take-memory": _take_memory,
    "take-memory-at-once": _take_memory_at_once,
    "starve-a-library": _starve_a_library,
    "recurse": _recurse,
    "crash": _crash,
    "abort": _abort,
    "leave": lambda _: os._exit(0),
    "leave-with-3": lambda _: os._exit(3),
    "exit": lambda _: sys.exit("bye"),
    "fail": lambda _: {}["missing"],
    "be-killed": lambda _: os.kill(os.getpid(), 9),
    "write": _write,
    "connect": _connect,
    "talk": _talk,
    "step-by-step": _step_by_step,
    "long": _long,
    "wait": lambda seconds: (time.sleep(float(seconds)), _given("waited"))[1],
}


def _begin(data: bytes, parser: str, settings: ParseSettings) -> Begun:
    word, _, rest = data.decode().strip().partition(" ")
    if word in DEEDS:
        begun = DEEDS[word](rest)
        assert begun is not None
        return begun
    return parsing.begin(data, parser, settings)


def main(arguments: list[str]) -> None:
    child.begin = _begin
    child.main(arguments)


def main_that_does_not_start(arguments: list[str]) -> None:
    raise ImportError("a broken installation")
