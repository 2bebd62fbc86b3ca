"""Calls left with a provider's batch service: what was sent is written down before it is sent."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

import msgspec

from kb.digest import digest
from kb.durable import replace_file
from kb.errors import TeselaError
from kb.location import Location
from kb.models.http_errors import Failure
from kb.models.llm.base import Call, Prompt
from kb.models.llm.batch_services import BatchService
from kb.models.llm.llm import Llm

_MOST_CALLS = 5_000  # of one batch; providers take ten times as many
_MOST_BYTES = 50 << 20


class Sent(msgspec.Struct):
    """One batch."""

    mark: str
    to: str  # model and address
    when: str  # ISO 8601
    calls: dict[str, int]  # cache key → ledger entry
    id: str = ""  # "": it was about to be sent


@dataclass(slots=True)
class Collected:
    """What fetching came to."""

    answers: int = 0
    unusable: int = 0
    running: int = 0  # batches
    missing: int = 0  # calls that the provider did not make


class Batches:
    """The batches of a KB. Use it under the writer's lock.

    Args:
        location: of the KB.
        llm: whose cache takes the answers.
        service: of its provider.
    """

    def __init__(self, location: Location, llm: Llm, service: BatchService) -> None:
        self._file = location.batches
        self._llm = llm
        self._service = service
        self.sent = _load(location)
        self._waiting: dict[str, Call] = {}
        self._bytes = 0
        self._recover()

    def add(self, prompt: Prompt) -> bool:
        """Have a prompt asked for plain text; False where it is answered or under way.

        Raises:
            BudgetReached: a cap is too near.
        """
        key, call = self._llm.call_of(prompt, str)
        under_way = any(key in batch.calls for batch in self.sent)
        if under_way or key in self._waiting or self._llm.known(prompt, str) is not None:
            return False
        self._llm.spending.set_aside(call)
        self._waiting[key] = call
        self._bytes += len(prompt.text)
        if len(self._waiting) >= _MOST_CALLS or self._bytes >= _MOST_BYTES:
            self.flush()
        return True

    def flush(self) -> None:
        """Send what was added."""
        if not self._waiting:
            return
        waiting, self._waiting, self._bytes = self._waiting, {}, 0
        entries = {key: self._llm.spending.leave(call) for key, call in waiting.items()}
        when = datetime.now().astimezone().isoformat(timespec="seconds")
        batch = Sent(digest(*waiting, when), self._llm.name, when, entries)
        self.sent.append(batch)
        self._save()  # a batch that was sent and is not written down would be paid twice
        try:
            batch.id = self._service.send(waiting, batch.mark)
        except TeselaError:
            self._recover()
            raise
        self._save()

    def collect(self, check: Callable[[str], str]) -> Collected:
        """Fetch the answers of all batches that are done into the cache."""
        found = Collected()
        for batch in list(self.sent):
            if batch.to != self._llm.name or not self._service.done(batch.id):
                found.running += 1
                continue
            left = dict(batch.calls)
            for key, answer in self._service.answers(batch.id):
                entry = left.pop(key, None)
                if entry is None:
                    continue
                if isinstance(answer, Failure):
                    self._llm.spending.strike(entry)
                    found.unusable += 1
                    continue
                self._llm.spending.arrive(entry, answer)
                kept = self._llm.take(key, answer, check)
                found.answers += kept
                found.unusable += not kept
            for entry in left.values():
                self._llm.spending.strike(entry)
            found.missing += len(left)
            self.sent.remove(batch)
            self._save()
        return found

    def _recover(self) -> None:
        """Find out whether a batch whose sending was cut off has arrived."""
        for batch in [b for b in self.sent if not b.id and b.to == self._llm.name]:
            batch.id = self._service.find(batch.mark, len(batch.calls)) or ""
            if not batch.id:
                for entry in batch.calls.values():
                    self._llm.spending.strike(entry)
                self.sent.remove(batch)
            self._save()

    def _save(self) -> None:
        if self.sent:
            replace_file(self._file, msgspec.json.encode(self.sent))
        else:
            self._file.unlink(missing_ok=True)


def _load(location: Location) -> list[Sent]:
    try:
        raw = location.batches.read_bytes()
    except FileNotFoundError:
        return []
    try:
        return msgspec.json.decode(raw, type=list[Sent])
    except msgspec.DecodeError as error:
        raise TeselaError(
            f"{location.batches} is damaged: move it away; what the provider was left with is lost"
        ) from error
