"""Bundles of options: a dataclass whose fields are options, taken by a command as one argument."""

import copy
import inspect
from collections.abc import Callable, Iterator
from dataclasses import MISSING, fields, is_dataclass
from typing import Annotated, Any, get_args, get_type_hints

from typer.core import TyperCommand


def with_bundles(command: Callable[..., None]) -> Callable[..., None]:
    """A command as Typer takes it: each parameter that is a dataclass is spread into its options.

    The options stand in ``--help`` where the parameter stands, in the order of the fields; with
    `BundledCommand`, those of a bundle that has a ``TITLE`` stand below it, behind the others.
    """
    hints = get_type_hints(command, include_extras=True)
    bundles: dict[str, type[Any]] = {
        name: hint for name, hint in hints.items() if isinstance(hint, type) and is_dataclass(hint)
    }

    def spread(**given: Any) -> None:
        for name, bundle in bundles.items():
            options = {field.name: given.pop(field.name) for field in fields(bundle)}
            given[name] = bundle(**options)
        command(**given)

    parameters = list(_parameters(command, hints, bundles))
    spread.__name__, spread.__doc__ = command.__name__, command.__doc__
    spread.__module__ = command.__module__
    spread.__wrapped__ = command  # type: ignore[attr-defined]
    spread.__annotations__ = {p.name: p.annotation for p in parameters} | {"return": None}
    spread.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return spread


def _parameters(
    command: Callable[..., None], hints: dict[str, Any], bundles: dict[str, type[Any]]
) -> Iterator[inspect.Parameter]:
    by_name = inspect.Parameter.KEYWORD_ONLY
    for parameter in inspect.signature(command).parameters.values():
        name = parameter.name
        if name not in bundles:
            yield parameter.replace(kind=by_name, annotation=hints[name])
            continue
        own = get_type_hints(bundles[name], include_extras=True)
        for field in fields(bundles[name]):
            default = inspect.Parameter.empty if field.default is MISSING else field.default
            shown = _titled(own[field.name], getattr(bundles[name], "TITLE", None))
            yield inspect.Parameter(field.name, by_name, default=default, annotation=shown)


def _titled(annotation: Any, title: str | None) -> Any:
    kind, option = get_args(annotation)
    option = copy.copy(option)
    option.rich_help_panel = title
    return Annotated[kind, option]


class BundledCommand(TyperCommand):
    """A command whose ``--help`` shows its options under their bundles' titles."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write arguments and options, each group below its title."""
        groups: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            is_argument = parameter.param_type_name == "argument"
            title = getattr(parameter, "rich_help_panel", None) or "Options"
            if record is not None:
                groups.setdefault("Arguments" if is_argument else title, []).append(record)
        for title, records in groups.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)
