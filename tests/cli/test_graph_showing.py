"""``tesela graph show``, ``path`` and ``export``, ``--mode graph`` and what ``--explain`` says of it."""

import json
import shutil
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tests.running import hits, make_kb, run

FILES = {
    "mill.md": "# Mill\n\nMarta Quiroga founded Acme Foundry in Vigo. Marta Quiroga hired Luis "
    "Sotelo there.\n",
    "fair.md": "# Fair\n\nLuis Sotelo and Marta Quiroga met at Acme Foundry.\n",
    "luis.md": "# Luis Sotelo\n\nLuis Sotelo plays at Teatro Rosalía on Sundays.\n",
    "secret.md": "---\nacl: [staff]\n---\n# Plans\n\nAcme Foundry buys Hidden Harbour in May.\n",
}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = make_kb(tmp_path_factory.mktemp("graph"), FILES)
    assert run("graph", "build", cwd=made).code == 0
    return made


def test_path_names_the_source_of_each_step(home: Path) -> None:
    done = run("graph", "path", "marta quiroga", "Teatro Rosalia", cwd=home)
    assert (done.code, done.err) == (0, "")
    steps = done.out.splitlines()
    assert steps[0].startswith("Marta Quiroga ")
    assert "Teatro Rosalía" in steps[-2]
    assert "docs/luis.md:3  Luis Sotelo plays at Teatro Rosalía" in steps[-1]


def test_path_as_json(home: Path) -> None:
    found = run("graph", "path", "Acme Foundry", "Vigo", "--format", "json", cwd=home).json
    assert [hop["to"] for hop in found["hops"]] == ["Vigo"]
    (source,) = found["hops"][0]["sources"]
    text = (home / source["path"]).read_text(encoding="utf-8")
    assert text[slice(*source["span"])] == source["text"]


def test_no_path_is_said_and_is_no_failure(home: Path) -> None:
    done = run("graph", "path", "Vigo", "Teatro Rosalía", "--max-hops", "1", cwd=home)
    assert (done.code, done.out) == (0, "")
    assert "no path of 1 step or fewer" in done.err
    assert "--max-hops 3" in done.err


def test_an_unknown_name_is_met_with_near_ones(home: Path) -> None:
    done = run("graph", "path", "Quiroga Marta", "Vigo", cwd=home)
    assert done.code == 2
    assert "no entity of the graph is called 'Quiroga Marta'" in done.err
    assert "Marta Quiroga" in run("graph", "show", "quirog", cwd=home).err


def test_show_tells_names_relations_and_places(home: Path) -> None:
    done = run("graph", "show", "acme foundry", cwd=home)
    assert done.code == 0
    assert done.out.startswith("Acme Foundry")
    assert "Marta Quiroga  docs/mill.md:3" in done.out
    assert "named 2 times:" in done.out
    (found,) = run("graph", "show", "acme foundry", "--format", "json", cwd=home).json
    assert found["mentions"] == 2
    assert {r["other"]["name"] for r in found["relations"]} >= {"Marta Quiroga", "Vigo"}


def test_a_line_is_a_place_once_however_often_it_says_the_name(home: Path) -> None:
    done = run("graph", "show", "Marta Quiroga", cwd=home)
    assert "named 3 times:" in done.out
    assert done.out.count("    docs/mill.md:3  Marta Quiroga founded") == 1
    (found,) = run("graph", "show", "Marta Quiroga", "--format", "json", cwd=home).json
    assert found["mentions"] == 3
    assert [source["path"] for source in found["sources"]] == ["docs/fair.md", "docs/mill.md"]


def test_rights_hold_in_the_graph(home: Path) -> None:
    for args in (("graph", "show", "Hidden Harbour"), ("graph", "path", "Vigo", "Hidden Harbour")):
        assert run(*args, cwd=home).code == 2
        assert "Hidden Harbour" in run(*args, "--principal", "staff", cwd=home).out
    for form in ("json", "graphml", "html"):
        assert "Harbour" not in run("graph", "export", "--format", form, cwd=home).out
        everything = run("graph", "export", "--format", form, "--principal", "staff", cwd=home)
        assert "Harbour" in everything.out


