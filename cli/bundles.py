"""Bundles of options: a dataclass whose fields are options, taken by a command as one argument."""

import inspect
from collections.abc import Callable, Iterator
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, get_type_hints


def with_bundles(command: Callable[..., None]) -> Callable[..., None]:
    """A command as Typer takes it: each parameter that is a dataclass is spread into its options.

    The options stand in ``--help`` where the parameter stands, in the order of the fields.
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
            yield inspect.Parameter(
                field.name, by_name, default=default, annotation=own[field.name]
            )
