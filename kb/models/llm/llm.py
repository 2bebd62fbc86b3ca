"""An LLM as the stages use it: each thing is asked once, checked, kept, counted, and within the caps."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from threading import BoundedSemaphore, Event, Lock
from typing import Generic, TypeVar

import msgspec

from kb.digest import digest, sha256_bytes
from kb.errors import Unavailable
from kb.models.http_errors import Failure
from kb.models.http_post import CallFailed, Patience, patiently
from kb.models.llm.base import Answer, Call, Failed, LlmClient, Prompt, Reply, Tell
from kb.models.llm.budget import Allowance
from kb.models.llm.cache import AnswerCache
from kb.models.llm.counting import estimate
from kb.models.llm.flights import Flights
from kb.models.llm.pace import Pace
from kb.models.llm.plan import Plan
from kb.models.llm.spending import Spending
from kb.models.llm.structured import UnreadableError, read, salvage, schema_of
from kb.settings import LlmSettings

T = TypeVar("T")
Check = Callable[[Prompt, T], str]
_PAID_TRIES = 2  # at a request whose answers get lost: each may be charged
_STRIKES = 3  # requests in a row that a service may fail before it is taken to be down


@dataclass(frozen=True, slots=True)
class _Job(Generic[T]):
    form: type[T]
    allowance: Allowance | None
    check: Check[T] | None
    tell: Tell | None = None


@dataclass(frozen=True, slots=True)
class _Judged(Generic[T]):
    value: T | None
    problem: str


class Llm:
    """Shared by threads. `close` it.

    Args:
        client: how to talk to the server.
        settings: bounds and parameters.
        cache: None: nothing is kept.
        spending: ledger and caps.
        patience: how failures that may pass are tried again.
        plan: count what would be asked, and ask nothing.
    """

    def __init__(
        self,
        client: LlmClient,
        settings: LlmSettings,
        cache: AnswerCache | None,
        spending: Spending,
        patience: Patience | None = None,
        plan: Plan | None = None,
    ) -> None:
        self._client = client
        self._settings = settings
        self._cache = cache
        self._spending = spending
        self._stop = Event()
        self._patience = replace(patience or Patience(), sleep=self._sleep)
        self._pace = Pace(
            settings.requests_per_minute, settings.tokens_per_minute, sleep=self._sleep
        )
        self._slots = BoundedSemaphore(settings.concurrency)
        self._lock = Lock()
        self._flights = Flights()
        self._strikes = 0
        self._closed = False
        self._wordy: set[str] = set()  # stages
        self.plan = plan

    @property
    def name(self) -> str:
        """Model and address."""
        return self._client.name

    @property
    def spent_in_words(self) -> str:
        """What the run has cost so far; "" where nothing was asked."""
        return self._spending.in_words

    @property
    def calls(self) -> int:
        """How many calls the run has made so far."""
        return self._spending.budget.calls

    @property
    def cost(self) -> dict[str, int | float | None]:
        """Of the run so far: calls, tokens, dollars (None: unknown), and answers from the cache."""
        return self._spending.in_numbers

    @property
    def room(self) -> int:
        """Tokens that a prompt may have, so that its answer still fits the model's window."""
        window = self._settings.context_window
        return max(window - self._settings.max_output, window // 2)

    def ask(
        self,
        prompt: Prompt,
        form: type[T],
        allowance: Allowance | None = None,
        check: Check[T] | None = None,
    ) -> Answer[T] | Failed:
        """One answer. See `ask_all`."""
        return self.ask_all([prompt], form, allowance, check)[0]

    def write(self, prompt: Prompt, tell: Tell | None = None) -> Answer[str] | Failed:
        """A text, told as it comes: `tell` has all of it so far each time.

        After a fault it begins anew, and then what is told does not begin with what was told before.
        An answer from the cache is not told, and of one that was told and cut what there is counts.
        Raises as `ask_all`.
        """
        job: _Job[str] = _Job(str, None, None, tell)
        try:
            return self._once_each(prompt, job)
        except KeyboardInterrupt:
            self._stop.set()
            self._spending.budget.stop()
            raise

    def ask_all(
        self,
        prompts: Sequence[Prompt],
        form: type[T],
        allowance: Allowance | None = None,
        check: Check[T] | None = None,
    ) -> list[Answer[T] | Failed]:
        """The answer to each prompt, in order; several are under way at once.

        An interrupt waits for the calls that are under way, whose answers are paid for, and keeps
        them; a second one does not wait.

        Args:
            prompts: what to ask.
            form: a Struct, or str for plain text.
            allowance: how many calls are left to whoever asks; answers from the cache need none.
            check: what an answer of the right form still lacks, "" for nothing. What lacks something
                is asked once more, and then given as it is, not whole and not cached.

        Raises:
            BudgetReached: a cap of the run is too near.
            Unavailable: the service refuses all calls, or is down.
        """
        job = _Job(form, allowance, check)
        with ThreadPoolExecutor(max(1, min(len(prompts), self._settings.concurrency))) as pool:
            futures = [pool.submit(self._once_each, prompt, job) for prompt in prompts]
            try:
                return [future.result() for future in futures]
            except BaseException as error:
                if isinstance(error, KeyboardInterrupt):
                    self._stop.set()
                    self._spending.budget.stop()
                pool.shutdown(cancel_futures=True)
                raise

    @property
    def client(self) -> LlmClient:
        """How the server is talked to."""
        return self._client

    @property
    def spending(self) -> Spending:
        """The run's budget and ledger."""
        return self._spending

    def call_of(self, prompt: Prompt, form: type[T]) -> tuple[str, Call]:
        """Under which key the answer to a prompt is kept, and the call that brings it."""
        call = self._call(prompt, form)
        return self._key(call), call

    def take(self, key: str, reply: Reply, check: Callable[[str], str]) -> bool:
        """Keep a plain answer that came another way; False where it cannot be used."""
        text = reply.text.strip()
        if reply.finish != "stop" or not text or check(text):
            return False
        self._keep(key, text)
        return True

    def known(self, prompt: Prompt, form: type[T]) -> Answer[T] | None:
        """The answer that is in the cache, which no ledger counts; None where there is none."""
        return self._found(self._key(self._call(prompt, form)), form)

    def close(self) -> None:
        """Write what is still to be written, and close connections and files; once is enough."""
        with self._lock:
            closed, self._closed = self._closed, True
        if closed:
            return
        self._client.close()
        self._spending.close()
        if self._cache is not None:
            self._cache.close()

    def _once_each(self, prompt: Prompt, job: "_Job[T]") -> Answer[T] | Failed:
        """What is being asked already is waited for."""
        call = self._call(prompt, job.form)
        key = self._key(call)
        return self._flights.join(key, lambda: self._answer(call, key, job))

    def _call(self, prompt: Prompt, form: type[T]) -> Call:
        most = self._settings.max_output
        return Call(
            prompt,
            None if form is str else schema_of(form),
            most if prompt.stage in self._wordy else min(prompt.max_output, most),
        )

    def _answer(self, call: Call, key: str, job: "_Job[T]") -> Answer[T] | Failed:
        if (found := self._cached(call, key, job.form)) is not None:
            return found
        tokens = estimate(call)
        if tokens + call.max_output > self._settings.context_window:
            return Failed(
                f"the prompt has about {tokens:,} tokens, and with {call.max_output:,} for the "
                f"answer the model's window has {self._settings.context_window:,} "
                "(llm.context_window)"
            )
        if self.plan is not None:
            self.plan.add(*self._spending.foreseen(call, tokens))
            return Failed("only planned")
        if self._cache is None:
            return self._asked(call, key, job)
        with self._cache.claim(key, self._sleep):
            found = self._cached(call, key, job.form)  # another process may have asked meanwhile
            return found or self._asked(call, key, job)

    def _cached(self, call: Call, key: str, form: type[T]) -> Answer[T] | None:
        answer = self._found(key, form)
        if answer is not None:
            self._spending.free(call.prompt.stage)
        return answer

    def _found(self, key: str, form: type[T]) -> Answer[T] | None:
        text = self._cache.get(key) if self._cache is not None else None
        if text is None:
            return None
        try:
            value = _read(text, form)
        except UnreadableError:  # written by another version
            return None
        return Answer(value, cached=True)

    def _asked(self, call: Call, key: str, job: "_Job[T]") -> Answer[T] | Failed:
        """Ask, and once more where the answer cannot be read."""
        problem = ""
        saved: T | None = None
        for _ in range(2):
            reply = self._reply(call, job)
            if isinstance(reply, Failed):
                return reply if saved is None else Answer(saved, whole=False)
            if reply.finish == "refused":
                return Failed("the model will not answer")
            judged = self._judged(call, reply, job)
            if judged.problem and job.tell is not None and reply.text.strip():
                return Answer(reply.text.strip(), whole=False)  # type: ignore[arg-type]
            if judged.value is not None and not judged.problem:
                self._keep(key, judged.value)
                return Answer(judged.value)
            saved = saved if judged.value is None else judged.value
            problem = judged.problem
            call = self._again(call, problem)
        unusable = Failed(f"unusable twice: {problem}", may_pass=True)
        return unusable if saved is None else Answer(saved, whole=False)

    def _judged(self, call: Call, reply: Reply, job: "_Job[T]") -> "_Judged[T]":
        """What an answer says, as far as it can be read, and what is wrong with it."""
        if reply.finish == "length":
            # such a model thinks aloud: from now on all of the stage gets all the room there is
            self._wordy.add(call.prompt.stage)
            saved = None if job.form is str else salvage(reply.text, job.form)
            return _Judged(saved, f"it was cut at {call.max_output:,} tokens")
        try:
            value = _read(reply.text, job.form)
        except UnreadableError as error:
            saved = None if job.form is str else salvage(reply.text, job.form)
            return _Judged(saved, str(error))
        return _Judged(value, job.check(call.prompt, value) if job.check else "")

    def _again(self, call: Call, problem: str) -> Call:
        """The form is told in words, too: some servers take a schema and leave it unread."""
        form = "plain text"
        if call.schema is not None:
            schema = msgspec.json.encode(call.schema).decode()
            form = f"JSON of the form asked for, and nothing else. Its JSON Schema: {schema}"
        return replace(
            call,
            max_output=self._settings.max_output,
            extra=f"An earlier answer to this could not be used: {problem}. Answer with {form}",
        )

    def _reply(self, call: Call, job: "_Job[T]") -> Reply | Failed:
        allowance = job.allowance
        if allowance is not None and not allowance.take():
            return Failed("no more calls for this question (query.max_calls)")
        lost = 0

        def once() -> Reply | Failure:
            nonlocal lost
            reply = self._try(call, job.tell)
            if isinstance(reply, Failure) and reply.perhaps_billed:
                lost += 1
                return replace(reply, transient=reply.transient and lost < _PAID_TRIES)
            return reply

        try:
            reply = patiently(once, self._client.url, self._patience)
        except CallFailed as error:
            return self._gave_up(error)
        self._strikes = 0
        return reply

    def _try(self, call: Call, tell: Tell | None) -> Reply | Failure:
        with self._slots:
            if self._stop.is_set():
                raise KeyboardInterrupt
            self._pace.wait(estimate(call) + call.max_output)
            if tell is None:
                return self._spending.spend(call, lambda: self._client.send(call))
            return self._spending.spend(call, lambda: self._client.stream(call, tell))

    def _gave_up(self, error: CallFailed) -> Failed:
        """A failure of this one request is told; of the service, it ends the run."""
        if error.failure.of_request:
            return Failed(str(error))
        self._strikes += 1
        failure = error.failure
        reached = bool(failure.status) or failure.perhaps_billed
        passing = reached and (failure.transient or failure.perhaps_billed)
        if passing and self._strikes < _STRIKES:
            return Failed(str(error), may_pass=True)
        key = "; llm.key_env names the variable that holds it"
        hint = key if failure.status in (401, 403) else ""
        raise Unavailable(f"the LLM: {error}{hint}") from error

    def _keep(self, key: str, value: object) -> None:
        if self._cache is not None:
            text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
            self._cache.put(key, text)

    def _key(self, call: Call) -> str:
        settings, prompt = self._settings, call.prompt
        asked = (
            settings.kind,
            self._client.url,
            settings.model,
            settings.temperature,
            settings.seed,
            call.schema,
            prompt.stage,
            prompt.version,
            prompt.system,
            [block.text for block in prompt.blocks],
        )
        seen = [part for p in prompt.pictures for part in (p.media, sha256_bytes([p.data]))]
        return digest("llm/1", msgspec.json.encode(asked), *seen)

    def _sleep(self, seconds: float) -> None:
        if self._stop.wait(seconds):
            raise KeyboardInterrupt


def _read(text: str, form: type[T]) -> T:
    if form is not str:
        return read(text, form)
    if not text.strip():
        raise UnreadableError("it is empty")
    return text.strip()  # type: ignore[return-value]
