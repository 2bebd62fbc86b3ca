"""The communities of a graph in the making, and their reports."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import msgspec

from index.derived.base import Made, Making
from index.graph.communities import asking, extractive, leiden, prompt
from index.graph.communities.chunks import Told, chunk_of, quoted, retold
from index.graph.communities.identity import identify
from index.graph.communities.kept import key_of, read_reports, write_reports
from index.graph.communities.leiden import Group
from index.graph.communities.material import Material, material_of
from index.graph.communities.profiles import profiles_of
from index.graph.communities.prompt import Lines, Report
from index.graph.communities.records import Community, read_communities, write_communities
from index.graph.reader import FoldedGraph
from kb.models.llm.llm import Llm
from kb.records import Chunk

VERSION = 1  # raised when the same graph would be reported on in another way
NOTHING = "there are no communities to report on: no related names stand in several passages"
_TITLE = 3  # members that a report without an LLM is called by
_LEAVES = 2  # that a report is on, at least: one passage speaks for itself
_HELD = 4096  # leaves in memory
Leaf = Callable[[int], Chunk]


@dataclass(frozen=True, slots=True)
class _Subject:
    group: Group
    material: Material
    worth: bool  # a report
    lines: Lines | None  # for an LLM


def report(making: Making, graph: FoldedGraph, folder: Path, llm: Callable[[], Llm] | None) -> Made:
    """Find communities, report on each, and write ``communities.jsonl`` and ``reports.jsonl``.

    Args:
        making: see there; ids, and what an LLM said of what is unchanged, are taken over from the
            component before.
        graph: folded, in `folder`.
        folder: of the component.
        llm: None: reports are sentences from the documents, as they are where an LLM says nothing.
    """
    subjects = [
        _subject(graph, group, llm is not None)
        for group in leiden.groups_of(graph, making.settings.graph.community_size)
    ]
    asked = asking.Asked() if llm is None else _asked(making, folder, subjects, llm)
    leaf: Leaf = lru_cache(_HELD)(making.table.__getitem__)
    told = [_told(graph, one, asked.reports.get(i), leaf) for i, one in enumerate(subjects)]
    communities = _communities(making, graph, subjects, asked)
    tokenizer = making.embedder.tokenizer
    chunks = [
        chunk_of(one.path, one.level, one.title, _names(graph, subject), words, leaf, tokenizer)
        for one, subject, words in zip(communities, subjects, told, strict=True)
        if words.text
    ]
    ids = {chunk.path: chunk.id for chunk in chunks}
    communities = [
        msgspec.structs.replace(one, report=ids.get(one.path, "")) for one in communities
    ]
    write_communities(folder, communities)
    profiles = list(profiles_of(graph, leaf, tokenizer))
    return Made(
        chunks=[*chunks, *(chunk for chunk, _ in profiles)],
        stands_on=[
            *(words.rows for words in told if words.text),
            *(words.rows for _, words in profiles),
        ],
        notes=() if chunks else (NOTHING,),
        pending=asked.pending,
        failed={communities[i].path: why for i, why in asked.failed.items()},
        stopped=asked.stopped,
    )


def _subject(graph: FoldedGraph, group: Group, for_llm: bool) -> _Subject:
    material = material_of(graph, group.members)
    worth = len({row for row, _, _ in material.sentences}) >= _LEAVES
    lines = prompt.lines_of(graph, material) if for_llm and worth else None
    return _Subject(group, material, worth, lines)


def _asked(
    making: Making, folder: Path, subjects: Sequence[_Subject], llm: Callable[[], Llm]
) -> asking.Asked:
    lines = {i: one.lines for i, one in enumerate(subjects) if one.lines is not None}
    keys = {i: key_of(one, making.settings.llm) for i, one in lines.items()}
    before = read_reports(making.before)
    missing = {i: one for i, one in lines.items() if keys[i] not in before}
    asked = asking.ask(missing, llm, making.wish, making.progress)
    asked.reports |= {i: before[key] for i, key in keys.items() if key in before}
    whole = {keys[i]: said for i, said in asked.reports.items() if i not in asked.failed}
    write_reports(folder, whole)
    return asked


def _communities(
    making: Making, graph: FoldedGraph, subjects: Sequence[_Subject], asked: asking.Asked
) -> list[Community]:
    members = [tuple(graph.node(m).id for m in one.material.members) for one in subjects]
    before = read_communities(making.before) if making.before is not None else []
    ids = identify([frozenset(one) for one in members], before)
    return [
        Community(
            id=ids[i],
            level=one.group.level,
            parent=ids[one.group.parent] if one.group.parent >= 0 else "",
            members=members[i],
            title=_title(graph, one, asked.reports.get(i)),
            report="",
        )
        for i, one in enumerate(subjects)
    ]


def _title(graph: FoldedGraph, subject: _Subject, said: Report | None) -> str:
    if said is not None and said.title.strip():
        return " ".join(said.title.split())
    return ", ".join(_names(graph, subject)[:_TITLE])


def _names(graph: FoldedGraph, subject: _Subject) -> list[str]:
    return [graph.node(m).name for m in subject.material.members]


def _told(graph: FoldedGraph, subject: _Subject, said: Report | None, leaf: Leaf) -> Told:
    if not subject.worth:
        return Told("", (), ())
    if said is None or subject.lines is None:
        return quoted(extractive.choose(subject.material, leaf), leaf)
    return retold(prompt.text_of(said), graph, subject.lines.nodes, subject.lines.edges)
