"""XML without its dangers: entities are not expanded, nothing is fetched, depth has a limit."""

from collections.abc import Iterator, Sequence
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from lxml.etree import _Element as Node
    from lxml.etree import _ListErrorLog


class Damage:
    """The parts of a container whose XML ends before its end, or is nested too deep."""

    def __init__(self) -> None:
        self._parts: dict[str, None] = {}

    def note(self, part: str, log: "_ListErrorLog") -> None:
        """Remember `part` where reading it met an error after which the rest is lost."""
        if any(entry.level_name == "FATAL" for entry in log):
            self._parts[part] = None

    @property
    def warnings(self) -> list[str]:
        """One line a part."""
        return [f"{part} is damaged: read as far as it goes" for part in self._parts]


def parse_xml(data: bytes | None, part: str = "", damage: Damage | None = None) -> "Node | None":
    """The root of a document, as far as it can be read; None where there is none."""
    from lxml import etree

    if not data or not data.strip():
        return None
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        recover=True,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        return etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError, AssertionError):
        return None
    finally:
        if damage is not None:
            damage.note(part, parser.error_log)


def stream_xml(
    stream: IO[bytes], name: str, part: str = "", damage: Damage | None = None
) -> "Iterator[Node]":
    """Elements of a local name as they end, none kept: memory does not grow with the file."""
    yield from (node for _, node in stream_events(stream, (), (name,), part, damage))


def stream_events(
    stream: IO[bytes],
    starts: Sequence[str],
    ends: Sequence[str],
    part: str = "",
    damage: Damage | None = None,
) -> "Iterator[tuple[bool, Node]]":
    """``(True, element)`` where one of `starts` begins, ``(False, element)`` where any one ends.

    An element of `ends` is emptied after it was given.
    """
    from lxml import etree

    events = etree.iterparse(
        stream,
        events=("start", "end") if starts else ("end",),
        tag=[f"{{*}}{name}" for name in (*starts, *ends)],
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        recover=True,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        for event, node in events:
            name = local(node)
            if event == "start":
                if name in starts:
                    yield True, node
                continue
            yield False, node
            if name in ends:
                node.clear()
                parent = node.getparent()
                while parent is not None and node.getprevious() is not None:
                    del parent[0]
    except etree.XMLSyntaxError:
        return  # what came before the damage was read
    finally:
        if damage is not None:
            damage.note(part, events.error_log)


def local(node: "Node") -> str:
    """An element's name without its namespace, ``""`` for an entity that was not expanded."""
    tag = node.tag
    return tag[tag.find("}") + 1 :] if isinstance(tag, str) else ""


def attr(node: "Node | None", name: str) -> str:
    """An attribute's value by local name, whatever the namespace; ``""`` where there is none."""
    if node is None:
        return ""
    value = node.get(name)
    if value is not None:
        return str(value)
    end = "}" + name
    return next((str(v) for k, v in node.attrib.items() if str(k).endswith(end)), "")


def child(node: "Node | None", *path: str) -> "Node | None":
    """The first child of a local name, and so on down the path."""
    for name in path:
        node = next((c for c in node if local(c) == name), None) if node is not None else None
    return node


def below(node: "Node | None", *names: str) -> "Iterator[Node]":
    """All descendants of these local names, in order."""
    if node is not None:
        yield from node.iter(*[f"{{*}}{name}" for name in names])


def number(text: str, default: int = 0) -> int:
    """A whole number in an attribute, `default` where it is none or absurd."""
    try:
        return int(text) if len(text) < 12 else default
    except ValueError:
        return default
