"""What `kb.models.llm.base.LlmClient` promises, for every client in the registry, over a real socket."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from kb.errors import UsageError
from kb.models.http_errors import Failure
from kb.models.llm.base import Call, LlmClient, Reply
from kb.registry import load, names
from kb.settings import LlmSettings
from tests.answering_server import events
from tests.llm_making import prompt
from tests.llm_server import WIRES, Server, says, serving, text_of

CUT = {"openai": "length", "anthropic": "max_tokens"}
REFUSED = {"openai": "content_filter", "anthropic": "refusal"}
Answer = Callable[..., dict[str, Any]]


@pytest.fixture(params=names("llm"))
def kind(request: pytest.FixtureRequest) -> str:
    found: str = request.param
    return found


@pytest.fixture
def server(kind: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with serving(says(200, WIRES[kind]("fine"))) as made:
        yield made


@pytest.fixture
def client(kind: str, server: Server) -> Iterator[LlmClient]:
    settings = LlmSettings(kind=kind, url=f"{server.url}/v1", model="m", timeout=5.0)
    made: LlmClient = load("llm", kind)(settings)
    yield made
    made.close()


def call(schema: dict[str, Any] | None = None, extra: str = "") -> Call:
    return Call(prompt(), schema, 64, extra)


def test_an_answer_and_its_usage(client: LlmClient, server: Server) -> None:
    got = client.send(call(extra="Once more."))
    assert isinstance(got, Reply)
    assert (got.text, got.finish) == ("fine", "stop")
    assert got.usage is not None
    assert (got.usage.prompt, got.usage.completion) == (100, 20)
    sent = text_of(server.bodies[0])
    places = [
        sent.index(text) for text in ("You judge.", "A long document.", "Is it so?", "Once more.")
    ]
    assert places == sorted(places)
    assert client.url == server.url + server.paths[0]
    assert client.name == f"m at {client.url}"
    assert client.host == "127.0.0.1"


@pytest.mark.parametrize(("how", "finish"), [(CUT, "length"), (REFUSED, "refused")])
def test_why_it_ended(
    client: LlmClient, server: Server, kind: str, how: dict[str, str], finish: str
) -> None:
    server.usual = says(200, WIRES[kind]("half", how[kind]))
    got = client.send(call())
    assert isinstance(got, Reply)
    assert got.finish == finish


def test_without_usage_none_is_made_up(client: LlmClient, server: Server, kind: str) -> None:
    server.usual = says(200, {k: v for k, v in WIRES[kind]("fine").items() if k != "usage"})
    got = client.send(call())
    assert isinstance(got, Reply)
    assert got.usage is None


@pytest.mark.parametrize(
    ("step", "transient", "billed"),
    [
        (says(429, b"slow down"), True, False),
        (says(500, b""), True, False),
        (says(401, b""), False, False),
        (says(404, b""), False, False),
        (says(504, b""), True, True),
        (says(200, None), True, True),
        (says(200, b"[]"), True, True),
        (says(200, {"choices": [], "content": 3}), True, True),
    ],
)
def test_failures_are_classed(
    client: LlmClient, server: Server, step: Any, transient: bool, billed: bool
) -> None:
    server.usual = step
    got = client.send(call())
    assert isinstance(got, Failure)
    assert (got.transient, got.perhaps_billed) == (transient, billed)


def test_a_schema_that_is_not_taken_is_told_in_words(client: LlmClient, server: Server) -> None:
    server.script = [says(400, {"error": {"message": "no such field"}})]
    schema = {"type": "object", "properties": {"strange": {"type": "string"}}}
    assert isinstance(client.send(call(schema)), Reply)
    assert "strange" not in text_of(server.bodies[0])
    assert "strange" in text_of(server.bodies[1])


@pytest.mark.parametrize("url", ["localhost:1", "ftp://x", "http://", ""])
def test_an_address_that_is_none_is_refused(kind: str, url: str) -> None:
    with pytest.raises(UsageError, match=r"llm\.url"):
        load("llm", kind)(LlmSettings(kind=kind, url=url, model="m"))


def streams(text: str, kind: str, **how: Any) -> Any:
    return says(200, events(text, kind, **how), Content_Type="text/event-stream; charset=utf-8")


def test_a_stream_is_told_as_it_comes(client: LlmClient, server: Server, kind: str) -> None:
    told: list[str] = []
    server.usual = streams("Ocho minutos, ¡y ñ!", kind, step=5)
    got = client.stream(call(), told.append)
    assert got == client.stream(call(), lambda _: None)
    assert isinstance(got, Reply)
    assert (got.text, got.finish) == ("Ocho minutos, ¡y ñ!", "stop")
    assert got.usage is not None
    assert (got.usage.prompt, got.usage.completion) == (100, 20)
    assert told == ["Ocho ", "Ocho minut", "Ocho minutos, ¡", "Ocho minutos, ¡y ñ!"]
    assert server.bodies[0]["stream"] is True


def test_a_server_that_does_not_stream_answers_all_the_same(
    client: LlmClient, server: Server
) -> None:
    told: list[str] = []
    got = client.stream(call(), told.append)
    assert got == client.send(call())
    assert told == []


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (None, ""),
        (b"data: {broken\n\n", "another form"),
        (b'data: {"error": {"message": "too busy"}, "type": "error"}\n\n', "too busy"),
        (b"", "broke off"),
    ],
)
def test_a_stream_that_fails_may_be_billed(
    client: LlmClient, server: Server, raw: bytes | None, words: str
) -> None:
    server.usual = says(200, raw, Content_Type="text/event-stream")
    got = client.stream(call(), lambda _: None)
    assert isinstance(got, Failure)
    assert got.transient
    assert got.perhaps_billed
    assert words in got.words


def test_a_stream_that_breaks_off_is_no_answer(
    client: LlmClient, server: Server, kind: str
) -> None:
    told: list[str] = []
    server.usual = streams("Ocho minutos.", kind, whole=False)
    got = client.stream(call(), told.append)
    assert isinstance(got, Failure)
    assert got.perhaps_billed
    assert told
    server.usual = says(429, b"slow down")
    refused = client.stream(call(), lambda _: None)
    assert isinstance(refused, Failure)
    assert (refused.status, refused.perhaps_billed) == (429, False)
