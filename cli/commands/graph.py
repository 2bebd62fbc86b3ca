"""``tesela graph``: what the documents name, and how it hangs together."""

from cli.graph.export import export
from cli.graph.path import path
from cli.graph.show import show
from cli.options import plain_app

app = plain_app()


@app.callback()
def graph() -> None:
    """See what the documents name and how it hangs together."""


for command in (show, path, export):
    app.command()(command)
