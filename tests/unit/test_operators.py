"""Which quotes and hyphens are operators, and what a phrase is in."""

import pytest

from index.lexical.phrases import Phrase, plain_words
from kb.errors import UsageError
from kb.settings import QuerySettings
from query.asked import ask, narrowed
from query.operators import parse


@pytest.mark.parametrize(
    ("question", "text", "phrases", "excluded"),
    [
        ('"par de apriete"', "par de apriete", ["par de apriete"], []),
        ('bomba "par de apriete" rosca', "bomba par de apriete rosca", ["par de apriete"], []),
        ("bomba -solar", "bomba", [], ["solar"]),
        ("-solar bomba -eólica", "bomba", [], ["solar", "eólica"]),
        ('bomba -"en seco"', "bomba", [], ["en seco"]),
        ('bomba -"tv"', "bomba", [], ["tv"]),
        ("robots -multi-agent", "robots", [], ["multi-agent"]),
        ("code -C++", "code", [], ["C++"]),
        ("fallos -2023", "fallos", [], ["2023"]),
        ('¿dice "hola"?', "¿dice hola?", ["hola"], []),
        ('("uno dos"), "tres"', "(uno dos), tres", ["uno dos", "tres"], []),
        ('"不要 漢字"', "不要 漢字", ["不要 漢字"], []),
    ],
)
def test_operators(question: str, text: str, phrases: list[str], excluded: list[str]) -> None:
    found = parse(question)
    assert (found.text, list(found.phrases), list(found.excluded)) == (text, phrases, excluded)


@pytest.mark.parametrize(
    "question",
    [
        "multi-agent systems", "use the --flag", "grep -v", "test -z -n -eq", "date -I -u", "a - b",
        "- item", "-", "--", "---", "C++ and C#", '"', '""', '" "', '"unbalanced quotes', 'a 5" pipe',
        'a 5" and a 6" pipe', "don't 'quote' me", "l'home", "¿qué?", "10-20", "x -_y", "“curly” «angled»",
        '"…" -"…"', "2024-01-05", "a -", 'he said"so" and"so"',
    ],
)  # fmt: skip
def test_plain_text(question: str) -> None:
    found = parse(question)
    assert (found.text, found.phrases, found.excluded) == (question, (), ())


@pytest.mark.parametrize("question", ["-solar", '-"en seco"', "-uno -dos", '  -"uno" ?'])
def test_exclusions_alone_are_refused(question: str) -> None:
    with pytest.raises(UsageError, match="what to leave out"):
        ask(question)
    assert ask(question, operators=False).text == question


@pytest.mark.parametrize(
    ("question", "binding"),
    [
        ('"gato negro"', "no other"),
        ('"gato negro" veterinario', "every leg"),
        ('the manual on "dry running"', "every leg"),
        ('¿Quién escribió la novela "El pozo seco"?', "sparse leg"),
        ('Who was pregnant during the recording of "Dear Brother"?', "sparse leg"),
    ],
)
def test_what_a_phrase_binds(question: str, binding: str) -> None:
    assert ask(question).binding == binding


def holds(text: str, phrase: str, fold_enye: bool = False) -> bool:
    words = tuple((word,) for word in plain_words(phrase, fold_enye))
    return Phrase(words, fold_enye).is_in([text])


@pytest.mark.parametrize(
    ("text", "phrase", "found"),
    [
        ("El GATO negro.", "gato negro", True),
        ("negro gato", "gato negro", False),
        ("gatos negros", "gato negro", False),
        ("gato muy negro", "gato negro", False),
        ("gato\n  negro", "gato negro", True),
        ("La revisi\u00f3n de la bomba", "revision de la bomba", True),
        ("La revisio\u0301n de la bomba", "REVISI\u00d3N de la bomba", True),
        ("el ano pasado", "año pasado", False),
        ("el a\u006e\u0303o pasado", "a\u00f1o pasado", True),
        ("to be or not to be", "be or not to", True),
        ("multi-agent systems", "multi agent systems", True),
        ("multi agent systems", "multi-agent", True),
        ("written in C++ 17", "in C", False),
        ("written in C++ 17", "in c++", True),
        ("run with the --flag on", "--flag", True),
        ("run with the flag on", "--flag", False),
        ("it costs 1,000 euros", "000 euros", False),
        ("it costs 1,000 euros", "1,000 euros", True),
        ("getUserName()", "username", False),
        ("日本語の文書です", "文書", True),
        ("文の書", "文書", False),
        ("soft\u00adhyphen here", "softhyphen here", True),
    ],
)
def test_a_phrase_is_its_words_in_sequence(text: str, phrase: str, found: bool) -> None:
    assert holds(text, phrase) is found


def test_a_phrase_does_not_cross_from_one_text_into_the_next() -> None:
    phrase = Phrase((("uno",), ("dos",)), False)
    assert not phrase.is_in(["cero uno", "dos tres"])
    assert phrase.is_in(["cero", "uno dos"])


def test_sub_queries_go_to_their_legs() -> None:
    asked = ask("the question", lex="E-217 -solar", vec='why "so"')
    assert (asked.query, asked.text) == ("the question", "the question")
    assert (asked.lexical, asked.semantic) == ("E-217", 'why "so"')
    assert (asked.phrases, asked.excluded) == ((), ("solar",))
    alone = ask("", lex="E-217", vec="why")
    assert (alone.query, alone.text, alone.lexical, alone.semantic) == (
        "E-217 why", "why", "E-217", "why",
    )  # fmt: skip
    only_lex = ask("the question", lex="E-217")
    assert (only_lex.lexical, only_lex.semantic, only_lex.text) == (
        "E-217", "the question", "the question",
    )  # fmt: skip


def test_a_leg_with_nothing_to_read_is_not_asked() -> None:
    settings = QuerySettings()
    lex = narrowed(ask("", lex="E-217"), settings)
    assert (lex.mode, lex.rerank) == ("sparse", "none")
    vec = narrowed(ask("", vec="why"), settings)
    assert (vec.mode, vec.rerank) == ("dense", settings.rerank)
    assert narrowed(ask("", lex="a", vec="b"), settings) == settings
    assert narrowed(ask("plain"), settings) is settings
    with pytest.raises(UsageError, match="--vec is for the dense leg"):
        narrowed(ask("", vec="why"), QuerySettings(mode="sparse"))
    with pytest.raises(UsageError, match="--lex is for the sparse leg"):
        narrowed(ask("q", lex="a"), QuerySettings(mode="dense"))
