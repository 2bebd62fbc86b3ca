"""An LLM over a real socket: forms, repairs, faults, cache, caps, ledger, and a key that never shows."""

import signal
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kb.errors import BudgetReached, Unavailable, UsageError
from kb.models.llm.base import Answer, Failed
from kb.models.llm.budget import Allowance
from kb.models.llm.ledger import spent
from kb.models.llm.open import open_llm
from kb.models.llm.plan import Plan
from kb.settings import LlmSettings
from tests.llm_making import PRICE, Verdict, Verdicts, close_all, make, place, prompt
from tests.llm_server import Server, anthropic, openai, says, serving, text_of

KEY = "sk-very-secret-key"
GOOD = '{"word": "yes", "score": 0.9}'
YES = Verdict("yes", 0.9)


@pytest.fixture(autouse=True)
def local(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.delenv("TEST_KEY", raising=False)
    yield
    close_all()


@pytest.fixture
def server() -> Iterator[Server]:
    with serving(says(200, openai(GOOD))) as made:
        yield made


def test_openai_is_sent_what_it_documents(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEST_KEY", KEY)
    llm = make(tmp_path, server.url, seed=7)
    assert llm.ask(prompt(), Verdict) == Answer(YES)
    assert server.paths == ["/v1/chat/completions"]
    assert server.headers[0]["Authorization"] == f"Bearer {KEY}"
    schema = {
        "type": "object",
        "properties": {"word": {"type": "string"}, "score": {"type": "number"}},
        "required": ["word", "score"],
        "additionalProperties": False,
    }
    assert server.bodies == [
        {
            "model": "m",
            "messages": [
                {"role": "system", "content": "You judge."},
                {"role": "user", "content": "A long document.\n\nIs it so?"},
            ],
            "max_tokens": 64,
            "temperature": 0.0,
            "seed": 7,
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "answer", "strict": True, "schema": schema},
            },
        }
    ]


