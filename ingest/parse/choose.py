"""Which parser reads a file, by its bytes, its name and the settings."""

import importlib.util

from ingest.parse.sniff import choose_parser
from ingest.parse.unstructured.formats import OLE, format_of
from kb.errors import ParseError
from kb.settings import ParseSettings

UNSTRUCTURED = "unstructured"  # its name in the registry, and the package's


def parser_for(data: bytes, name: str, settings: ParseSettings) -> str:
    """The registry name of the parser for a whole file.

    The package unstructured reads what the settings say it should; where it is installed, also old
    Office files, for which we have no parser.

    Raises:
        ParseError: there is no parser for it; the message says what the file seems to be.
    """
    wanted = settings.engine == UNSTRUCTURED
    try:
        native = choose_parser(name, data)
    except ParseError:
        alone = data.startswith(OLE) and importlib.util.find_spec(UNSTRUCTURED) is not None
        if (wanted or alone) and format_of(data, "") is not None:
            return UNSTRUCTURED
        raise
    return UNSTRUCTURED if wanted and format_of(data, native) is not None else native
