"""``--why-not``: the step that keeps a document out, and a change that brings it, each tried here, too."""

import os
import shlex
from pathlib import Path
from typing import Any

import pytest

from tests.running import make_kb, run, snapshot, write

TEXT = "The red padlock hangs on the valve of the pump."
FILES = {
    "near.md": TEXT,
    "twin.md": TEXT,
    **{f"pump-{i:02}.md": f"The pump with the number {i} hangs on a red wall." for i in range(30)},
    "far.md": "Los gatos duermen en la azotea durante la siesta.",
    "old.md": "---\nvalid_until: 2020-01-01\n---\nThe red padlock of the old pump.",
    "tagged.md": "---\ntags: [office]\n---\nThe padlock of the pump is in the office.",
    ".teselaignore": "# not for readers\ndrafts/\n",
    "drafts/plan.md": TEXT,
    "notes/.gitignore": "*.tmp.md\n",
    "notes/a.tmp.md": TEXT,
    "empty.md": "\n",
    "broken.png": b"\x89PNG\r\n\x1a\n\x00\x00",
    "tagged.md.meta.toml": "author = 'x'",
}
QUESTION = "red padlock on the valve of the pump"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = make_kb(tmp_path_factory.mktemp("why"), FILES)
    write(home, {"docs/new.md": TEXT, "docs/.hidden.md": TEXT, "outside.md": TEXT})
    (home / "docs" / "link.md").symlink_to("near.md")
    return home


def ask(home: Path, what: str, *args: object) -> dict[str, Any]:
    line = ("query", QUESTION, "--kb", home, "--format", "json", *args, "--why-not", what)
    done = run(*line, cwd=home)
    assert done.code == 0, done.err
    verdict: dict[str, Any] = done.json["why_not"]
    return verdict


def rank_with(home: Path, path: str, args: list[object]) -> int:
    """Where a query with the change that was named has the document."""
    done = run("query", QUESTION, "--kb", home, "--format", "json", *args)
    found = [hit["path"] for hit in done.json["hits"]]
    return found.index(path) + 1


def test_a_hit_says_where_it_is(home: Path) -> None:
    verdict = ask(home, "docs/near.md")
    assert (verdict["step"], verdict["rank"], verdict["change"]) == ("hit", 1, None)
    assert verdict["legs"]["sparse"]["rank"] == 1


@pytest.mark.parametrize(
    ("what", "args", "step", "said"),
    [
        ("docs/twin.md", (), "collapse", "docs/near.md"),
        ("docs/pump-29.md", ("-k", 3), "rerank k", "k is 3"),
        ("docs/tagged.md", ("-k", 1), "rerank k", "k is 1"),
        ("docs/far.md", (), "k", "k is 10"),
        ("docs/far.md", ("--set", "query.depth=10"), "depth", "its best 10"),
        ("docs/far.md", ("--mode", "sparse"), "words", "no word"),
        ("docs/pump-29.md", ("--prune",), "prune", "dropped"),
        ("docs/near.md", ("--type", "pdf"), "filter", "--type pdf excludes it"),
        ("docs/near.md", ("--tag", "x", "--since", "2020"), "filter", "--tag x --since 2020"),
        ("docs/old.md", (), "validity", "it had expired"),
        ("docs/old.md", ("--type", "pdf"), "filter", "it had expired"),
    ],
)
def test_the_change_is_true(
    home: Path, what: str, args: tuple[object, ...], step: str, said: str
) -> None:
    verdict = ask(home, what, *args)
    assert verdict["step"] in step.split()
    assert said in verdict["reason"]
    change = verdict["change"]
    taken_away, _, rest = change["text"].partition("without ")[2].partition(" -k")
    gone = shlex.split(taken_away.partition(", with")[0])
    left = [arg for arg in map(str, args) if arg not in gone]
    if "without" in change["text"]:
        with_expired = ["--include-expired"] if "--include-expired" in taken_away else []
        added = [*(["-k", rest.strip()] if rest else []), *with_expired]
    else:
        added = shlex.split(change["text"])
    assert rank_with(home, what, [*left, *added]) == change["rank"]


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("padlock -valve", "it holds what the question leaves out (-valve)"),
        ('"office pump"', 'it does not hold "office pump" word for word'),
    ],
)
def test_operators_are_named(home: Path, question: str, said: str) -> None:
    args = ("query", question, "--kb", home, "--format", "json", "--why-not", "docs/near.md")
    verdict = run(*args).json["why_not"]
    assert (verdict["step"], verdict["reason"]) == ("operator", said)
    assert verdict["change"]["text"].startswith("--set query.operators=false")


@pytest.mark.parametrize(
    ("what", "step", "said", "change"),
    [
        ("docs/drafts/plan.md", "ignored", ".teselaignore leaves it out by the line 'drafts/'", ""),
        ("docs/notes/a.tmp.md", "ignored", "notes/.gitignore leaves it out by the line", ""),
        ("docs/.hidden.md", "ignored", "scan.hidden is false", ""),
        ("docs/link.md", "ignored", "through a link", ""),
        ("docs/broken.png", "failed", "broken image", "tesela sync --retry"),
        ("docs/empty.md", "not indexed", "holds no text", ""),
        ("docs/tagged.md.meta.toml", "not indexed", "it is a sidecar", ""),
        ("docs/new.md", "not indexed", "newer than the last sync", "tesela sync"),
        ("docs/nothing.md", "unknown", "there is no such file", ""),
        ("docs/notes", "unknown", "there is no such file", ""),
        ("docs", "unknown", "there is no such file", ""),
        ("outside.md", "unknown", "no folder that is followed", "tesela sync PATH"),
        ("0123456789ab", "unknown", "no chunk of that id", ""),
    ],
)
def test_what_is_not_indexed_says_why(
    home: Path, what: str, step: str, said: str, change: str
) -> None:
    verdict = ask(home, what)
    assert verdict["step"] == step
    assert said in verdict["reason"]
    assert verdict["change"] == ({"text": change, "rank": None} if change else None)
    assert (verdict["path"], verdict["legs"]) == (None, {})


