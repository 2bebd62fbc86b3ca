"""What is asked of an LLM, what comes back, and what every client promises."""

from base64 import b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, Literal, Protocol, TypeVar

from kb.models.http_errors import Failure
from kb.settings import LlmSettings

NO_LLM = (
    "this needs an LLM, and none is set: name one with --llm URL --llm-model NAME, or set llm.url "
    "and llm.model in tesela.toml"
)
T = TypeVar("T")
Schema = Mapping[str, Any]
Tell = Callable[[str], None]  # is given all of an answer's text so far, each time there is more


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of the user's message."""

    text: str
    lasting: bool = False  # many prompts begin with it: the provider may keep it up to here


@dataclass(frozen=True, slots=True)
class Picture:
    """An image that a model is to look at."""

    data: bytes  # the encoded file
    media: str  # its type, e.g. image/jpeg
    width: int  # pixels
    height: int

    @property
    def base64(self) -> str:
        """As both wire formats carry it."""
        return b64encode(self.data).decode("ascii")


@dataclass(frozen=True, slots=True)
class Prompt:
    """One thing to ask. What is the same in many prompts comes first."""

    stage: str  # what the ledger files it under
    version: str  # raised when its answer is read in another way
    system: str
    blocks: tuple[Block, ...]
    max_output: int  # tokens
    pictures: tuple[Picture, ...] = ()  # shown before the blocks

    @property
    def text(self) -> str:
        """All of it."""
        return "\n".join((self.system, *(block.text for block in self.blocks)))


@dataclass(frozen=True, slots=True)
class Call:
    """A prompt as it is sent."""

    prompt: Prompt
    schema: Schema | None  # None: the answer is plain text
    max_output: int
    extra: str = ""  # said after the prompt, when it is asked again


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call."""

    prompt: int  # all that was read
    completion: int
    cached: int = 0  # of `prompt`: from the provider's cache
    written: int = 0  # of `prompt`: put into it


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer as the server gave it."""

    text: str
    finish: Literal["stop", "length", "refused"]
    usage: Usage | None  # None: the server does not count


@dataclass(frozen=True, slots=True)
class Answer(Generic[T]):
    """A checked answer."""

    value: T
    whole: bool = True  # False: it was cut, and this is what could be read; it is not cached
    cached: bool = False


@dataclass(frozen=True, slots=True)
class Failed:
    """Why there is no answer. The run goes on without it."""

    reason: str
    may_pass: bool = False  # asked later, it may well be answered


def asked_of(settings: LlmSettings) -> tuple[object, ...]:
    """What of the settings an answer depends on."""
    return (settings.kind, settings.url, settings.model, settings.temperature, settings.seed)


class LlmClient(Protocol):
    """A way to talk to a server; safe to call from several threads."""

    def __init__(self, settings: LlmSettings) -> None:
        """Keep what is needed; connect to nothing.

        Raises:
            UsageError: no usable address, or a key that cannot be sent.
        """

    @property
    def name(self) -> str:
        """For messages: model and bare address."""
        ...

    @property
    def host(self) -> str:
        """Of the server; prices go by it."""
        ...

    @property
    def url(self) -> str:
        """The endpoint's full address, without credentials."""
        ...

    def send(self, call: Call) -> Reply | Failure:
        """One try. What the endpoint does not know (schemas, a seed …) is left out from then on."""
        ...

    def stream(self, call: Call, tell: Tell) -> Reply | Failure:
        """As `send`, with the text told as it comes; what a server sends in one piece is not told."""
        ...

    def close(self) -> None:
        """Close connections."""
        ...
