"""Questions and judgements in every format that is in use, and what is wrong with them, by line."""

import json
from pathlib import Path

import pytest

from kb.errors import UsageError
from kb.location import Location
from query.evaluate.judgements import Judgement, read_relevant
from query.evaluate.qrels import read_qrels
from query.evaluate.questions import read_questions
from query.evaluate.testset import read_testset


def qrels(tmp_path: Path, text: str) -> dict[str, list[Judgement]]:
    file = tmp_path / "qrels"
    file.write_text(text)
    return read_qrels(file)


DOCUMENTS = {
    "q1": [Judgement("a.md", grade=2), Judgement("b.md", grade=0)],
    "q2": [Judgement("c", grade=1)],
}


@pytest.mark.parametrize(
    "text",
    [
        "query-id\tcorpus-id\tscore\nq1\ta.md\t2\nq1\tb.md\t0\nq2\tc\t1\n",
        "q1\ta.md\t2\nq1\tb.md\t0\n\nq2\tc\n",
        "q1 0 a.md 2\nq1 Q0 b.md 0\nq2 0 c 1\n",
        "\ufeffq1  0  a.md  2\r\nq1 0 b.md 0.0\r\nq2 0 c 1.0",
        '{"q1": {"a.md": 2, "b.md": 0}, "q2": {"c": 1}}',
        '{"query-id": "q1", "corpus-id": "a.md", "score": 2}\n'
        '{"qid": "q1", "docid": "b.md", "grade": 0}\n{"_id": "q2", "doc": "c"}\n',
        '{"id": "q1", "relevant": {"a.md": 2, "b.md": 0}}\n{"id": "q2", "relevant": ["c"]}',
    ],
)
def test_judgements_of_documents(tmp_path: Path, text: str) -> None:
    assert qrels(tmp_path, text) == DOCUMENTS


@pytest.mark.parametrize(
    "text",
    [
        "q\td/a b.md\t10\t20\t3\n",
        "query\tpath\tstart\tend\tgrade\nq\td/a b.md\t10\t20\t3\n",
        '{"query": "q", "path": "d/a b.md", "span": [10, 20], "score": 3}',
        '{"query": "q", "path": "d/a b.md", "start": 10, "end": 20, "relevance": 3}',
    ],
)
def test_judgements_of_spans(tmp_path: Path, text: str) -> None:
    (found,) = qrels(tmp_path, text)["q"]
    assert (found.name, found.span, found.grade) == ("d/a b.md", (10, 20), 3)


