"""What happens between ranking and hits, from the command line: copies, pruning, variety, tags."""

import csv
import io
import json
from pathlib import Path

import pytest

from tests.running import hits, make_kb, run

POLICY = "# Lockout\n\nNobody opens the pump before the red padlock is on the valve."
FILES = {
    "policy.md": POLICY,
    "copies/policy.md": POLICY,
    "copies/policy.html": "<h1>Lockout</h1><p>Nobody opens the pump before the red padlock is on "
    "the valve.</p>",
    "port-a.md": "The pump listens on port 8080.",
    "port-b.md": "The pump listens on port 8081.",
    "spanish.md": "Nadie abre la bomba antes de que el candado rojo esté en la válvula.",
    "final.md": "---\ntags: [Official]\n---\nThe padlock of the pump hangs in the office.",
    **{f"other-{i}.md": f"The pump number {i} is painted red." for i in range(8)},
}
QUESTION = "red padlock on the valve of the pump"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_kb(tmp_path_factory.mktemp("selection"), FILES)


def shown(home: Path, *args: object) -> str:
    done = run("query", "--kb", home, QUESTION, *args, cwd=home)
    assert (done.code, done.err) == (0, "")
    return done.out


def test_copies_become_one_and_what_differs_stays(home: Path) -> None:
    found = hits(home, QUESTION, "-k", 50)
    first = found[0]
    told = {first["path"], *(other["path"] for other in first["duplicates"])}
    assert told == {f"docs/{name}" for name in ("policy.md", "copies/policy.md", *PATHS)}
    assert all(set(d) == {"id", "path", "page", "lines", "validity"} for d in first["duplicates"])
    assert len(found) == len(FILES) - 2
    assert [hit["duplicates"] for hit in found[1:]] == [[]] * (len(FILES) - 3)
    assert len(hits(home, QUESTION, "-k", 50, "--no-collapse")) == len(FILES)


PATHS = ("copies/policy.html",)


@pytest.mark.parametrize("form", ["md", "table"])
def test_eyes_see_the_count_and_the_places(home: Path, form: str) -> None:
    (hit,) = hits(home, QUESTION, "-k", 1)
    others = [f"{d['path']}:{d['lines'][0]}" for d in hit["duplicates"]]
    assert f"+2 nearly the same: {', '.join(others)}" in shown(home, "-k", 1, "--format", form)


def test_programs_get_every_place(home: Path) -> None:
    (hit,) = hits(home, QUESTION, "-k", 1)
    place, *others = (f"{d['path']}:{d['lines'][0]}" for d in (hit, *hit["duplicates"]))
    paths = shown(home, "-k", 1, "--format", "paths")
    assert paths == "\t".join([place, *(f"={other}" for other in others)]) + "\n"
    (row,) = csv.DictReader(io.StringIO(shown(home, "-k", 1, "--format", "csv")))
    assert row["duplicates"] == " ".join(others)


def test_a_trec_run_keeps_copies_unless_told_otherwise(home: Path) -> None:
    kept = shown(home, "-k", 50, "--format", "trec").splitlines()
    assert len(kept) == len(FILES)
    for told in (("--collapse",), ("--set", "query.collapse=true")):
        assert len(shown(home, "-k", 50, "--format", "trec", *told).splitlines()) < len(kept)
    line = f'{{"text": "{QUESTION}", "k": 50}}\n'
    batch = run("batch", "-", "--kb", home, "--format", "trec", stdin=line)
    assert len(batch.out.splitlines()) == len(FILES)


def test_pruning_keeps_three_to_five(home: Path) -> None:
    assert len(hits(home, QUESTION, "--prune-below", 1)) == 3
    assert len(hits(home, QUESTION, "--prune-below", 0)) == 5
    assert len(hits(home, QUESTION, "--prune", "-k", 2)) == 2
    assert 3 <= len(hits(home, QUESTION, "--prune")) <= 5
    for hit in hits(home, QUESTION, "--prune-below", 0.9, "--explain"):
        pruned = hit["explain"]["prune"]
        assert (pruned["of"], pruned["below"]) == ("share of the best", 0.9)
        assert 0 <= pruned["value"] <= 1
    assert "kept, as one of three" in shown(home, "--prune-below", 1, "--explain")


def test_diversity_reorders_and_adds_up(home: Path) -> None:
    plain = [hit["id"] for hit in hits(home, QUESTION, "-k", 6)]
    varied = hits(home, QUESTION, "-k", 6, "--diversity", 0.9)
    assert varied[0]["id"] == plain[0]
    assert [hit["id"] for hit in varied] != plain
    for hit in varied:
        step = hit["steps"]["diversity"]
        assert hit["score"] == pytest.approx(step["score_share"] + step["likeness_share"])
    assert [h["id"] for h in hits(home, QUESTION, "-k", 6, "--diversity", 0)] == plain


def test_tags_weigh_in_and_are_explained(home: Path) -> None:
    weights = ("--set", "query.tag_weights={official = 1.0}")
    before = [hit["path"] for hit in hits(home, QUESTION)]
    after = hits(home, QUESTION, *weights)
    rank = [hit["path"] for hit in after].index("docs/final.md")
    assert rank < before.index("docs/final.md")
    assert after[rank]["steps"]["boost"]["tag_share"] == 0.32
    assert [h["path"] for h in hits(home, QUESTION, *weights, "--set", "query.tag_share=0")] == (
        before
    )
    words = shown(home, *weights, "--explain")
    assert "= score_share 0.6800 + tag_share 0.0000 (boost)" in words


