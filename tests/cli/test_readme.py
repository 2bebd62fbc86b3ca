"""The README's commands, run as they stand there; their output is compared, not remembered."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def _sessions() -> list[tuple[str, list[str]]]:
    """Commands with the output lines that follow them, over all console blocks in order."""
    steps: list[tuple[str, list[str]]] = []
    for block in re.findall(r"```console\n(.*?)```", README, re.DOTALL):
        for line in block.splitlines():
            if line.startswith("$ "):
                steps.append((line[2:], []))
            else:
                steps[-1][1].append(line)
    return steps


def _pattern(lines: list[str]) -> re.Pattern[str]:
    """Lines to match whole; … stands for anything, a line of … alone for any lines."""
    parts = [
        "(?:.*\n)*?" if line == "…" else re.escape(line).replace("…", ".*") + "\n" for line in lines
    ]
    return re.compile("".join(parts))


def test_every_command_of_the_readme_does_what_it_says(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "sample_corpus" / "docs", tmp_path / "docs")
    for name, text in re.findall(r"this in `([\w.]+)`:\n\n```json\n(.*?)```", README, re.DOTALL):
        (tmp_path / name).write_text(text, encoding="utf-8")
    environment = {k: v for k, v in os.environ.items() if not k.startswith("TESELA_")}
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{environment['PATH']}"
    steps = _sessions()
    assert len(steps) >= 8
    for command, expected in steps:
        ran = subprocess.run(
            shlex.split(command),
            cwd=tmp_path,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        assert ran.returncode == 0, f"{command}: {ran.stdout}"
        assert _pattern(expected).fullmatch(ran.stdout), f"{command}:\n{ran.stdout}"


def test_every_option_the_readme_names_exists() -> None:
    from cli.app import COMMANDS

    for command in re.findall(r"`tesela (\w+)", README):
        assert command in COMMANDS, command
