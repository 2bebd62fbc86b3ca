"""Options that narrow what may answer, and who asks; shared by the commands that show content."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar

import typer

from kb.errors import UsageError
from kb.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from cli.workspace import Workspace
    from query.filter import Filter

PathOption = Annotated[
    list[str] | None,
    typer.Option(
        "--path",
        metavar="GLOB",
        help="Only files that match, like a line of .gitignore; may be repeated.",
        show_default=False,
    ),
]
TagOption = Annotated[
    list[str] | None,
    typer.Option(
        "--tag",
        metavar="TAG",
        help="Only documents with this tag, their own or their source's; may be repeated: any of them.",
        show_default=False,
    ),
]
TypeOption = Annotated[
    list[str] | None,
    typer.Option(
        "--type",
        metavar="md|html|pdf|…",
        help="Only files of this suffix or read by this parser; may be repeated.",
        show_default=False,
    ),
]
LanguageOption = Annotated[
    list[str] | None,
    typer.Option(
        "--language",
        metavar="es|en|…",
        help="Only passages in this language; may be repeated.",
        show_default=False,
    ),
]
SinceOption = Annotated[
    str | None,
    typer.Option(
        metavar="DATE",
        help="Only documents dated on this day, month or year, or later.",
        show_default=False,
    ),
]
UntilOption = Annotated[
    str | None,
    typer.Option(
        metavar="DATE",
        help="Only documents dated on this day, month or year, or earlier.",
        show_default=False,
    ),
]
WhereOption = Annotated[
    list[str] | None,
    typer.Option(
        "--where",
        metavar="CONDITION",
        help="Only documents whose metadata say so: 'status = \"final\" and year >= 2024'.",
        show_default=False,
    ),
]
AsOfOption = Annotated[
    str | None,
    typer.Option(
        metavar="DATE",
        help="Answer from the documents that were valid on this day. [default: today]",
        show_default=False,
    ),
]
IncludeExpiredOption = Annotated[
    bool,
    typer.Option(
        "--include-expired",
        help="Also from documents that are expired, superseded or not yet valid; they are marked.",
    ),
]
PrincipalOption = Annotated[
    str | None,
    typer.Option(
        metavar="LABELS",
        envvar="TESELA_PRINCIPAL",
        help="Who asks: user:ana,group:hr. Documents with acl labels are hidden from all others.",
        show_default=False,
    ),
]


@dataclass(frozen=True, slots=True)
class FilterOptions:
    """What may answer, on which day, and to whom; shared by ``query`` and ``batch``."""

    TITLE: ClassVar[str] = "Filters"

    path: PathOption = None
    tag: TagOption = None
    type_: TypeOption = None
    language: LanguageOption = None
    since: SinceOption = None
    until: UntilOption = None
    where: WhereOption = None
    as_of: AsOfOption = None
    include_expired: IncludeExpiredOption = False
    principal: PrincipalOption = None

    def flags(self) -> dict[str, bool | None]:
        """Those of them that are settings, dotted."""
        return {"query.include_expired": self.include_expired or None}

    def filter(self, settings: Settings) -> "Filter":
        """The filter that they and the settings name."""
        return filter_of(
            settings,
            paths=self.path,
            tags=self.tag,
            types=self.type_,
            languages=self.language,
            since=self.since,
            until=self.until,
            where=self.where,
            as_of=self.as_of,
            principal=self.principal,
        )


def filter_of(
    settings: Settings,
    *,
    principal: str | None,
    paths: list[str] | None = None,
    tags: list[str] | None = None,
    types: list[str] | None = None,
    languages: list[str] | None = None,
    since: str | None = None,
    until: str | None = None,
    where: list[str] | None = None,
    as_of: str | None = None,
) -> "Filter":
    """The filter that flags and settings name."""
    from query.filter import Filter, principal_of

    texts = {"since": since, "until": until, "as-of": as_of}
    lists = {"path": paths, "tag": tags, "type": types, "language": languages}
    _insist({name: [text] for name, text in texts.items() if text is not None} | lists)
    return Filter(
        paths=tuple(paths or ()),
        tags=tuple(tags or ()),
        types=tuple(types or ()),
        languages=tuple(languages or ()),
        since=since or "",
        until=until or "",
        where=tuple(where or ()),
        as_of=as_of or "",
        include_expired=settings.query.include_expired,
        principal=principal_of(principal),
        acl=settings.acl,
    )


def _insist(given: "Mapping[str, list[str] | None]") -> None:
    """A shell variable that was never set must neither widen an answer nor empty it in silence."""
    for name, values in given.items():
        if any(not value.strip() for value in values or ()):
            raise UsageError(f"--{name} is given and empty: give it a value, or leave it out")


def names_for(workspace: "Workspace", principal: str | None) -> "Callable[[str], bool]":
    """Whether who asks may see the name of a file, also of one that could not be read."""
    from index.reader import GenerationReader
    from kb import generations
    from query.filter import may_name

    there = generations.current_folder(workspace.location) is not None
    reader = GenerationReader.open(workspace.location) if there else None
    return may_name(reader, filter_of(workspace.settings, principal=principal))
