"""The sample corpus holds together: documents, front matter, questions and judgements."""

import difflib
import importlib.resources
import importlib.util
import json
import re
import warnings
from collections import Counter
from datetime import date
from pathlib import Path
from types import ModuleType

import pypdfium2
import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
CORPUS = Path(str(importlib.resources.files("sample_corpus")))
DOCS = CORPUS / "docs"
PDF_TOOLS = REPOSITORY / "tools" / "sample_corpus"
KINDS = {
    *("fact", "identifier", "paraphrase", "cross"),
    *("multi-hop", "global", "count", "temporal"),
}


def documents() -> list[str]:
    return sorted(str(path.relative_to(DOCS)) for path in DOCS.rglob("*") if path.is_file())


def queries() -> list[dict[str, str]]:
    lines = (CORPUS / "eval" / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def judgements() -> list[list[str]]:
    lines = (CORPUS / "eval" / "qrels.tsv").read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines]


def front_matter(name: str) -> dict[str, str]:
    text = (DOCS / name).read_text(encoding="utf-8")
    head = re.match(r"---\n(.*?)\n---\n", text, re.DOTALL)
    assert head, f"{name} has no front matter"
    pairs = [re.fullmatch(r"([a-z_]+): (\S.*)", line) for line in head[1].splitlines()]
    assert all(pairs), f"{name}: not every line of the front matter is key: value"
    return {pair[1]: pair[2] for pair in pairs if pair}


def pdf_pages(name: str) -> list[str]:
    with pypdfium2.PdfDocument(DOCS / name) as pdf:
        return [page.get_textpage().get_text_range() for page in pdf]


def make_pdfs() -> ModuleType:
    pytest.importorskip("pymupdf")
    return tool("make_pdfs")


def tool(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, PDF_TOOLS / f"{name}.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        spec.loader.exec_module(module)
    return module


def test_every_format_is_there_and_the_whole_is_small() -> None:
    formats = Counter(Path(name).suffix for name in documents())
    assert formats.keys() == {".md", ".html", ".txt", ".pdf"}
    assert min(formats.values()) >= 4
    assert sum(path.stat().st_size for path in CORPUS.rglob("*") if path.is_file()) < 600_000


def test_query_ids_are_unique_and_fields_are_known() -> None:
    assert len(queries()) >= 40
    assert len({query["_id"] for query in queries()}) == len(queries())
    assert len({query["text"] for query in queries()}) == len(queries())
    assert {query["lang"] for query in queries()} == {"en", "es"}
    assert {query["kind"] for query in queries()} == KINDS
    assert all(query.keys() == {"_id", "text", "lang", "kind"} for query in queries())


def test_every_judgement_names_a_query_and_a_document() -> None:
    header, *rows = judgements()
    assert header == ["query-id", "corpus-id", "score"]
    assert {row[1] for row in rows} <= set(documents())
    assert {row[2] for row in rows} == {"1", "2"}
    assert len({(row[0], row[1]) for row in rows}) == len(rows)
    answered = {row[0] for row in rows if row[2] == "2"}
    assert answered == {query["_id"] for query in queries()} == {row[0] for row in rows}


def test_at_least_ten_questions_cross_the_language() -> None:
    assert sum(query["kind"] == "cross" for query in queries()) >= 10


@pytest.mark.parametrize("name", [name for name in documents() if name.endswith(".md")])
def test_front_matter(name: str) -> None:
    fields = front_matter(name)
    assert fields["lang"] in {"en", "es"}
    assert date.fromisoformat(fields["date"])
    assert fields["year"].isdigit()
    assert {"title", "status", "tags"} <= fields.keys()
    for key in {"supersedes", "translation"} & fields.keys():
        assert fields[key] in documents()


def test_one_policy_takes_over_the_day_after_the_other_ends() -> None:
    old = front_matter("policies/gastos-viaje-2023.md")
    new = front_matter("policies/gastos-viaje-2025.md")
    assert new["supersedes"] == "policies/gastos-viaje-2023.md"
    gap = date.fromisoformat(new["valid_from"]) - date.fromisoformat(old["valid_until"])
    assert gap.days == 1


def test_exactly_one_document_is_confidential() -> None:
    marked = [name for name in documents() if name.endswith(".md") and "acl" in front_matter(name)]
    assert marked == ["policies/bandas-salariales-2025.md"]


def test_the_minutes_are_windows_1252_and_nothing_else() -> None:
    raw = (DOCS / "reports/acta-asamblea-2024.txt").read_bytes()
    with pytest.raises(UnicodeDecodeError):
        raw.decode("utf-8")
    assert "71 600 €" in raw.decode("cp1252")
    assert "“Conforme”" in raw.decode("cp1252")


def test_all_other_text_is_utf_8_and_never_loses_the_tilde_of_the_year() -> None:
    for name in documents():
        if not name.endswith((".pdf", "acta-asamblea-2024.txt")):
            text = (DOCS / name).read_text(encoding="utf-8")
            assert not re.search(r"\banos?\b", text), name


def test_the_log_has_the_counts_that_the_readme_states() -> None:
    log = (DOCS / "reports/incident-log-2024.md").read_text(encoding="utf-8")
    rows = [line.split(" | ") for line in log.splitlines() if re.match(r"\| \d\d ", line)]
    assert Counter(row[3] for row in rows) == {
        **{"leak": 9, "sensor": 6, "blockage": 5},
        **{"electrical": 4, "vandalism": 1},
    }
    assert Counter(row[2] for row in rows).most_common(1) == [("Robledal", 4)]


def test_the_two_greasing_sheets_differ_in_three_lines() -> None:
    new = (DOCS / "manuals/bearing-greasing.txt").read_text(encoding="utf-8").splitlines()
    old = (DOCS / "archive/bearing-greasing-rev-b.txt").read_text(encoding="utf-8").splitlines()
    assert len([line for line in difflib.ndiff(old, new) if line.startswith("+ ")]) == 3


def test_the_turbine_manual_repeats_header_and_footer_on_each_page() -> None:
    pages = pdf_pages("manuals/t40-turbine.pdf")
    assert len(pages) >= 3
    for number, page in enumerate(pages, 1):
        assert "Noria del Sarmo - T40 owner's manual" in page
        assert f"Document M-40, edition 5 - {number}" in page


@pytest.mark.parametrize("source", sorted((PDF_TOOLS / "text").glob("*.txt")), ids=lambda p: p.stem)
def test_a_pdf_holds_every_word_of_its_source(source: Path) -> None:
    shown = set(" ".join(pdf_pages(f"{source.stem.replace('__', '/')}.pdf")).split())
    body = source.read_text(encoding="utf-8").partition("\n\n")[2]
    assert set(body.split()) - {"#", "##", "###"} <= shown


def test_the_same_source_gives_the_same_bytes(tmp_path: Path) -> None:
    tool = make_pdfs()
    source = PDF_TOOLS / "text" / "manuals__t40-turbine.txt"
    first, second = (tool.make(source, tmp_path / run).read_bytes() for run in ("a", "b"))
    assert first == second
    assert b"CreationDate" not in first


def test_office_files_are_what_their_script_makes() -> None:
    for name, make in tool("make_office").FILES.items():
        assert (CORPUS / "formats" / "files" / name).read_bytes() == make(), name


def test_every_pdf_has_a_source() -> None:
    made = {f"{p.stem.replace('__', '/')}.pdf" for p in (PDF_TOOLS / "text").glob("*.txt")}
    assert made == {name for name in documents() if name.endswith(".pdf")}
