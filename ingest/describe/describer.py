"""Has a document's pictures described by the LLM of the settings, as far as it goes."""

from collections.abc import Callable
from dataclasses import dataclass

from ingest.describe.insert import described
from ingest.describe.prompt import lacking, prompt_of, says_nothing
from ingest.look.shown import Shown
from ingest.parse.pdf.with_ocr import listed
from kb.errors import BudgetReached, TeselaError, Unavailable
from kb.models.llm.base import Answer
from kb.models.llm.llm import Llm
from kb.records import Document
from kb.settings import Settings

NO_MODEL = (
    'parse.multimodal = "native" has a vision model describe pictures, and none is set: set llm.url '
    'and llm.model in tesela.toml, or parse.multimodal to "extract"'
)
_PASSING = "; the next sync asks again"
_LASTING = "; 'tesela sync --retry' asks again"


@dataclass(frozen=True, slots=True)
class Described:
    """A document with what could be said of its pictures."""

    document: Document
    pages: tuple[int, ...] = ()  # that a model has described
    missing: tuple[int, ...] = ()  # that are still to be described
    problem: str = ""  # why pages have no description, in words; "" also where the run had to stop
    may_pass: bool = True  # another run may well bring what is missing
    warnings: tuple[str, ...] = ()

    @property
    def whole(self) -> bool:
        """Whether nothing is missing."""
        return not self.missing


class Describer:
    """Asks until a cap is near or the service is down; what is asked no more keeps its text.

    Args:
        llm: opens the LLM when it is first needed.
        model: its name, which stands in each description.
    """

    def __init__(self, llm: Callable[[], Llm], model: str) -> None:
        self._llm = llm
        self._model = model
        self._asked = False
        self.ended: TeselaError | None = None  # why nothing more is asked in this run

    @property
    def calls(self) -> int:
        """How many calls the run has made so far, for whatever it asks."""
        return self._llm().calls if self._asked else 0

    def describe(self, document: Document, shown: Shown) -> Described:
        """`document` with descriptions of what it shows."""
        warnings = _warnings(shown)
        if not shown.views:
            return Described(document, warnings=warnings)
        everything = tuple(view.page for view in shown.views)
        if self.ended is not None:
            return Described(document, missing=everything, warnings=warnings)
        known = _text_of(document)
        prompts = [
            prompt_of(view, known.get(view.page, ""), document.title, document.language)
            for view in shown.views
        ]
        self._asked = True
        try:
            answers = self._llm().ask_all(prompts, str, check=lacking)
        except (BudgetReached, Unavailable) as error:
            self.ended = error
            return Described(document, missing=everything, warnings=warnings)
        said: dict[int, str] = {}
        failed: dict[int, str] = {}
        may_pass = False
        for page, answer in zip(everything, answers, strict=True):
            if not isinstance(answer, Answer):
                failed[page] = answer.reason
                may_pass |= answer.may_pass
            elif not answer.whole:
                failed[page] = lacking(prompts[0], answer.value)
            elif not says_nothing(answer.value):
                said[page] = answer.value
        return Described(
            described(document, said, self._model),
            tuple(said),
            tuple(failed),
            _problem(failed, may_pass=may_pass),
            may_pass,
            warnings,
        )


def describer_of(settings: Settings, llm: Callable[[], Llm] | None) -> Describer | None:
    """Who describes; None where the settings have nothing described.

    Raises:
        Unavailable: they do, and there is no LLM.
    """
    if settings.parse.multimodal != "native":
        return None
    if llm is None or not (settings.llm.url and settings.llm.model):
        raise Unavailable(NO_MODEL)
    return Describer(llm, settings.llm.model)


def _text_of(document: Document) -> dict[int, str]:
    known: dict[int, list[str]] = {}
    for element in document.elements:
        known.setdefault(element.page or 1, []).append(document.text[element.start : element.end])
    return {page: "\n".join(texts) for page, texts in known.items()}


def _problem(failed: dict[int, str], *, may_pass: bool) -> str:
    if not failed:
        return ""
    reasons = "; ".join(dict.fromkeys(failed.values()))
    return f"{listed(list(failed))} not described: {reasons}{_PASSING if may_pass else _LASTING}"


def _warnings(shown: Shown) -> tuple[str, ...]:
    found = [f"not described: {text}" for text in shown.broken]
    if shown.left_out:
        pages = "1 more page" if shown.left_out == 1 else f"{shown.left_out:,} more pages"
        looked_at = len(shown.views) + len(shown.broken)
        found.append(
            f"{pages} with pictures not described: parse.describe_pages = {looked_at} allows no more"
        )
    return tuple(found)