def test_judgements_of_chunks(tmp_path: Path) -> None:
    expected = {"q": [Judgement("0a1b", "chunk", grade=1)]}
    assert qrels(tmp_path, '{"query-id": "q", "chunk": "0a1b"}') == expected
    assert qrels(tmp_path, "qid\tchunk\tgrade\nq\t0a1b\t1\n") == expected


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("q1 0 a.md 2\nq1 0 b.md high\n", "line 2: a grade is a whole number, not 'high'"),
        ("q\ta\t0.5\n", "line 1: a grade is a whole number, not '0.5'"),
        ("q1\ta\nq1\n", "line 2: 1 columns"),
        ("q a b c d e\n", "line 1: 6 columns"),
        ("q\ta\t9\t3\t1\n", r"line 1: a span is .*, not \[9, 3\]"),
        ("q\ta\tx\ty\t1\n", "line 1: a span's start and end are whole numbers, not 'x' and 'y'"),
        ('{"query-id": "q", "doc": "a"}\n{"doc": "a"}\n', "line 2: write whose judgement"),
        ('{"query-id": "q", "doc": "a"}\n{"query-id": \n', "line 2: "),
        ('{"query-id": "q", "doc": "a", "chunk": "b"}\n', "line 1: write one of path and chunk"),
        ('{"query-id": "q", "chunk": "a", "span": [1, 2]}', "line 1: a span is one of a document"),
        ('{"query-id": "q", "path": "a", "start": 3}', "line 1: a span has a start and an end"),
        ("\n\n", "holds no judgements"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        qrels(tmp_path, text)


@pytest.mark.parametrize(
    "text",
    [
        '{"_id": "1", "text": "uno", "metadata": {"split": "tune"}}\n{"_id": "2", "text": "dos"}\n',
        "1\tuno\n2\tdos\n",
        "query-id\ttext\n1\tuno\n2\tdos\n",
        "<top><num> Number: 1 <title> uno </top>\n<top><num>2<title>dos</top>\n",
    ],
)
def test_questions_of_every_format(tmp_path: Path, text: str) -> None:
    file = tmp_path / "queries"
    file.write_text(text)
    assert [(q.id, q.text) for q in read_questions(file)] == [("1", "uno"), ("2", "dos")]


def test_a_question_may_not_set_what_is_set_for_the_run(tmp_path: Path) -> None:
    file = tmp_path / "q.jsonl"
    file.write_text('{"id": "1", "text": "uno", "k": 3}\n')
    with pytest.raises(UsageError, match="'k' is said for the whole run"):
        read_questions(file)


def test_a_folder_in_beir_layout(tmp_path: Path) -> None:
    (tmp_path / "qrels").mkdir()
    lines = [{"_id": f"q{n}", "text": f"question {n}"} for n in range(4)]
    (tmp_path / "queries.jsonl").write_text("\n".join(map(json.dumps, lines)))
    (tmp_path / "qrels" / "test.tsv").write_text(
        "query-id\tcorpus-id\tscore\nq0\ta\t1\nq1\tb\t0\nq9\tc\t1\nq0\ta\t3\n"
    )
    found = read_testset(Location(tmp_path / ".tesela"), tmp_path, None, None)
    assert [q.id for q in found.questions] == ["q0"]
    assert found.judgements == [[Judgement("a", grade=3)]]  # what is said last
    assert list(found.unjudged) == ["q2", "q3"]
    assert list(found.irrelevant) == ["q1"]
    assert list(found.unasked) == ["q9"]


def test_a_split_set_gives_the_part_that_was_held_out(tmp_path: Path) -> None:
    lines = [
        {"id": n, "text": "?", "split": "tune" if n % 2 else "test", "relevant": ["a"]}
        for n in range(4)
    ]
    file = tmp_path / "q.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)))
    found = read_testset(Location(tmp_path / ".tesela"), None, file, None)
    assert [q.id for q in found.part("").questions] == ["0", "2"]
    assert [q.id for q in found.part("tune").questions] == ["1", "3"]
    assert len(found.part("all").questions) == 4
    assert found.part("tune").digest != found.part("test").digest


def test_without_a_test_set_the_way_out_is_told(tmp_path: Path) -> None:
    location = Location(tmp_path / ".tesela")
    with pytest.raises(UsageError, match="tesela eval gen"):
        read_testset(location, None, None, None)
    (tmp_path / "q.tsv").write_text("1\tuno\n")
    with pytest.raises(UsageError, match="name the judgements with --qrels"):
        read_testset(location, None, tmp_path / "q.tsv", None)
    (tmp_path / "qrels").write_text("one 0 a 1\n")
    with pytest.raises(UsageError, match="the same"):
        read_testset(location, None, tmp_path / "q.tsv", tmp_path / "qrels")
    with pytest.raises(UsageError, match="not both"):
        read_testset(location, tmp_path, tmp_path / "q.tsv", None)


def test_relevant_is_a_list_or_grades() -> None:
    assert read_relevant({"a": 2, "b": -1}) == [Judgement("a", grade=2), Judgement("b", grade=-1)]
    with pytest.raises(UsageError, match="a list, or grades by name"):
        read_relevant("a")
    with pytest.raises(UsageError, match="names a document"):
        read_relevant([" "])
