"""Every error a user can meet, each with the exit code the shell sees (DESIGN: exit codes)."""


class TeselaError(Exception):
    """Something went wrong that the user can act on; the message says how."""

    exit_code = 1


class UsageError(TeselaError):
    """Wrong usage or settings, found before any work."""

    exit_code = 2


class PartialFailure(TeselaError):
    """The work is done and committed, but some documents or queries failed."""

    exit_code = 3


class BudgetReached(TeselaError):
    """The next call to an LLM might pass a cap; what was paid for is kept."""

    exit_code = 4


class Locked(TeselaError):
    """Another writer holds the knowledge base."""

    exit_code = 5


class Unavailable(TeselaError):
    """A model, an extra or a service is not available."""

    exit_code = 6


class OtherModel(Unavailable):
    """The index was made with another model than the one that is to query it."""


class NoHits(TeselaError):
    """Nothing was found and ``--require-hits`` asked for something."""

    exit_code = 7


class ParseError(TeselaError):
    """One document could not be read; the run goes on without it."""

    exit_code = 3
