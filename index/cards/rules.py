"""Rules that an LLM reads out of a group's cases; who says how many bear them out is us."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from index.cards import rule_prompt
from index.cards.cases import Case, CasesOf, cases, rows_of
from index.cards.counting import Counted
from index.cards.pages import chunk_of
from index.cards.rule_prompt import Rule, Rules, lacks, plain, problem, prompt_of
from index.cards.rule_wording import said
from index.cards.units import Base
from index.derived.base import Making
from kb.digest import digest
from kb.errors import BudgetReached, Unavailable
from kb.models.llm.base import Answer, Failed, Prompt, asked_of
from kb.models.llm.lazily import lazily
from kb.models.llm.llm import Llm
from kb.records import Chunk
from kb.settings import LlmSettings, Settings

_Said = Answer[Rules] | Failed | None  # None: not asked
_LONGEST_NAME = 40


@dataclass(slots=True)
class RuleReport:
    """What asking came to."""

    chunks: list[Chunk] = field(default_factory=list)
    stands_on: list[list[int]] = field(default_factory=list)
    paths: dict[str, list[str]] = field(default_factory=dict)  # by the card's name
    notes: list[str] = field(default_factory=list)
    calls: int = 0
    pending: int = 0
    failed: dict[str, str] = field(default_factory=dict)
    stopped: BudgetReached | Unavailable | None = None


def key(settings: Settings) -> tuple[str, ...]:
    """All that rules depend on besides what is counted; nothing where no card has any."""
    if not any(one.rules for one in settings.cards.counts):
        return ()
    return (str(rule_prompt.VERSION), *map(str, asked_of(settings.llm)))


def is_set(settings: LlmSettings) -> bool:
    """Whether there is an LLM to ask."""
    return bool(settings.url and settings.model)


def wanted(found: Sequence[Counted], base: Base, settings: Settings) -> list[CasesOf]:
    """The groups whose cases are to be read, of those cards that have rules."""
    most = settings.cards
    return [
        group
        for counted in found
        if counted.definition.settings.rules
        for group in cases(counted, base, most.rule_groups, most.rule_cases)
    ]


def plan(asked: Sequence[CasesOf], get: Callable[[], Llm]) -> None:
    """Have an LLM that only plans count what would be asked."""
    for one in asked:
        get().ask(prompt_of(one, get().room), Rules)


def rules(making: Making, base: Base, found: Sequence[Counted]) -> RuleReport:
    """Ask for the rules of all cards; what cannot be asked now is pending."""
    report = RuleReport()
    settings = making.settings
    if not any(counted.definition.settings.rules for counted in found):
        return report
    if not is_set(settings.llm):
        report.notes.append("cards have no rules, because no LLM is set (llm.url, llm.model)")
        return report
    asked = wanted(found, base, settings)
    with lazily(making.location, settings.llm, report.notes.append) as get:
        if asked:
            answers = _answers(making, get(), asked, report)
            report.calls = get().calls
            _take(making, asked, answers, report)
    return report


def _answers(making: Making, llm: Llm, asked: Sequence[CasesOf], report: RuleReport) -> list[_Said]:
    prompts = [prompt_of(one, llm.room) for one in asked]
    of = {prompt: one.cases for prompt, one in zip(prompts, asked, strict=True)}
    answers = _ask(making, llm, prompts, of, report)
    again = [i for i, said_ in enumerate(answers) if isinstance(said_, Failed) and said_.may_pass]
    second = _ask(making, llm, [prompts[i] for i in again], of, report) if again else []
    for i, said_ in zip(again, second, strict=True):
        answers[i] = said_
    return answers


def _ask(
    making: Making,
    llm: Llm,
    prompts: list[Prompt],
    of: dict[Prompt, tuple[Case, ...]],
    report: RuleReport,
) -> list[_Said]:
    if making.wish.ask and report.stopped is None:
        try:
            return [*llm.ask_all(prompts, Rules, check=lambda one, answer: lacks(answer, of[one]))]
        except (BudgetReached, Unavailable) as error:
            report.stopped = error
    return [llm.known(one, Rules) for one in prompts]


def _take(
    making: Making, asked: Sequence[CasesOf], answers: Sequence[_Said], report: RuleReport
) -> None:
    count = making.embedder.tokenizer.count
    for one, answer in zip(asked, answers, strict=True):
        name = one.counted.definition.name
        path = _path(name, one.group.values, {chunk.path for chunk in report.chunks})
        making.progress("rules", 1)
        if answer is None:
            report.pending += 1
            continue
        good = _good(answer, one.cases)
        if not good:
            report.failed[path] = _why(answer, one.cases)
            continue
        rows = rows_of(one.cases)
        leaves = tuple(making.table[row].id for row in rows)
        words = said(one, good)
        text = "\n".join((words.head, *words.lines))
        report.chunks.append(chunk_of(path, text, words, leaves, one.counted.language, count))
        report.stands_on.append(list(one.group.rows))  # it says how many there are
        report.paths.setdefault(name, []).append(path)


def _good(answer: Answer[Rules] | Failed, given: Sequence[Case]) -> list[Rule]:
    """The rules that hold to what was asked; an answer that never did may have some."""
    if isinstance(answer, Failed):
        return []
    found: dict[str, Rule] = {}
    for rule in answer.value.rules:
        if not problem(rule, given):
            found.setdefault(plain(f"{rule.when} {rule.then}").casefold(), rule)
    return list(found.values())[: rule_prompt.MOST_RULES]


def _why(answer: Answer[Rules] | Failed, given: Sequence[Case]) -> str:
    reason = answer.reason if isinstance(answer, Failed) else lacks(answer.value, given)
    return f"no rules by the LLM, the counts stand alone: {reason}"


def _path(name: str, values: Sequence[str], taken: set[str]) -> str:
    """``card:NAME/rules-VALUE``, the value written so that a shell takes it."""
    plain_name = "-".join("".join(c if c.isalnum() else " " for c in "-".join(values)).split())
    path = f"card:{name}/rules-{plain_name[:_LONGEST_NAME].lower() or digest(*values)[:8]}"
    return path if path not in taken else f"{path}-{digest(*values)[:8]}"
