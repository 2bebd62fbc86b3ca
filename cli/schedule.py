"""Lines for cron and units for systemd that sync a knowledge base."""

import re
import shlex
from collections.abc import Sequence

from kb.errors import UsageError

_EVERY = re.compile(r"(\d+)\s*(m|h|d)")
_MINUTES = {"m": 1, "h": 60, "d": 1440}
_EXAMPLES = "e.g. 15m, 2h or 1d"


def minutes(every: str) -> int:
    """``15m``, ``2h``, ``1d`` in minutes.

    Raises:
        UsageError: it is no such time, or one that does not divide the hour or the day evenly.
    """
    match = _EVERY.fullmatch(every.strip().lower())
    if not match or int(match[1]) < 1:
        raise UsageError(f"--every {every!r} is no span of time: write {_EXAMPLES}")
    found = int(match[1]) * _MINUTES[match[2]]
    if (found <= 60 and 60 % found) or (found > 60 and (found % 60 or 1440 % found)):
        raise UsageError(
            f"--every {every}: cron cannot repeat that evenly; choose a part of an hour "
            "(5m, 15m, 30m), of a day (1h, 6h) or 1d"
        )
    return found


def crontab_line(command: Sequence[str], every: int, log: str) -> str:
    """One line of a crontab.

    Args:
        command: words of the command.
        every: minutes between two runs.
        log: a file that output is added to; "" for cron's own mail.

    Raises:
        UsageError: a word holds a line break, which a crontab cannot.
    """
    line = shlex.join(command)
    if log:
        line += f" >> {shlex.quote(log)} 2>&1"
    _one_line(line, "a crontab")
    # cron ends the command at a bare %, and takes the backslash away before the shell reads it
    return f"{_when(every)} {line}".replace("%", r"\%")


def service_unit(command: Sequence[str], log: str, home: str) -> str:
    """The text of ``tesela.service``.

    Raises:
        UsageError: a word holds a line break.
    """
    lines = [
        "[Unit]",
        f"Description=tesela sync of {_unit_text(home)}",
        "",
        "[Service]",
        "Type=oneshot",
        # 3: some files could not be read and were told; 5: another writer was at work
        "SuccessExitStatus=3 5",
        "Nice=10",
        f"ExecStart={' '.join(map(_unit_word, command))}",
    ]
    if log:
        path = _unit_text(log)
        lines += [f"StandardOutput=append:{path}", f"StandardError=append:{path}"]
    return "\n".join(lines) + "\n"


def timer_unit(every: int, home: str) -> str:
    """The text of ``tesela.timer``."""
    return (
        f"[Unit]\nDescription=tesela sync of {_unit_text(home)}\n\n"
        f"[Timer]\nOnBootSec={every}min\nOnUnitActiveSec={every}min\n\n"
        "[Install]\nWantedBy=timers.target\n"
    )


def _when(every: int) -> str:
    if every < 60:
        return f"*/{every} * * * *"
    if every < 1440:
        return f"0 */{every // 60} * * *" if every > 60 else "0 * * * *"
    return "0 3 * * *"


def _unit_word(word: str) -> str:
    """A word of ExecStart: % begins a specifier there, $ a variable."""
    _one_line(word, "a systemd unit")
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return f'"{escaped}"' if re.search(r"[^\w@+=:,./-]", word) else escaped


def _unit_text(text: str) -> str:
    _one_line(text, "a systemd unit")
    return text.replace("%", "%%")


def _one_line(text: str, where: str) -> None:
    if "\n" in text or "\r" in text:
        raise UsageError(f"{text!r} holds a line break, which {where} cannot: move it or rename it")
