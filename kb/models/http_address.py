"""Addresses of model servers, and the keys that go with them."""

import os
import re
from urllib.parse import unquote, urlsplit

from kb.errors import UsageError
from kb.models.http_errors import safe_url

Login = tuple[str, str]


def endpoint(url: str, route: str, setting: str) -> tuple[str, Login | None]:
    """The endpoint's full address without credentials, and those credentials if there were any.

    Args:
        url: the base address, with or without ``/v1``, or the full one of the endpoint.
        route: of the endpoint, such as ``/embeddings``.
        setting: where `url` was set, for the error.

    Raises:
        UsageError: no usable address.
    """
    parts = urlsplit(url.strip())
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError(
            f"{setting} is {safe_url(url) if '@' in url else url!r}: it has to be the server's "
            "address, such as http://localhost:8080/v1"
        )
    path = parts.path.rstrip("/")
    if not path.endswith(route):
        path += route if re.search(r"/v\d+[a-z]*\d*$", path) else f"/v1{route}"
    login = (unquote(parts.username), unquote(parts.password or "")) if parts.username else None
    query = f"?{parts.query}" if parts.query else ""
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{path}{query}", login


def key_in(variable: str) -> str:
    """The key in an environment variable, "" where there is none.

    It is checked here because the HTTP library would quote a bad one in its error.

    Raises:
        UsageError: no header can carry it.
    """
    key = os.environ.get(variable, "").strip() if variable else ""
    if not key.isascii() or not all(c.isprintable() and c != " " for c in key):
        raise UsageError(f"the key in {variable} has characters that no header can carry")
    return key