def test_anthropic_is_sent_what_it_documents(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEST_KEY", KEY)
    counted = {"cache_read_input_tokens": 40, "cache_creation_input_tokens": 30}
    server.usual = says(200, anthropic(GOOD, **counted))
    llm = make(tmp_path, server.url, kind="anthropic")
    assert llm.ask(prompt(), Verdict) == Answer(YES)
    assert server.paths == ["/v1/messages"]
    sent = server.headers[0]
    assert (sent["x-api-key"], sent["anthropic-version"]) == (KEY, "2023-06-01")
    body = server.bodies[0]
    assert body["system"] == "You judge."
    assert body["messages"][0]["content"] == [
        {"type": "text", "text": "A long document.", "cache_control": {"type": "ephemeral"}},
        {"type": "text", "text": "Is it so?"},
    ]
    assert body["output_config"]["format"]["type"] == "json_schema"
    llm.close()
    (row,) = spent(place(tmp_path).ledger)
    assert (row.prompt, row.cached, row.completion) == (170, 40, 20)  # 100 + 40 + 30


@pytest.mark.parametrize(
    ("words", "then"),
    [
        ("'response_format' of type json_schema is unknown", {"response_format"}),
        ("invalid request", {"response_format"}),
        ("temperature is not supported with this model", {"temperature"}),
        ("Use 'max_completion_tokens' instead of max_tokens", {"max_tokens"}),
    ],
)
def test_what_an_endpoint_does_not_take_is_left_out_from_then_on(
    server: Server, tmp_path: Path, words: str, then: set[str]
) -> None:
    server.script = [says(400, {"error": {"message": words}})]
    llm = make(tmp_path, server.url)
    assert llm.ask(prompt("one"), Verdict) == Answer(YES)
    assert llm.ask(prompt("two"), Verdict) == Answer(YES)
    first, *others = server.bodies
    assert len(others) == 2
    for body in others:
        assert set(first) - set(body) == then
        assert ("JSON Schema" in text_of(body)) == (then == {"response_format"})
    llm.close()
    (row,) = spent(place(tmp_path).ledger)
    assert row.calls == 2  # the refusal is no call


@pytest.mark.parametrize(
    "text",
    [
        f"Here is the output:\n```json\n{GOOD}\n```\nHope it helps!",
        f"Sure {{as you asked}}: {GOOD}. Anything else?",
        f"```\n{GOOD}\n```",
        '{"word": "yes", "score": "0.9"}',
        f"\ufeff{GOOD}",
    ],
)
def test_a_wrapped_answer_is_unwrapped_and_kept(server: Server, tmp_path: Path, text: str) -> None:
    server.usual = says(200, openai(text))
    llm = make(tmp_path, server.url)
    assert llm.ask(prompt(), Verdict) == Answer(YES)
    assert llm.ask(prompt(), Verdict) == Answer(YES, cached=True)
    assert len(server.bodies) == 1


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        (openai(""), "empty"),
        (openai("I would rather not."), "no JSON"),
        (openai('{"word": "yes"}'), "score"),
        (openai('{"word": "yes", "score": "high"}'), "score"),
        (openai(GOOD[:20]), "broken"),
        (openai(GOOD, "length"), "cut at 64 tokens"),
    ],
)
def test_a_bad_answer_is_asked_once_more_and_never_kept(
    server: Server, tmp_path: Path, bad: Any, said: str
) -> None:
    llm = make(tmp_path, server.url)
    server.script = [says(200, bad)]
    assert llm.ask(prompt("one"), Verdict) == Answer(YES)
    assert said in text_of(server.bodies[1])
    server.script = [says(200, bad), says(200, bad)]
    answer = llm.ask(prompt("two"), Verdict)
    if bad["choices"][0]["finish_reason"] == "length":
        assert answer == Answer(YES, whole=False)
    else:
        assert isinstance(answer, Failed)
        assert said in answer.reason
    assert llm.ask(prompt("two"), Verdict) == Answer(YES)  # asked, not remembered
    assert len(server.bodies) == 5
    llm.close()
    (row,) = spent(place(tmp_path).ledger)
    assert row.calls == 5  # bad ones were charged, too


def test_the_second_time_the_form_is_told_in_words(server: Server, tmp_path: Path) -> None:
    """llama.cpp takes the schema of an Anthropic request and leaves it unread."""
    llm = make(tmp_path, server.url)
    server.script = [says(200, openai("Gladly!"))]
    assert llm.ask(prompt(), Verdict) == Answer(YES)
    first, second = map(text_of, server.bodies)
    assert '"additionalProperties"' not in first
    assert '"properties":{"word":{"type":"string"},"score":{"type":"number"}}' in second


@pytest.mark.parametrize(
    "words",
    [
        "request (9031 tokens) exceeds the available context size (4096 tokens)",
        "This model's maximum context length is 8192 tokens.",
    ],
)
def test_a_prompt_too_long_for_the_server_is_sent_once(
    server: Server, tmp_path: Path, words: str
) -> None:
    llm = make(tmp_path, server.url)
    server.script = [says(400, {"error": {"message": words}})]
    failed = llm.ask(prompt(), Verdict)
    assert isinstance(failed, Failed)
    assert words in failed.reason
    assert len(server.bodies) == 1


def test_a_cut_answer_gives_its_whole_parts_and_more_room_the_second_time(
    server: Server, tmp_path: Path
) -> None:
    cut = '{"verdicts": [{"word": "a,[", "score": 0.5}, {"word": "b", "sc'
    server.usual = says(200, openai(cut, "length"))
    llm = make(tmp_path, server.url)
    got = llm.ask(prompt(), Verdicts)
    assert got == Answer(Verdicts([Verdict("a,[", 0.5)]), whole=False)
    assert [body["max_tokens"] for body in server.bodies] == [64, 4096]
    assert llm.ask(prompt(), Verdicts) == got
    assert [body["max_tokens"] for body in server.bodies[2:]] == [4096, 4096]


