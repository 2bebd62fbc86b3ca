"""Where settings come from: preset < ``tesela.toml`` < ``TESELA_*`` < flags."""

import os
import re
import tomllib
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any, get_args, get_type_hints

import msgspec

from kb.durable import replace_file
from kb.errors import UsageError
from kb.registry import choose
from kb.settings import Settings

Tree = dict[str, Any]
_RESERVED = {"TESELA_KB", "TESELA_DEBUG", "TESELA_PRINCIPAL"}
_PART_KEYS = {
    ("parse", "engine"): "parse engine",
    ("chunk", "strategy"): "chunker",
    ("context", "provider"): "contextualizer",
    ("embed", "embedder"): "embedder",
    ("engine", "name"): "engine",
    ("llm", "kind"): "llm",
    ("query", "fusion"): "fusion",
    ("query", "rerank"): "reranker",
}


def preset_names() -> list[str]:
    """Names of the presets that ship, ``default`` first."""
    found = sorted(
        p.name[:-5] for p in resources.files("configs").iterdir() if p.name.endswith(".toml")
    )
    return sorted(found, key=lambda name: (name != "default", name))


def load_settings(
    file: Path | None = None,
    flags: Mapping[str, Any] | None = None,
    environment: Mapping[str, str] | None = None,
    announced: Mapping[str, Any] | None = None,
) -> Settings:
    """Merge all sources and check the result.

    Args:
        file: a ``tesela.toml``; it may name its ``preset`` at the top.
        flags: dotted keys, e.g. ``{"chunk.size": 300}``; None values are left out.
        environment: where ``TESELA_CHUNK_SIZE`` and the like are read, ``os.environ`` by default.
        announced: dotted keys that `file` is to hold next, see `kb.pending.in_force`.

    Raises:
        UsageError: an unknown key, a value of the wrong type or out of bounds, an unknown part.
    """
    own = read_toml(file) if file is not None and file.exists() else {}
    preset = own.pop("preset", "default")
    merged = _preset(preset)
    _merge(merged, own)
    for dotted, value in (announced or {}).items():
        _put(merged, dotted, value)
    _merge(merged, _from_environment(os.environ if environment is None else environment))
    for dotted, value in (flags or {}).items():
        if value is not None:
            _put(merged, dotted, value)
    return _check(merged, file)


def read_toml(file: Path) -> Tree:
    """A TOML file as a dictionary.

    Raises:
        UsageError: it cannot be read or is not TOML.
    """
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{file}: {error}") from error


def save_settings(file: Path, changes: Mapping[str, Any]) -> None:
    """Write dotted keys into a ``tesela.toml``, keeping its comments and order."""
    import tomlkit

    text = file.read_text(encoding="utf-8") if file.exists() else ""
    document = tomlkit.parse(text)
    for dotted, value in changes.items():
        section, _, key = dotted.rpartition(".")
        table = document
        if section:
            if section not in document:
                document[section] = tomlkit.table()
            table = document[section]
        table[key] = value
    replace_file(file, tomlkit.dumps(document).encode())


def as_toml(value: Any) -> str:
    """A value as it stands in a ``tesela.toml``: ``true``, ``300``, ``"hnsw"``."""
    import tomlkit

    return str(tomlkit.item(value).as_string())


def check_preset(name: Any) -> None:
    """See that there is such a preset.

    Raises:
        UsageError: there is not; the message lists those that are.
    """
    if name not in preset_names():
        raise UsageError(f"no preset {name!r}: choose one of {', '.join(preset_names())}")


def _preset(name: Any) -> Tree:
    check_preset(name)
    return tomllib.loads((resources.files("configs") / f"{name}.toml").read_text(encoding="utf-8"))


def _merge(base: Tree, over: Mapping[str, Any]) -> None:
    for key, value in over.items():
        if isinstance(value, dict) and isinstance(base.get(key), dict):
            _merge(base[key], value)
        else:
            base[key] = value


def _put(tree: Tree, dotted: str, value: Any) -> None:
    section, _, key = dotted.partition(".")
    if not key:
        raise UsageError(f"setting {dotted!r} has no section: write section.key, e.g. chunk.size")
    if not isinstance(tree.setdefault(section, {}), dict):
        raise UsageError(f"settings: `{section}` is a section, not the value {tree[section]!r}")
    tree[section][key] = value


def _from_environment(environment: Mapping[str, str]) -> Tree:
    tree: Tree = {}
    sections = {f.name: msgspec.structs.fields(f.type) for f in msgspec.structs.fields(Settings)}
    for variable in sorted(environment):
        if not variable.startswith("TESELA_") or variable in _RESERVED:
            continue
        lowered = variable[7:].lower()
        section = next((s for s in sections if lowered.startswith(s + "_")), None)
        if section is None:
            raise UsageError(
                f"{variable}: no such section of settings; "
                f"write TESELA_SECTION_KEY with a section of {', '.join(sections)}"
            )
        tree.setdefault(section, {})[lowered[len(section) + 1 :]] = parse_value(
            environment[variable]
        )
    return tree


def parse_value(text: str) -> Any:
    """A value as TOML would read it, or the text itself: ``8`` → 8, ``true`` → True, ``hnsw`` → "hnsw"."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def _check(tree: Tree, file: Path | None) -> Settings:
    try:
        settings = msgspec.convert(tree, Settings)
    except msgspec.ValidationError as error:
        where = f" (in {file}, TESELA_* or flags)" if file is not None and file.exists() else ""
        known = "; 'tesela config show' prints those there are" if "unknown" in str(error) else ""
        choices = _choices(str(error))
        raise UsageError(f"settings: {_plain(str(error))}{choices}{where}{known}") from error
    for section in dict.fromkeys(section for section, _ in _PART_KEYS):
        check_parts(section, getattr(settings, section))
    return settings


def check_parts(section: str, settings: Any) -> None:
    """See that the parts a section names are there.

    Raises:
        UsageError: there is no such part.
        Unavailable: the package behind it is not installed.
    """
    for (of_section, key), kind in _PART_KEYS.items():
        if of_section == section:
            try:
                choose(kind, getattr(settings, key))
            except UsageError as error:
                raise UsageError(f"{section}.{key}: {error}") from error


def _choices(message: str) -> str:
    """What a setting may be, where the message is that it is none of a few words."""
    found = re.search(r"Invalid enum value .* - at `\$\.(\w+)\.(\w+)`$", message)
    if found is None:
        return ""
    section = get_type_hints(Settings)[found[1]]
    return f": choose from {', '.join(map(str, get_args(get_type_hints(section)[found[2]])))}"


def _plain(message: str) -> str:
    return (
        message.replace("Object contains", "there is an")
        .replace("`$.", "`")
        .replace(" - at `", ": `")
        .replace("`str` matching regex '^[^,]*$'", "a label without a comma, several as a list")
        .replace(
            "`str` matching regex '^(drift>(0(\\\\.\\\\d+)?|1))?$'",
            "drift>SHARE, e.g. drift>0.2, or nothing",
        )
    )
