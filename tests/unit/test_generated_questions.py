"""Questions made from documents: what they hold, what they may not copy, and that they stay the same."""

import random
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
import pytest

from kb.models.embedder import Floats
from kb.records import Document, Element
from query.evaluate.generate import frames, makers
from query.evaluate.generate.drafts import Difficulty, Draft
from query.evaluate.generate.make import make
from query.evaluate.generate.near import Near
from query.evaluate.generate.passages import language_of, sentences
from query.evaluate.generate.words import Usage, words
from query.evaluate.generate.write import identity, split_of

ENGLISH = (
    "The hydraulic pump delivers cold water to the boiler room on the second floor. "
    "Maintenance of the filter takes twenty minutes and needs a torque wrench. "
    "A siphon is a bent tube that carries liquid over the rim of a container. "
    "In 1987 the workshop in Valencia replaced 42 valves after the flood."
)
SPANISH = (
    "La bomba hidráulica entrega agua fría a la sala de calderas del segundo piso. "
    "El mantenimiento del filtro dura veinte minutos y exige una llave dinamométrica. "
    "Un sifón es un tubo doblado que lleva líquido por encima del borde de un recipiente. "
    "En 1987 el taller de Valencia cambió 42 válvulas después de la inundación."
)

PLACES = (
    *("Arlanza", "Bidasoa", "Cinca", "Duero", "Esla", "Francolí"),
    *("Genil", "Huerva", "Iregua", "Jalón", "Lozoya", "Manubles"),
)


def embed(texts: Sequence[str]) -> Floats:
    """Likeness by letters; deterministic and of no meaning."""
    rows = np.zeros((len(texts), 26), np.float32)
    for row, text in zip(rows, texts, strict=True):
        for letter in text:
            row[ord(letter) % 26] += 1
    found: Floats = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return found


def document(text: str, language: str, heading: tuple[str, ...] = ()) -> Document:
    element = Element("paragraph", 0, len(text), heading=heading)
    return Document(text, (element,), language=language)


def corpus() -> Iterable[tuple[str, Document]]:
    for n in range(12):
        language, text = ("en", ENGLISH) if n % 2 else ("es", SPANISH)
        yield f"docs/{n}.md", document(text.replace(".", f" {PLACES[n]}."), language)
    yield "docs/fr.md", document("Le chat dort sur le tapis rouge de la maison.", "fr")


def making(text: str, language: str, difficulty: Difficulty, at: int = 0) -> makers.Making:
    usage = Usage()
    usage.add(text, language)
    there = list(sentences(document(text, language)))
    often = Counter(word.stem for word in words(text, language))
    near = Near(embed, usage)
    return makers.Making(
        "a.md", language, there[at], often, usage, near, random.Random(1), difficulty
    )


@pytest.fixture(scope="module")
def drafts() -> list[Draft]:
    return make(corpus, 60, 1, embed).drafts


def test_evidence_is_what_the_document_says(drafts: list[Draft]) -> None:
    texts = dict(corpus())
    assert len(drafts) >= 10
    for draft in drafts:
        evidence = draft.evidence
        assert texts[evidence.path].text[evidence.start : evidence.end] == evidence.text
        assert draft.language == texts[evidence.path].language


def test_no_question_copies_its_evidence(drafts: list[Draft]) -> None:
    for draft in drafts:
        said = [w.text.casefold() for w in words(draft.evidence.text, draft.language)]
        asked = [w.text.casefold() for w in words(draft.text, draft.language)]
        runs = {tuple(said[i : i + 8]) for i in range(len(said) - 7)}
        assert not any(tuple(asked[i : i + 8]) in runs for i in range(len(asked) - 7)), draft
        kept = [w for w in said if w in set(asked)]
        assert len(kept) < len(said), draft


def test_the_same_documents_give_the_same_questions(drafts: list[Draft]) -> None:
    assert make(corpus, 60, 1, embed).drafts == drafts
    assert make(corpus, 60, 2, embed).drafts != drafts


def test_a_document_more_changes_few_questions(drafts: list[Draft]) -> None:
    def more() -> Iterable[tuple[str, Document]]:
        yield from corpus()
        yield "docs/new.md", document("Apples ripen late on the northern slope of hills.", "en")

    later = {draft.text for draft in make(more, 60, 1, embed).drafts}
    before = {draft.text for draft in drafts}
    assert len(before & later) > 0.8 * len(before)


