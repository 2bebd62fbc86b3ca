"""An answer from hits: by an LLM where there is one, else the sources' own sentences."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from index.reader import GenerationReader
from kb.models.embedder import Embedder
from kb.models.llm.base import Failed, Tell
from kb.models.llm.llm import Llm
from kb.records import Hit
from query.answer.answer import Source
from query.answer.cited import Checked, Sentence, check
from query.answer.evidence import Evidence, meaning_of
from query.answer.extract import Quote, extract
from query.answer.prompt import prompt_of
from query.leaves import passages
from query.planted import suspicions
from query.question import Question


@dataclass(frozen=True, slots=True)
class Composed:
    """An answer's words and what they stand on."""

    answered: bool
    sentences: tuple[Sentence, ...] = ()
    sources: tuple[Source, ...] = ()
    notes: tuple[str, ...] = ()
    llm: str = ""


@dataclass(frozen=True, slots=True)
class Material:
    """What an LLM was given."""

    question: str
    hits: Sequence[Hit]

    @property
    def passages(self) -> list[str]:
        """What may be cited of each hit: its words, and those shown around it."""
        return [
            hit.expanded.text if hit.expanded is not None else hit.chunk.text for hit in self.hits
        ]

    def check(self, text: str) -> Checked:
        """See `query.answer.cited.check`."""
        return check(text, self.passages, self.question)


def written(
    llm: Llm,
    question: Question,
    hits: Sequence[Hit],
    tell: Callable[[Material], Tell] | None = None,
    points: Sequence[tuple[int, str]] = (),
) -> Composed | Failed:
    """An answer in an LLM's words, each sentence checked.

    Args:
        llm: asked once.
        question: what was asked.
        hits: what may answer.
        tell: makes what is told of the text as it comes.
        points: see `query.answer.points.Gathered`.
    """
    question.llm_used = llm.name
    prompt, number = prompt_of(question.text, hits, llm.room, points)
    material = Material(question.text, hits[:number])
    answer = llm.write(prompt, tell(material) if tell else None)
    if isinstance(answer, Failed):
        return answer
    notes = []
    if number < len(hits):
        notes.append(f"the model's window has room for {number} of {len(hits)} hits")
    if not answer.whole:
        notes.append("the answer was cut: its end is missing (llm.max_output)")
    checked = material.check(answer.value)
    founded = any(s.sources for s in checked.sentences)
    if checked.enough and not founded:
        notes.append("not one sentence cites a passage: this is not taken for an answer")
    notes += _warned(hits, checked)
    used = sorted({n for s in checked.sentences for n in s.sources})
    sources = tuple(Source(n, hits[n - 1], hits[n - 1].chunk.lines) for n in used)
    return Composed(checked.enough and founded, checked.sentences, sources, tuple(notes), llm.name)


def _warned(hits: Sequence[Hit], checked: Checked) -> list[str]:
    """Which of the passages cited hold what looks like orders to a model."""
    used = sorted({n for s in checked.sentences for n in s.sources})
    named = [f"[{n}]" for n in used if suspicions(hits[n - 1].chunk.text)]
    if not named:
        return []
    return [
        f"{', '.join(named)}: holds what looks like orders to a model (tesela scan); check the answer"
    ]


def quoted(
    question: Question,
    hits: Sequence[Hit],
    reader: GenerationReader,
    embedder: Embedder | None,
    why: str = "",
) -> Composed:
    """The sources' own sentences, best first.

    Args:
        question: what was asked.
        hits: what may answer.
        reader: of their generation.
        embedder: of the generation; None: words alone count.
        why: a note that says why they are asked for.
    """
    evidence = Evidence(reader, question.text, meaning_of(question, reader, embedder))
    found = extract(passages(hits, reader), reader, evidence)
    sources: list[Source] = []
    sentences: list[Sentence] = []
    for quote in found.quotes:
        number = _number(sources, quote)
        sentences.append(Sentence(_shown(quote), (number,), after="\n\n"))
    return Composed(found.enough, tuple(sentences), tuple(sources), (why,) if why else ())


def _shown(quote: Quote) -> str:
    """A table's row with its header above."""
    header = quote.unit.header
    return f"{header}\n{quote.text}" if header and header != quote.text else quote.text


def _number(sources: list[Source], quote: Quote) -> int:
    """The source's number; a new one for a new passage. Its lines span all that is quoted of it."""
    for place, source in enumerate(sources):
        if source.hit.chunk.id == quote.hit.chunk.id:
            if source.lines and quote.lines:
                low, high = zip(source.lines, quote.lines, strict=True)
                sources[place] = replace(source, lines=(min(low), max(high)))
            return source.number
    sources.append(Source(len(sources) + 1, quote.hit, quote.lines))
    return len(sources)
