"""``tesela graph``: what the documents name, and how it hangs together."""

from cli.graph.build import build, off
from cli.graph.export import export
from cli.graph.names import aliases, merge, split, undo
from cli.graph.path import path
from cli.graph.show import show
from cli.graph.stats import stats
from cli.options import plain_app

app = plain_app()


@app.callback()
def graph() -> None:
    """Keep a graph of what the documents name and how it hangs together.

    Once built, 'tesela sync' keeps it current; what a document gave goes when the document goes.
    """


for command in (build, stats, show, path, export, aliases, merge, split, undo, off):
    app.command()(command)
