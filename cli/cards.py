"""What ``tesela summarize`` does: keeps definitions, has them counted, reads what there is."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from cli import ran, say
from cli.cards_view import Form, show
from cli.filtering import filter_of
from cli.progress import progress
from cli.workspace import Workspace, looking, writing
from kb.errors import UsageError
from kb.settings import CountSettings

if TYPE_CHECKING:
    from index.build import BuildReport
    from index.cards.saved import SavedCard
    from index.reader import GenerationReader
    from kb.models.llm.plan import Plan
    from query.filter.apply import Mask

_KEY = "cards.counts"


def count_settings(given: Mapping[str, Any]) -> CountSettings:
    """A definition from flags; those that are None were not given.

    Raises:
        UsageError: it cannot be read.
    """
    from index.cards.definition import definition

    try:
        made = msgspec.convert({k: v for k, v in given.items() if v is not None}, CountSettings)
    except msgspec.ValidationError as error:
        if "$.name" in str(error):
            raise UsageError(
                f"--name {given['name']!r}: a card's name is of letters, digits, '_', '.' and '-', 60 at "
                "most, the first a letter or a digit"
            ) from error
        raise UsageError(f"this cannot be counted: {error}") from error
    definition(made)
    return made


def default_name(fields: Sequence[str]) -> str:
    """What a card is called that nobody named: its fields."""
    import re

    name = re.sub(r"[^\w.-]+", "-", "-".join(fields)).strip("-._")[:60]
    if not name:
        raise UsageError(f"no name can be made of {', '.join(fields)}: give one (--name)")
    return name


def with_count(
    there: Sequence[CountSettings], new: CountSettings, *, named: bool
) -> list[CountSettings]:
    """The definitions with a new one, which takes the place of one of its name.

    Raises:
        UsageError: nobody named the new one, and another has its name.
    """
    same = [one for one in there if one.name == new.name]
    if same and same[0] != new and not named:
        raise UsageError(
            f"card {new.name!r} is there and counts something else: give this one a name (--name), "
            f"or --name {new.name} to replace it"
        )
    return [new if one.name == new.name else one for one in there] + ([] if same else [new])


def without_count(there: Sequence[CountSettings], name: str) -> list[CountSettings]:
    """The definitions without one of them.

    Raises:
        UsageError: there is none of that name.
    """
    bare = name.removeprefix("card:")
    if bare not in {one.name for one in there}:
        known = ", ".join(one.name for one in there)
        has = f"there are: {known}" if known else "there is none"
        raise UsageError(f"no card {bare!r}; {has}")
    return [one for one in there if one.name != bare]


def as_flags(counts: Sequence[CountSettings]) -> dict[str, Any]:
    """Definitions as a dotted setting, without what is as by default."""
    return {
        _KEY: [
            {
                key: value
                for key, value in msgspec.to_builtins(one).items()
                if value != getattr(CountSettings(name="default"), key)
                and not (isinstance(value, list) and not value)
            }
            for one in counts
        ]
    }


def build(
    workspace: Workspace,
    counts: Sequence[CountSettings],
    kept: Mapping[str, Any],
    wait: float,
    *,
    retry: bool = False,
) -> "BuildReport":
    """Index with `counts` in force, and keep them, and `kept`, once that is published.

    `retry`: an LLM is asked again for the rules that it failed to give.
    """
    from index.sync import index_documents
    from ingest.contextualize.wish import Wish
    from kb.configure import save_settings

    flags = {**workspace.flags, **as_flags(counts)}
    chosen = Workspace(workspace.location, workspace.settings, flags, workspace.sets)
    chosen.reload()
    with writing(chosen, wait) as store, progress() as advance:
        report = index_documents(
            chosen.location,
            store,
            chosen.settings,
            chosen.embedder,
            advance,
            wish=Wish(retry=retry, only="cards"),
        )
        given = {key: value for key, value in kept.items() if value is not None}
        save_settings(chosen.location.settings, {**as_flags(counts), **given})
    for text in report.notes:
        say.note(text)
    say.note(ran.build_summary(report))
    return report


def count_now(
    workspace: Workspace, new: CountSettings, plan: "Plan | None" = None
) -> "SavedCard | None":
    """What is to be counted, as far as it is indexed already; None where nothing is.

    Args:
        workspace: of the KB.
        new: what is to be counted.
        plan: takes in what an LLM would be asked for rules.

    Raises:
        UsageError: nothing has the fields; it names those that there are.
    """
    from index.cards import rules
    from index.cards.counting import counted
    from index.cards.definition import definition
    from index.cards.known import known_fields
    from index.cards.make import nothing_found
    from index.cards.saved import saved
    from index.cards.units import Base
    from index.reader import GenerationReader
    from kb import generations
    from kb.models.llm.lazily import lazily

    settings = workspace.settings
    if generations.current_folder(workspace.location) is None:
        return None
    table = GenerationReader.open(workspace.location).chunks
    with looking(workspace) as store:
        base = Base(table, store, settings.parse.json_title)
        found = counted(definition(new), base)
        if not found.groups:
            fields = ", ".join(known_fields(found.definition, base))
            raise UsageError(f"{nothing_found(found)}; fields there are: {fields}")
        if new.value and found.numbers is None:
            raise UsageError(
                f"card {new.name}: none of {found.total:,} {new.of} has a number in {new.value!r} "
                "(--value); leave it out, or name a field of numbers"
            )
        if plan is not None:
            with lazily(workspace.location, settings.llm, say.note, plan) as llm:
                rules.plan(rules.wanted([found], base, settings), llm)
    return saved(found, ())


def preview(workspace: Workspace, new: CountSettings, form: Form | None) -> None:
    """Print what a card would say, and what an LLM would be asked; nothing is written."""
    from kb.models.llm.plan import Plan

    plan = Plan() if new.rules else None
    card = count_now(workspace, new, plan)
    show([card] if card else [], form, {}, None)
    if plan is not None:
        say.note(plan.in_words)


def show_cards(
    workspace: Workspace, form: Form | None, principal: str | None, names: Sequence[str] = ()
) -> None:
    """Print the cards of the current generation that `principal` may see.

    Args:
        workspace: of the KB.
        form: of the output; None: what suits where it goes.
        principal: who asks.
        names: of the cards; all of them by default.
    """
    from index.cards import saved
    from index.cards.derivation import Cards
    from index.reader import GenerationReader

    reader = GenerationReader.open(workspace.location)
    folder = reader.folder / Cards.name
    if Cards.name not in reader.manifest.components:
        say.note("there are no cards: tesela summarize --group-by FIELD makes one")
        show([], form, {}, reader.manifest.number)
        return
    with reader.blaming_damage():
        cards = [card for card in saved.read(folder) if not names or card.name in names]
        cards = _open_to(reader, workspace, principal, cards)
        show(cards, form, saved.texts(folder), reader.manifest.number)


def _open_to(
    reader: "GenerationReader",
    workspace: Workspace,
    principal: str | None,
    cards: "Sequence[SavedCard]",
) -> "list[SavedCard]":
    from query.filter import readable, rows

    asked = filter_of(workspace.settings, principal=principal)
    may_read = _paths(reader, readable(reader, asked))
    holds = _paths(reader, rows(reader, asked))
    shown = []
    for card in cards:
        if card.paths[0] not in may_read:
            say.note(
                f"card:{card.name} counts documents that whoever asks may not read (--principal); "
                "--where 'not exists(acl)' counts those that name no readers"
            )
            continue
        if card.paths[0] not in holds:
            say.note(
                f"card:{card.name} counts documents that do not hold today, so that questions of "
                "today do not meet it: --as-of today counts those that do"
            )
        shown.append(card)
    return shown


def _paths(reader: "GenerationReader", live: "Mask | None") -> set[str]:
    """Of the cards that a mask of leaves lets through."""
    from index.derived.joined import JoinedReader

    both = JoinedReader(reader)
    mask = both.mask(live, ("card",))
    return {both.chunks[int(row)].path for row in mask.nonzero()[0]}