@pytest.mark.parametrize(
    "change",
    [
        ("--no-collapse",),
        ("--diversity", "0.1"),
        ("--prune",),
        ("--prune-below", "0.4"),
        ("--set", "query.tag_weights={official=1}"),
        ("--set", "query.tag_share=0.5"),
    ],
)
def test_the_digest_of_the_settings_tells_each_of_them(home: Path, change: tuple[str, ...]) -> None:
    args = ("query", "--kb", home, "--format", "json", QUESTION)
    assert run(*args).json["settings"] != run(*args, *change).json["settings"]
    assert run(*args, *change).out == run(*args, *change).out


def test_a_line_of_a_batch_may_say_all_of_it(home: Path) -> None:
    said = {
        "collapse": False,
        "diversity": 0.5,
        "prune": True,
        "prune_below": 0.2,
        "tag_weights": {"official": 1},
        "tag_share": 0.2,
    }
    lines = "".join(
        json.dumps({"id": i, "text": QUESTION, **more}) + "\n"
        for i, more in enumerate([{}, said, {"tag_weights": {"x": 2}}, {"fusion": "rrf"}])
    )
    done = run("batch", "-", "--kb", home, stdin=lines)
    plain, told, wrong, rrf = done.jsonl
    assert done.code == 3
    assert "tag_weights" in wrong["error"]
    sets = ("--set", "query.tag_weights={official=1}", "--set", "query.tag_share=0.2")
    flags = ("--no-collapse", "--diversity", 0.5, "--prune-below", 0.2, *sets)
    for line, args in ((plain, ()), (told, flags), (rrf, ("--fusion", "rrf"))):
        alone = run("query", "--kb", home, "--format", "json", QUESTION, *args).json
        for hit in (*alone["hits"], *line["hits"]):
            hit.pop("fresh")
        line.pop("id")
        assert line == alone


def test_batch_takes_the_options_of_query(home: Path) -> None:
    line = json.dumps({"text": QUESTION}) + "\n"
    flags = ("--fusion", "weighted", "--alpha", 0.2, "--rerank", "none", "--no-collapse", "-k", 4)
    batch = run("batch", "-", "--kb", home, *flags, stdin=line).jsonl[0]
    alone = run("query", "--kb", home, "--format", "json", QUESTION, *flags).json
    assert batch["settings"] == alone["settings"]
    assert [h["id"] for h in batch["hits"]] == [h["id"] for h in alone["hits"]]


def test_both_commands_have_the_same_options() -> None:
    def options(command: str) -> set[str]:
        lines = run(command, "--help").out.splitlines()
        return {line.split()[0].rstrip(",") for line in lines if line.startswith("  -")}

    only_query = {"--lex", "--vec", "--explain", "--why-not", "--require-hits", "--fresh"}
    only_batch = {"-o", "--resume", "--jobs"}
    assert options("query") - only_query == options("batch") - only_batch


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("--diversity", "2"), "query.diversity"),
        (("--prune-below", "-1"), "query.prune_below"),
        (("--set", "query.tag_weights={a=2}"), "query.tag_weights"),
        (("--set", "query.tag_weights=0.5"), "query.tag_weights"),
    ],
)
def test_values_out_of_bounds_are_told(home: Path, args: tuple[str, ...], said: str) -> None:
    done = run("query", "--kb", home, QUESTION, *args)
    assert done.code == 2
    assert said in done.err


def test_a_copy_that_expired_says_so(tmp_path: Path) -> None:
    text = "The red padlock is on the valve."
    home = make_kb(tmp_path, {"a.md": text, "b.md": f"---\nvalid_until: 2020-01-01\n---\n{text}"})
    (hit,) = hits(home, "padlock")
    assert hit["duplicates"] == []
    (hit,) = hits(home, "padlock", "--include-expired")
    (other,) = hit["duplicates"]
    assert {(h["path"], h["validity"]) for h in (hit, other)} == {
        ("docs/a.md", "valid"),
        ("docs/b.md", "expired"),
    }
    md = run("query", "padlock", "--kb", home, "--include-expired", cwd=home).out
    assert "docs/b.md:4 [expired]" in md.replace("`", "")


def test_tag_weights_come_from_a_file_or_a_variable(home: Path, tmp_path: Path) -> None:
    args = ("query", "--kb", home, "--format", "json", QUESTION)
    flag = run(*args, "--set", "query.tag_weights={official=1.0}").json
    variable = run(*args, env={"TESELA_QUERY_TAG_WEIGHTS": "{official = 1.0}"}).json
    copy = make_kb(tmp_path, FILES)
    toml = copy / ".tesela" / "tesela.toml"
    toml.write_text(toml.read_text() + "[query.tag_weights]\nofficial = 1.0\n")
    filed = run("query", "--kb", copy, "--format", "json", QUESTION).json
    assert flag["settings"] == variable["settings"] == filed["settings"]
    assert [h["id"] for h in flag["hits"]] == [h["id"] for h in filed["hits"]]
    assert "official" in run("config", "show", "--kb", copy).out
