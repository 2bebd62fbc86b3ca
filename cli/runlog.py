"""What a run says on stderr: prose, JSON lines, or nothing where all went well."""

import json
import os
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from cli import say
from kb.errors import UsageError


class RunLog:
    """The voice of one run."""

    def __init__(self, *, as_json: bool = False, quiet: bool = False) -> None:
        self._as_json = as_json
        self._quiet = quiet
        self.draws = not (as_json or quiet)  # whether progress may be drawn

    def note(self, text: str) -> None:
        """Something good to know."""
        self._say("note", text, quiet=self._quiet, message=text)

    def warning(self, path: str, text: str) -> None:
        """Something odd about a document that was read all the same."""
        line = f"  warning: {path}: {text}"
        self._say("warning", line, quiet=self._quiet, path=path, message=text)

    def failure(self, path: str, reason: str) -> None:
        """A file that could not be read; told even by a quiet run."""
        self._say("failed", f"  failed: {path}: {reason}", path=path, reason=reason)

    def file(self, change: str, path: str, was: str = "") -> None:
        """What happened to a file; only JSON goes into such detail."""
        if self._as_json:
            fields: dict[str, Any] = {"path": path, "was": was} if was else {"path": path}
            self._say(change, "", **fields)

    def done(self, text: str, report: Mapping[str, Any], exit_code: int) -> None:
        """The last line."""
        quiet = self._quiet and exit_code == 0
        self._say("done", text, quiet=quiet, exit=exit_code, **report)

    def error(self, text: str, exit_code: int) -> None:
        """The last line of a run that stopped."""
        self._say("error", f"tesela: {text}", exit=exit_code, message=text)

    def _say(self, event: str, text: str, *, quiet: bool = False, **fields: Any) -> None:
        if quiet:
            return
        if self._as_json:
            time = datetime.now().astimezone().isoformat(timespec="milliseconds")
            text = json.dumps({"time": time, "event": event, **fields}, ensure_ascii=False)
        say.note(text)


def check_report_file(file: Path | None) -> None:
    """See that a report could be written, before any work.

    Raises:
        UsageError: it could not.
    """
    if file is None:
        return
    if file.is_dir():
        raise UsageError(f"--report {file}: it is a folder; name a file")
    if not file.absolute().parent.is_dir():
        raise UsageError(f"--report {file}: there is no folder {file.absolute().parent}")


def write_report(file: Path, report: Mapping[str, Any]) -> None:
    """Replace the file in one step, so that whoever reads it never sees half a report."""
    text = json.dumps(report, ensure_ascii=False, indent=2) + "\n"
    if file.exists() and not file.is_file():  # a pipe, /dev/stdout
        file.write_text(text, encoding="utf-8")
        return
    target = Path(os.path.realpath(file))
    temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        temporary.write_text(text, encoding="utf-8")
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)
