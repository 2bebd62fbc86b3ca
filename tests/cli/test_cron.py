"""What ``tesela cron print`` gives can be used as it is."""

import configparser
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cli.schedule import crontab_line, minutes, service_unit
from kb.errors import UsageError
from tests.running import make_kb, run

ODD = 'it\'s 100% "my" $HOME docs & más'


def crontab_command(line: str) -> str:
    """What cron hands to the shell: after five fields, \\% is %, and a bare % would end it."""
    command = line.split(" ", 5)[5]
    assert "%" not in command.replace("\\%", "")
    return command.replace("\\%", "%")


@pytest.fixture
def kb(tmp_path: Path) -> Path:
    return make_kb(tmp_path / ODD, {"a.md": "one text"})


def test_the_crontab_line_runs_in_an_empty_environment(kb: Path, tmp_path: Path) -> None:
    log = tmp_path / "a log at 5%.txt"
    done = run("cron", "print", "--kb", kb, "--log", log, "--only", "crontab")
    assert done.code == 0, done.err
    command = crontab_command(done.out.rstrip("\n"))
    (kb / "docs" / "b.md").write_text("another text")
    ran = subprocess.run(["/bin/sh", "-c", command], env={}, cwd="/", capture_output=True)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, b"", b"")
    assert log.read_text() == ""
    assert (kb / ".tesela" / "CURRENT").read_text() == "0002\n"


def test_what_fails_is_in_the_log(kb: Path, tmp_path: Path) -> None:
    log = tmp_path / "log"
    done = run("cron", "print", "--kb", kb, "--log", log, "--only", "crontab")
    shutil.rmtree(kb / ".tesela")
    command = crontab_command(done.out.rstrip("\n"))
    ran = subprocess.run(["/bin/sh", "-c", command], env={}, cwd="/", capture_output=True)
    assert (ran.returncode, ran.stdout, ran.stderr) == (2, b"", b"")
    assert "no knowledge base at" in log.read_text()


def test_all_three_are_printed(kb: Path) -> None:
    shown = run("cron", "print", "--kb", kb, "--every", "2h").out
    for only in ("crontab", "service", "timer"):
        part = run("cron", "print", "--kb", kb, "--every", "2h", "--only", only).out
        assert part.rstrip("\n") in shown
    assert "0 */2 * * * " in shown
    assert "OnUnitActiveSec=120min" in shown


def test_the_units_hold(kb: Path, tmp_path: Path) -> None:
    units = tmp_path / "units"
    units.mkdir()
    for kind in ("service", "timer"):
        args = ("cron", "print", "--kb", kb, "--log", tmp_path / "log", "--only", kind)
        (units / f"tesela.{kind}").write_text(run(*args).out)
    service = configparser.RawConfigParser(strict=False)
    service.optionxform = str  # type: ignore[assignment,method-assign]
    service.read(units / "tesela.service")
    words = shlex.split(service["Service"]["ExecStart"])
    assert [w.replace("%%", "%").replace("$$", "$") for w in words] == [
        str(Path(sys.executable).parent / "tesela"),
        *("sync", "--quiet", "--wait", "10m", "--kb", str(kb)),
    ]
    if shutil.which("systemd-analyze") is None:
        return
    checked = subprocess.run(
        ["systemd-analyze", "verify", *map(str, units.iterdir())], capture_output=True, text=True
    )
    assert "tesela" not in checked.stderr, checked.stderr
    assert checked.returncode == 0


@pytest.mark.parametrize(
    ("every", "when"),
    [
        ("15m", "*/15 * * * *"),
        ("1m", "*/1 * * * *"),
        ("60m", "0 * * * *"),
        ("1h", "0 * * * *"),
        ("6h", "0 */6 * * *"),
        ("1d", "0 3 * * *"),
        ("24h", "0 3 * * *"),
    ],
)
def test_when(every: str, when: str) -> None:
    assert crontab_line(["x"], minutes(every), "") == f"{when} x"


@pytest.mark.parametrize("every", ["", "0m", "7m", "90m", "5h", "2d", "soon", "-5m", "15"])
def test_what_cron_cannot_repeat_is_refused(every: str) -> None:
    with pytest.raises(UsageError):
        minutes(every)


def test_a_line_break_is_refused() -> None:
    with pytest.raises(UsageError, match="line break"):
        crontab_line(["a\nb"], 15, "")
    with pytest.raises(UsageError, match="line break"):
        service_unit(["a\nb"], "", "home")


def test_special_characters_of_units() -> None:
    unit = service_unit(["/a b/tesela", "50%", "$x", 'say "hi"', "c\\d", "plain"], "", "home")
    assert r'ExecStart="/a b/tesela" "50%%" "$$x" "say \"hi\"" "c\\d" plain' in unit