def test_decisions_on_hidden_names_are_hidden(tmp_path: Path) -> None:
    home = make_kb(tmp_path, FILES)
    assert run("graph", "build", cwd=home).code == 0
    assert run("graph", "merge", "Hidden Harbour", "Vigo", cwd=home).code == 0
    assert run("graph", "merge", "Luis Sotelo", "Teatro Rosalía", cwd=home).code == 0
    for form in ("text", "json"):
        line = ("graph", "aliases", "--format", form)
        shut, staff = run(*line, cwd=home), run(*line, "--principal", "staff", cwd=home)
        assert "luis sotelo" in shut.out
        assert "harbour" not in shut.out + shut.err
        assert "harbour" in staff.out


def test_export_to_files(home: Path, tmp_path: Path) -> None:
    for form in ("json", "graphml", "html"):
        target = tmp_path / f"g.{form}"
        done = run("graph", "export", "--format", form, "-o", target, cwd=home)
        assert (done.code, done.out) == (0, "")
        assert "entities" in done.err
        assert (
            target.read_text(encoding="utf-8")
            == run("graph", "export", "--format", form, cwd=home).out
        )
    assert json.loads((tmp_path / "g.json").read_text(encoding="utf-8"))["nodes"]
    assert ET.parse(tmp_path / "g.graphml").getroot().tag.endswith("graphml")
    done = run("graph", "export", "--nodes", "6000", cwd=home)
    assert (done.code, "5,000" in done.err) == (2, True)


def test_mode_graph_and_its_explanation(home: Path) -> None:
    found = hits(home, "How is Marta Quiroga related to Vigo?", "--mode", "auto", "--explain")
    assert found[0]["explain"]["route"]["mode"] == "graph"
    shown = run(
        "query", "How is Marta Quiroga related to Vigo?", "--mode", "auto", "--explain",
        "--format", "table", cwd=home,
    )  # fmt: skip
    assert "mode graph: it asks how things hang together" in shown.out
    whole = hits(home, "foundry", "--mode", "graph", "--graph", "global", "-k", "20",
                 "--principal", "staff")  # fmt: skip
    assert {hit.get("kind", "text") for hit in whole} == {"text", "community"}


def test_without_a_graph_the_way_out_is_told(tmp_path: Path) -> None:
    plain = make_kb(tmp_path, {"a.md": "# A\n\nSome text.\n"})
    for args in (
        ("graph", "show", "A"),
        ("graph", "path", "A", "B"),
        ("graph", "export"),
        ("query", "text", "--mode", "graph"),
    ):
        done = run(*args, cwd=plain)
        assert done.code == 2
        assert "tesela graph build" in done.err


def test_the_page_in_a_browser(home: Path, tmp_path: Path) -> None:
    browser = next(
        filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), ""
    )
    if not browser:
        pytest.skip("no Chromium is installed to open the page in")
    target = tmp_path / "graph.html"
    run("graph", "export", "-o", target, cwd=home)
    common = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=4000"]
    common += [f"--user-data-dir={tmp_path / 'profile'}", "--window-size=1200,800"]
    url = f"{target.as_uri()}#Marta%20Quiroga"
    dump = subprocess.run([*common, "--dump-dom", url], capture_output=True, text=True, check=True)
    panel = dump.stdout.split("<aside", 1)[1].split("</aside>", 1)[0]
    assert "hidden" not in panel.split(">", 1)[0]
    assert "<h2>Marta Quiroga</h2>" in panel
    assert "docs/mill.md:3" in panel
    assert "<mark>Marta Quiroga</mark>" in panel
    picture = tmp_path / "graph.png"
    subprocess.run([*common, f"--screenshot={picture}", url], capture_output=True, check=True)
    assert picture.stat().st_size > 5_000