def test_plain_text_is_asked_without_a_schema(server: Server, tmp_path: Path) -> None:
    server.usual = says(200, openai("  A context.\n"))
    llm = make(tmp_path, server.url)
    assert llm.ask(prompt(), str) == Answer("A context.")
    assert llm.ask(prompt(), str) == Answer("A context.", cached=True)
    assert "response_format" not in server.bodies[0]


def test_a_refusal_is_a_failure_of_that_item(server: Server, tmp_path: Path) -> None:
    server.usual = says(200, openai("", "content_filter"))
    got = make(tmp_path, server.url).ask(prompt(), Verdict)
    assert got == Failed("the model will not answer")
    assert len(server.bodies) == 1


@pytest.mark.parametrize(
    ("step", "calls"),
    [
        (says(429, {"error": {"message": "slow down"}}, Retry_After="2"), 1),
        (says(500, b"oops"), 1),
        (says(529, b"overloaded"), 1),
        (says(200, None), 2),  # dropped: perhaps charged, so it stays on the books
        (says(502, b"<html>bad gateway</html>"), 2),
        (says(200, b'{"choices": [{"mess', Content_Length="19"), 2),
        (says(200, b'{"choices": []', Content_Length="900"), 2),
    ],
)
def test_what_may_pass_is_tried_again(
    server: Server, tmp_path: Path, step: Any, calls: int
) -> None:
    waits: list[float] = []
    llm = make(tmp_path, server.url, waits)
    server.script = [step]
    assert llm.ask(prompt(), Verdict) == Answer(YES)
    assert len(server.bodies) == 2
    assert waits == ([2.0] if step({})[0] == 429 else [0.001])
    llm.close()
    (row,) = spent(place(tmp_path).ledger)
    assert (row.calls, row.unanswered) == (calls, calls - 1)


def test_a_slow_answer_is_given_up_and_counted(server: Server, tmp_path: Path) -> None:
    server.seconds = 0.5
    llm = make(tmp_path, server.url, timeout=0.1)
    got = llm.ask(prompt(), Verdict)
    assert isinstance(got, Failed)
    assert "no answer in time" in got.reason
    llm.close()
    (row,) = spent(place(tmp_path).ledger)
    assert (row.calls, row.unanswered) == (2, 2)  # not a third time: each may be charged
    assert row.completion == 2 * 64


def test_one_bad_request_does_not_end_the_run_but_a_dead_service_does(
    server: Server, tmp_path: Path
) -> None:
    llm = make(tmp_path, server.url)
    refusal = says(413, {"error": {"message": "too long"}})
    server.usual = lambda b: refusal(b) if "bad" in text_of(b) else (200, {}, openai(GOOD))
    bad, good = llm.ask_all([prompt("bad"), prompt("good")], Verdict)
    assert isinstance(bad, Failed)
    assert "HTTP 413: too long" in bad.reason
    assert good == Answer(YES)
    server.usual = says(503, b"down")
    for number in range(2):
        assert isinstance(llm.ask(prompt(str(number)), Verdict), Failed)
    with pytest.raises(Unavailable, match="503"):
        llm.ask(prompt("third"), Verdict)