def test_a_document_in_another_language_is_counted() -> None:
    made = make(corpus, 5, 1, embed)
    assert made.other_languages == 1
    assert len(made.drafts) == 5
    assert language_of(dict(corpus())["docs/fr.md"]) == ""


@pytest.mark.parametrize(("text", "language"), [(ENGLISH, "en"), (SPANISH, "es")])
def test_a_fact_asks_for_what_it_leaves_out(text: str, language: str) -> None:
    draft = makers.fact(making(text, language, "easy", at=3))
    assert draft is not None
    answers = [number for number in ("1987", "42") if number not in draft.text]
    assert answers
    starts = [f.split("{")[0] for of in frames.FACTS[language].values() for f in of]
    assert any(draft.text.startswith(start) for start in starts)


@pytest.mark.parametrize(
    ("text", "language", "term"), [(ENGLISH, "en", "siphon"), (SPANISH, "es", "sifón")]
)
def test_a_definition_is_asked_for_by_name_or_by_what_it_says(
    text: str, language: str, term: str
) -> None:
    by_name = makers.definition(making(text, language, "easy", at=2))
    assert by_name is not None
    assert by_name.text == frames.IS[language].format(term)
    masked = makers.definition(making(text, language, "medium", at=2))
    assert masked is not None
    assert term not in masked.text
    assert masked.kind == "reverse"
    assert makers.definition(making(text, language, "easy", at=0)) is None


def test_no_word_comes_from_a_heading_alone() -> None:
    text = ENGLISH.split(". ")[0] + "."
    whole = document(text, "en", heading=("Hydraulic supplies of zeppelins",))
    (sentence,) = sentences(whole)
    base = making(text, "en", "easy")
    one = makers.Making(
        "a.md", "en", sentence, base.often, base.usage, base.near, base.draw, "easy"
    )
    draft = makers.topic(one)
    assert draft is not None
    assert "zeppelin" not in draft.text
    assert "supplies" not in draft.text
    other = document(text, "en", heading=("Zeppelins",))
    (sentence,) = sentences(other)
    none = makers.Making(
        "a.md", "en", sentence, base.often, base.usage, base.near, base.draw, "easy"
    )
    assert makers.topic(none) is None


def test_names_are_never_reworded() -> None:
    text = "Valencia builds turbines, boilers, pumps and filters for Zaragoza every spring."
    usage = Usage()
    usage.add(text, "en")
    usage.add("valencian zaragozans turbine", "en")
    near = Near(lambda words: np.ones((len(words), 2), np.float32), usage)
    (sentence,) = sentences(document(text, "en"))
    for seed in range(20):
        one = makers.Making(
            "a.md", "en", sentence, Counter(), usage, near, random.Random(seed), "hard"
        )
        draft = makers.keywords(one)
        assert draft is not None
        assert "valencian" not in draft.text
        assert "zaragozans" not in draft.text


def test_a_near_word_is_near_and_of_another_stem() -> None:
    usage = Usage()
    for text in ("victory victories", "winner victory", "packet winner", "packet"):
        usage.add(text, "en")
    table = {"victory": [1.0, 0.1], "winner": [1.0, 0.2], "packet": [-1.0, 0.3]}
    near = Near(lambda found: np.asarray([table[w] for w in found], np.float32), usage)
    (victory,) = words("victory", "en")
    assert near.word_for(victory, set()) == "winner"
    assert near.word_for(victory, {"winner"}) == ""
    (packet,) = words("packet", "en")
    assert near.word_for(packet, set()) == ""


def test_vague_questions_are_dropped() -> None:
    def alike() -> Iterable[tuple[str, Document]]:
        return ((f"{n}.md", document(ENGLISH, "en")) for n in range(8))

    made = make(alike, 20, 1, embed)
    assert not made.drafts  # eight documents hold every word of every question
    assert made.vague > 0


def test_splits_are_even_and_by_id_alone(drafts: list[Draft]) -> None:
    names = [f"{n:012x}" for n in range(400)]
    share = sum(split_of(name) == "tune" for name in names) / len(names)
    assert 0.4 < share < 0.6
    assert len({identity(draft) for draft in drafts}) == len(drafts)
