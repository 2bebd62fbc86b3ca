"""``tesela eval gen --llm``: questions that a model writes are kept if their passage answers them."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from kb.location import at
from query.evaluate.testset import kept_folder
from tests.llm_server import Said, openai, says, serving, text_of
from tests.running import make_kb, run

_PASSAGE = re.compile(r"<passage>\n(.*?)\n</passage>", re.DOTALL)
FILES = {
    f"{name}.md": f"# {name}\n\nThe {name} pump delivers cold water to the boiler room every winter "
    f"morning, and its {name} filter needs a new gasket each year.\n"
    for name in ("alpha", "bravo", "copy", "unsure", "invented")
}


class Writes:
    """Writes a question on any passage; some of its work is of no use."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, body: dict[str, Any]) -> Said:
        self.calls += 1
        prompt = text_of(body)
        passage = " ".join(_PASSAGE.findall(prompt)[-1].split())
        quote = "needs a new gasket each year"
        if "<question>" in prompt:
            sure = "unsure" not in passage
            answer: dict[str, object] = {"answered": sure, "quote": quote if sure else ""}
        else:
            asked = "How often has the seal of that device to be replaced?"
            if "copy" in passage:
                asked = "Is it true that the copy pump delivers cold water to the boiler room?"
            if "invented" in passage:
                quote = "words that are not there"
            answer = {"question": asked, "quote": quote}
        return 200, {}, openai(json.dumps(answer))


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_kb(tmp_path_factory.mktemp("eval_llm"), FILES)


def test_questions_are_checked_planned_and_capped(home: Path) -> None:
    model = Writes()
    with serving(model) as server:
        line = ("eval", "gen", "--kb", home, "-n", 5, "--llm", server.url, "--llm-model", "m")
        plan = run(*line, "--dry-run", "--format", "json")
        assert plan.code == 0, plan.err
        assert plan.json["calls"] == 10  # one to write and one to check, for each passage
        assert model.calls == 0
        capped = run(*line, "--max-calls", 2)
        assert capped.code == 4, capped.err
        assert not kept_folder(at(home)).exists()
        done = run(*line, "--format", "json")
        assert done.code == 0, done.err
        before = model.calls
        assert run(*line).code == 0
        assert model.calls <= before + 2  # what lacked something is asked again, and nothing else
    assert done.json["questions"] == 2
    assert done.json["kinds"] == {"llm": 2}
    assert "1 question dropped: it copies the passage" in done.err
    assert "1 question dropped: its quote is not in the passage" in done.err
    assert "1 question dropped: its passage was found not to answer it" in done.err
    for raw in (kept_folder(at(home)) / "qrels.jsonl").read_text().splitlines():
        found = json.loads(raw)
        assert (home / found["path"]).read_text()[slice(*found["span"])] == found["quote"]
        assert found["quote"] == "needs a new gasket each year"


def test_an_llm_of_no_use_is_told_and_not_blamed_on_the_documents(home: Path) -> None:
    with serving(says(200, openai("Here is the output:```{```"))) as server:
        line = ("--kb", home, "-n", 2, "--llm", server.url, "--llm-model", "m")
        done = run("eval", "gen", *line)
    assert done.code == 3
    assert "none that the LLM wrote is of use" in done.err


def test_without_an_llm_nothing_of_it_is_taken_in_silence(home: Path) -> None:
    done = run("eval", "gen", "--kb", home, "--max-usd", "1")
    assert done.code == 6
    assert "LLM" in done.err
