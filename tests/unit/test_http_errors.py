import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import httpx
import pytest

from kb.models.http_errors import (
    Failure,
    bounded,
    of_exception,
    of_response,
    retry_after,
    safe_url,
    server_words,
)
from kb.models.http_post import Patience


def test_retry_after_as_seconds_or_date() -> None:
    assert retry_after({"retry-after": "2.5"}) == 2.5
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    assert retry_after({"retry-after": soon}) == pytest.approx(30, abs=2)
    assert retry_after({"retry-after": format_datetime(datetime(2020, 1, 1, tzinfo=UTC))}) == 0
    for nothing in ({}, {"retry-after": ""}, {"retry-after": "soon"}, {"retry-after": "-5"}):
        assert retry_after(nothing) is None


@pytest.mark.parametrize(
    ("status", "transient"),
    [
        *[(status, False) for status in (302, 400, 401, 403, 404, 413, 422, 501)],
        *[(status, True) for status in (408, 425, 429, 500, 502, 503, 504, 529)],
    ],
)
def test_which_answers_are_worth_another_try(status: int, transient: bool) -> None:
    failure = of_response(httpx.Response(status, text="why"))
    assert failure is not None
    assert failure.transient is transient
    assert failure.words == f"HTTP {status}: why"


def test_success_is_no_failure() -> None:
    assert of_response(httpx.Response(200)) is None


@pytest.mark.parametrize(
    ("error", "transient"),
    [
        (httpx.ReadTimeout("t"), True),
        (httpx.ConnectTimeout("t"), True),
        (httpx.ConnectError("refused"), True),
        (httpx.RemoteProtocolError("cut"), True),
        (httpx.UnsupportedProtocol("gopher"), False),
        (httpx.LocalProtocolError("header"), False),
    ],
)
def test_which_silences_are_worth_another_try(error: httpx.TransportError, transient: bool) -> None:
    assert of_exception(error).transient is transient


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b'{"error": {"message": "a", "type": "b"}}', "a"),
        (b'{"error": "a"}', "a"),
        (b'{"detail": [{"loc": 1}]}', '[{"loc":1}]'),
        (b'{"error": {"message": {"message": "a"}}}', "a"),
        (b'{"x": 1}', '{"x":1}'),
        (b"plain\n text", "plain text"),
        (b"\xff\xfe", "\ufffd\ufffd"),
        (b"", ""),
    ],
)
def test_words_of_the_server(body: bytes, words: str) -> None:
    assert server_words(body) == words


def test_bounded_masks_before_it_cuts() -> None:
    text = bounded("x" * 295 + "SECRET" + "y" * 100, "SECRET")
    assert text == "x" * 295 + "***yy" + " …"


def test_safe_url() -> None:
    assert safe_url("https://u:p@h:1/v1/e?key=k#f") == "https://h:1/v1/e"


def test_waits_double_up_to_a_bound_with_jitter() -> None:
    failure = Failure("w", transient=True)
    low, high = Patience(longest=3, chance=lambda: 0.0), Patience(longest=3, chance=lambda: 1.0)
    # .5, 1, 2, then 4 cut to 3; with the least chance half of it
    assert [high.wait(n, failure) for n in (1, 2, 3, 4)] == [0.5, 1, 2, 3]
    assert [low.wait(n, failure) for n in (1, 2, 3, 4)] == [0.25, 0.5, 1, 1.5]
    assert high.wait(1, Failure("w", transient=True, retry_after=9)) == 9
    assert Patience().sleep is time.sleep