def test_a_service_that_is_not_there_ends_the_run(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and listens not
        llm = make(tmp_path, f"http://127.0.0.1:{taken.getsockname()[1]}")
        with pytest.raises(Unavailable, match=r"/v1/chat/completions failed: .*\(3 tries\)"):
            llm.ask(prompt(), Verdict)
    llm.close()
    assert list(spent(place(tmp_path).ledger)) == []  # nothing was sent, so nothing is owed


@pytest.mark.parametrize(
    "kind",
    ["openai", "anthropic"],
)
def test_the_key_shows_nowhere(
    server: Server,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    kind: str,
) -> None:
    monkeypatch.setenv("TEST_KEY", KEY)
    llm = make(tmp_path, server.url.replace("//", "//me:hidden@"), kind=kind)
    server.script = [says(401, {"error": {"message": f"wrong key {KEY}"}})]
    with pytest.raises(Unavailable, match=r"wrong key \*\*\*; check the key") as caught:
        llm.ask(prompt(), Verdict)
    assert KEY not in repr(caught.value.__cause__)
    server.script = [says(200, f"{KEY} is no JSON".encode())] * 2
    got = llm.ask(prompt(), Verdict)
    assert isinstance(got, Failed)
    assert KEY not in got.reason
    echo = GOOD.replace("yes", KEY)
    server.usual = says(200, openai(echo) if kind == "openai" else anthropic(echo))
    assert llm.ask(prompt(), Verdict) == Answer(Verdict("***", 0.9))
    llm.close()
    for file in place(tmp_path).folder.rglob("*"):
        if file.is_file():
            assert KEY.encode() not in file.read_bytes()
            assert b"hidden" not in file.read_bytes()
    assert KEY not in caplog.text


def test_a_provider_key_goes_to_that_provider_only(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    make(tmp_path, server.url, key_env="").ask(prompt(), Verdict)
    assert "Authorization" not in server.headers[0]


def test_the_same_is_asked_once_at_a_time_and_over_time(server: Server, tmp_path: Path) -> None:
    server.seconds = 0.05
    llm, other = make(tmp_path, server.url), make(tmp_path, server.url)
    got: list[Any] = []
    threads = [
        threading.Thread(target=lambda: got.extend(llm.ask_all([prompt()] * 4, Verdict)))
        for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [answer.value for answer in got] == [YES] * 12
    assert len(server.bodies) == 1
    assert other.ask(prompt(), Verdict) == Answer(YES, cached=True)
    for changed in (
        make(tmp_path, server.url, temperature=0.5),
        make(tmp_path, server.url, model="m2"),
        make(tmp_path, server.url, seed=1),
    ):
        assert changed.ask(prompt(), Verdict) == Answer(YES)
    assert llm.ask(prompt(version="2"), Verdict) == Answer(YES)
    assert isinstance(llm.ask(prompt(), Verdicts), Failed)  # another form is another question
    assert len(server.bodies) == 1 + 3 + 1 + 2


def test_no_more_calls_at_once_than_allowed(server: Server, tmp_path: Path) -> None:
    server.seconds = 0.03
    llm = make(tmp_path, server.url, concurrency=3)
    llm.ask_all([prompt(str(i)) for i in range(12)], Verdict)
    assert server.most_at_once == 3


def test_an_interrupt_keeps_what_was_paid_for(server: Server, tmp_path: Path) -> None:
    llm = make(tmp_path, server.url, concurrency=2)
    seen = threading.Event()

    def slow(body: dict[str, Any]) -> Any:
        seen.set()
        threading.Event().wait(0.2)
        return 200, {}, openai(GOOD)

    server.usual = slow
    here = threading.get_ident()

    def interrupt() -> None:
        seen.wait(5)
        signal.pthread_kill(here, signal.SIGINT)

    threading.Thread(target=interrupt).start()
    prompts = [prompt(str(i)) for i in range(8)]
    with pytest.raises(KeyboardInterrupt):
        llm.ask_all(prompts, Verdict)
    asked = len(server.bodies)
    assert 1 <= asked <= 3
    llm.close()
    server.usual = says(200, openai(GOOD))
    again = make(tmp_path, server.url).ask_all(prompts, Verdict)
    assert sum(answer.cached for answer in again if isinstance(answer, Answer)) == asked
    assert len(server.bodies) == 8


def test_a_question_has_its_own_allowance(server: Server, tmp_path: Path) -> None:
    llm, allowance = make(tmp_path, server.url), Allowance(1)
    llm.ask(prompt("kept"), Verdict)
    for text, fine in (("kept", True), ("new", True), ("newer", False), ("kept", True)):
        assert isinstance(llm.ask(prompt(text), Verdict, allowance), Answer) == fine


def test_caps_stop_before_the_call(server: Server, tmp_path: Path) -> None:
    llm = make(tmp_path, server.url, max_calls=2)
    llm.ask_all([prompt("a"), prompt("b")], Verdict)
    with pytest.raises(BudgetReached, match=r"2 calls were made, the cap is 2 \(--max-calls\)"):
        llm.ask(prompt("c"), Verdict)
    assert llm.ask(prompt("a"), Verdict) == Answer(YES, cached=True)  # costs nothing
    assert len(server.bodies) == 2
    with pytest.raises(BudgetReached, match="--max-tokens"):
        make(tmp_path, server.url, max_tokens=100).ask(prompt("c"), Verdict)


def test_money_needs_a_price(server: Server, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no price of m at http://127.*prices.toml"):
        make(tmp_path, server.url, max_usd=1.0)
    (place(tmp_path).prices).write_text(PRICE)
    with pytest.raises(BudgetReached, match=r"may cost \$0\.00.*cap is \$0\.001"):
        make(tmp_path, server.url, max_usd=0.001).ask(prompt(), Verdict)
    server.usual = says(200, openai(GOOD, prompt_tokens_details={"cached_tokens": 60}))
    llm = make(tmp_path, server.url, max_usd=0.01)
    llm.ask(prompt(), Verdict)
    llm.close()
    (row,) = spent(place(tmp_path).ledger)
    # 40 fresh at 2, 60 cached at .5, 20 written at 8 dollars a million = 270 millionths
    assert row.picodollars == 270_000_000
    assert (row.calls, row.free, row.unpriced, row.cached) == (1, 0, 0, 60)


def test_a_plan_asks_nothing(server: Server, tmp_path: Path) -> None:
    (place(tmp_path).prices).write_text(PRICE)
    make(tmp_path, server.url).ask(prompt("kept"), Verdict)
    plan = Plan()
    settings = LlmSettings(url=server.url, model="m")
    llm = open_llm(place(tmp_path), settings, print, plan=plan)
    llm.ask_all([prompt("kept"), prompt("new"), prompt("newer")], Verdict)
    llm.close()
    assert len(server.bodies) == 1
    assert (plan.calls, plan.completion) == (2, 128)
    assert plan.picodollars == plan.prompt * 2_000_000 + 128 * 8_000_000
    assert plan.in_words.startswith("2 calls to an LLM, about ")


def test_a_prompt_that_cannot_fit_is_not_sent(server: Server, tmp_path: Path) -> None:
    llm = make(tmp_path, server.url, context_window=512)
    got = llm.ask(prompt("word " * 600), Verdict)
    assert isinstance(got, Failed)
    assert "llm.context_window" in got.reason
    assert not server.bodies


def test_where_nothing_can_be_written_answers_still_come(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(tmp_path, server.url).ask(prompt("kept"), Verdict)
    before = {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()}
    monkeypatch.setattr("os.access", lambda path, mode: False)
    told: list[str] = []
    llm = make(tmp_path, server.url, told=told)
    assert llm.ask(prompt("kept"), Verdict) == Answer(YES, cached=True)
    assert llm.ask(prompt("new"), Verdict) == Answer(YES)
    assert "cannot be written" in told[0]
    llm.close()
    assert {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()} == before


def test_a_crash_hides_no_spend(server: Server, tmp_path: Path) -> None:
    llm = make(tmp_path, server.url)

    def dies(body: dict[str, Any]) -> Any:
        # what another process sees of the ledger while the call is under way
        (row,) = spent(place(tmp_path).ledger)
        server.bodies[-1]["seen"] = (row.calls, row.unanswered, row.completion)
        return 200, {}, openai(GOOD)

    server.usual = dies
    llm.ask(prompt(), Verdict)
    assert server.bodies[0]["seen"] == (1, 1, 64)


def test_without_an_llm_the_way_out_is_told(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="--llm URL --llm-model NAME"):
        open_llm(place(tmp_path), LlmSettings(), print)
