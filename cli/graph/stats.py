"""``tesela graph stats``: what the graph holds."""

from typing import Annotated, Literal

import typer

from cli import say
from cli.graph.opening import open_graph
from cli.options import GenerationOption, KbOption


def stats(
    form: Annotated[Literal["text", "json"], typer.Option("--format")] = "text",
    generation: GenerationOption = None,
    kb: KbOption = None,
) -> None:
    """Say what the graph holds, and what is not to be expected of it."""
    from index.graph.reader import in_words
    from index.graph.stats import stats as stats_of

    with open_graph(kb, generation, None) as seen:
        facts, found = seen.graph.facts, stats_of(seen.graph)
    if form == "json":
        say.data_json(found)
        return
    say.data(in_words(facts))
    for kind, number in found["types"].items():
        say.data(f"  {kind or 'of no known type'}: {number:,}")
    if found["parts"]:
        say.data(
            f"{say.count(found['parts'], 'part that hangs', 'parts that hang')} together, the largest of "
            f"{say.count(found['largest'], 'entity', 'entities')}; "
            f"{say.count(found['alone'], 'entity is', 'entities are')} related to nothing"
        )
    for name in ("failed", "pending"):
        if found[name]:
            said = {
                "failed": "an LLM said nothing of",
                "pending": "an LLM is still to be asked about",
            }
            say.data(f"{said[name]} {say.count(found[name], 'chunk')}; rules stand in")
