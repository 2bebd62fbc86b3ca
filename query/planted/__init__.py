"""Text that looks as if it were written to give a language model orders."""

from query.planted.find import Suspicion, suspicions

__all__ = ["Suspicion", "suspicions"]