def test_a_chunk_is_named_by_its_id_too(home: Path) -> None:
    chunk_id = str(ask(home, "docs/far.md")["id"])
    assert ask(home, chunk_id[:12])["path"] == "docs/far.md"
    assert ask(home, chunk_id)["reason"] == ask(home, "docs/far.md")["reason"]


def test_the_rank_in_a_leg_is_the_true_one_beyond_the_depth(home: Path) -> None:
    verdict = ask(home, "docs/far.md", "--set", "query.depth=5")
    deep = ("--mode", "dense", "--rerank", "none", "-k", 100, "--no-collapse")
    line = ("query", QUESTION, "--kb", home, "--format", "json", *deep)
    found = {hit["path"]: hit["legs"]["dense"] for hit in run(*line).json["hits"]}
    assert verdict["legs"]["dense"] == found["docs/far.md"]
    assert verdict["legs"]["sparse"] is None


@pytest.mark.parametrize("form", ["md", "table"])
def test_eyes_read_it_below_the_hits(home: Path, form: str) -> None:
    line = ("query", QUESTION, "--kb", home, "-k", 1, "--format", form, "--why-not", "docs/far.md")
    lines = run(*line, cwd=home).out.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("why not "))
    assert lines[at].startswith("why not docs/far.md:1: it is ")
    assert lines[-1].startswith("  what brings it: -k ")


def test_data_for_programs_is_not_mixed_with_it(home: Path) -> None:
    args = ("query", QUESTION, "--kb", home, "-k", 1, "--format", "paths")
    with_it = run(*args, "--why-not", "docs/far.md")
    assert with_it.out == run(*args).out
    assert with_it.err.startswith("why not ")


def test_a_file_that_changed_is_told(tmp_path: Path) -> None:
    home = make_kb(tmp_path, {"a.md": TEXT, "b.md": "El pozo está seco."})
    changed = home / "docs" / "b.md"
    changed.write_text("Another text")
    os.utime(changed, ns=(1, 1))
    verdict = ask(home, "docs/b.md", "-k", 1)
    assert verdict["fresh"] == "changed"
    dropped = ask(home, "docs/b.md", "--fresh", "drop")
    assert dropped["step"] == "fresh"
    assert dropped["change"] == {"text": "--fresh mark", "rank": 2}


def test_variety_and_tags_are_named(tmp_path: Path) -> None:
    near = {f"{i}.md": f"The pump number {i} is red and hangs on the wall." for i in range(6)}
    final = {f"f{i}.md": f"---\ntags: [final]\n---\nHouse {i} of words." for i in range(3)}
    home = make_kb(tmp_path, {**near, **final})

    def why(what: str, *args: object) -> Any:
        line = ("query", "the pump number 0 is red", "--kb", home, "--format", "json", *args)
        return run(*line, "--why-not", what).json["why_not"]

    line = ("query", "the pump number 0 is red", "--kb", home, "--format", "json", "-k", 2)
    second = run(*line).json["hits"][1]["path"]
    verdict = why(second, "-k", 2, "--diversity", 1)
    assert (verdict["step"], verdict["change"]) == (
        "diversity",
        {"text": "--diversity 0", "rank": 2},
    )
    weights = ("--set", "query.tag_weights={final=1}", "--set", "query.tag_share=1")
    verdict = why("docs/0.md", "-k", 2, *weights)
    assert (verdict["step"], verdict["change"]["text"]) == ("boost", "--set query.tag_share=0")


def test_asking_writes_nothing_and_an_empty_name_is_a_mistake(home: Path) -> None:
    before = snapshot(home)
    for what in ("docs/far.md", "docs/new.md", "docs/nothing.md"):
        ask(home, what)
    assert snapshot(home) == before
    done = run("query", QUESTION, "--kb", home, "--why-not", " ")
    assert (done.code, "--why-not is given and empty" in done.err) == (2, True)


def test_a_dear_reranker_is_not_asked_again(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from query.why_not import changes

    monkeypatch.setattr(changes, "_QUICK", frozenset({"none"}))
    verdict = ask(home, "docs/far.md")
    assert verdict["change"] == {"text": f"-k {verdict['rank']}", "rank": None}
    line = ("query", QUESTION, "--kb", home, "--format", "md", "--why-not", "docs/far.md")
    assert run(*line).out.endswith("(not tried)\n")


@pytest.mark.parametrize("place", ["docs/near.md:1", "docs/near.md:1:5"])
def test_a_place_as_hits_are_printed(home: Path, place: str) -> None:
    assert ask(home, place)["step"] == "hit"


def test_a_place_that_is_not_there_names_the_way_out(home: Path) -> None:
    done = run("query", QUESTION, "--kb", home, "--why-not", "docs/near.md:99", cwd=home)
    assert done.code == 2
    assert "leave the line out" in done.err


def test_a_place_of_a_file_that_is_not_indexed(home: Path) -> None:
    assert ask(home, "docs/new.md:1") == ask(home, "docs/new.md")
