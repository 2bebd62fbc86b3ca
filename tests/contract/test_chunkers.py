import base64
import random
import time

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from kb.records import Document, Element
from kb.registry import names
from tests.chunking import check, document, make_chunker, plain, slices, tokenizer

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466"
NASTY = st.sampled_from(
    [" ", "\n", "\n\n", "\r\n", "\t", "a\u0301", " \u0301", FAMILY, "\U0001f1ea\U0001f1f8",
     "\u200b", "</s>", "<|endoftext|>", "El Sr. Pérez. ", "¿Qué? ", "한국어 ", "中文。", "\u00a0",
     "x" * 40, "word ", "e.g. this. ", "\ufdfa", "\u1112\u1161\u11ab", "\U0001f44d\U0001f3fd", "…", "\x1c"]
)  # fmt: skip
TEXT = st.lists(NASTY | st.text(st.characters(exclude_categories=["Cs"]), max_size=12), max_size=40)
chunkers = pytest.mark.parametrize("name", names("chunker"))
quick = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@chunkers
@quick
@given(parts=TEXT, size=st.integers(8, 40), share=st.integers(0, 99))
@example(parts=["a", "\u0301" * 300, " b"], size=8, share=50)
@example(parts=[" \u0301a. B \u0301", "\r\n\u0301"], size=8, share=0)
def test_any_text_keeps_the_promises(name: str, parts: list[str], size: int, share: int) -> None:
    doc = plain("".join(parts))
    spans = make_chunker(name, size=size, overlap=f"{share}%").split(doc)
    check(doc, spans, size)


KINDS = st.sampled_from(["heading", "paragraph", "list", "table", "code", "quote"])


@st.composite
def documents(draw: st.DrawFn) -> Document:
    text, elements = "", []
    for parts in draw(st.lists(TEXT, max_size=8)):
        text += draw(st.sampled_from(["", "\n\n", "<!-- gap -->\n", "---\n" * 9]))
        body = "".join(parts)
        kind = draw(KINDS)
        level = draw(st.integers(1, 6)) if kind == "heading" else 0
        elements.append(Element(kind, len(text), len(text) + len(body), (), level))
        text += body
    return Document(text, tuple(elements))


@chunkers
@quick
@given(doc=documents(), size=st.integers(8, 60), overlap=st.integers(0, 7))
def test_any_elements_keep_the_promises(name: str, doc: Document, size: int, overlap: int) -> None:
    chunker = make_chunker(name, size=size, overlap=overlap)
    spans = chunker.split(doc)
    check(doc, spans, size)
    assert spans == chunker.split(doc)


@chunkers
def test_nothing_gives_nothing(name: str) -> None:
    chunker = make_chunker(name)
    assert chunker.split(plain("")) == []
    assert chunker.split(plain(" \n\t\r\n ")) == []


@chunkers
@pytest.mark.parametrize("text", ["hola", "Una sola frase corta.", "x", "\n hola \n"])
def test_a_short_text_is_one_chunk(name: str, text: str) -> None:
    doc = plain(text)
    assert slices(doc, make_chunker(name).split(doc)) == [text.strip()]


@chunkers
def test_front_matter_is_not_chunked(name: str) -> None:
    front = "---\ntitle: secreto\n---\n"
    text = front + "Cuerpo del texto."
    doc = Document(text, (Element("paragraph", len(front), len(text)),))
    assert slices(doc, make_chunker(name).split(doc)) == ["Cuerpo del texto."]


@chunkers
def test_1050_characters_with_size_100_and_overlap_20_end_with_the_tail(name: str) -> None:
    text = ("palabra número uno. " * 60)[:1044] + " final"
    assert len(text) == 1050
    doc = plain(text)
    spans = make_chunker(name, size=100, overlap=20).split(doc)
    check(doc, spans, 100)
    assert spans[-1].end == 1050
    assert 2 <= len(spans) <= 12


@chunkers
def test_the_same_sentence_200_times(name: str) -> None:
    doc = plain("misma frase. " * 200)
    spans = make_chunker(name, size=64, overlap=16).split(doc)
    check(doc, spans, 64)
    assert len(spans) > 200 * 4 // 64


@chunkers
@pytest.mark.parametrize("overlap", [0, 3])
def test_emoji_families_and_accents_stay_whole(name: str, overlap: int) -> None:
    doc = plain((FAMILY + "cafe\u0301") * 30)
    spans = make_chunker(name, size=16, overlap=overlap).split(doc)
    check(doc, spans, 16)
    assert all(piece.encode("utf-8") for piece in slices(doc, spans))
    assert len(spans) > 5


@chunkers
def test_special_tokens_are_plain_text(name: str) -> None:
    doc = plain("antes </s> medio <|endoftext|> después <s> <pad> <unk>. " * 20)
    check(doc, make_chunker(name, size=24).split(doc), 24)
    assert tokenizer().count("</s>") > 1


def korean() -> str:
    rng = random.Random(7)
    syllables = [chr(0xAC00 + rng.randrange(11172)) for _ in range(3000)]
    return "".join(c + " " * (i % 4 == 3) + "." * (i % 40 == 39) for i, c in enumerate(syllables))


ODD_TEXTS = {
    "base64": base64.b64encode(random.Random(1).randbytes(20_000)).decode(),
    "code": "def f(x):\n" + "".join(f"        y{i} = f(x, {i})\n" for i in range(600)),
    "korean": korean(),
    "chinese": "我们今天去北京明天回来好吗" * 300,
    "dots": "." * 20_000,
    "blanks": "a" + " " * 20_000 + "b" + "\n" * 20_000 + "c",
}


@chunkers
@pytest.mark.parametrize("kind", ODD_TEXTS)
def test_odd_texts(name: str, kind: str) -> None:
    text = ODD_TEXTS[kind]
    doc = document(("code" if kind == "code" else "paragraph", text))
    spans = make_chunker(name, size=128, overlap=12).split(doc)
    check(doc, spans, 128)
    assert max(len(piece) for piece in slices(doc, spans)) < 6000 or kind in {"dots", "blanks"}


@chunkers
def test_a_line_of_800_kb_with_a_needle_is_cut_in_seconds(name: str) -> None:
    half = "el veloz murciélago hindú comía feliz cardillo y kiwi " * 7500
    doc = plain(half + "AGUJA-4711 " + half)
    assert len(doc.text) > 800_000
    begun = time.process_time()
    pieces = slices(doc, spans := make_chunker(name).split(doc))
    assert time.process_time() - begun < 20
    assert sum("AGUJA-4711" in piece for piece in pieces) == 1
    assert spans[-1].end == len(doc.text.rstrip())
    inked = sum(len(piece.replace(" ", "")) for piece in pieces)
    assert inked == len(doc.text.replace(" ", ""))


@chunkers
def test_a_text_above_size_fills_its_chunks(name: str) -> None:
    doc = plain(" ".join(f"Frase número {i} sobre el tema {i % 7}." for i in range(600)))
    counts = [tokenizer().count(p) for p in slices(doc, make_chunker(name, size=100).split(doc))]
    assert max(counts) <= 100
    assert sum(counts) / len(counts) > 50
