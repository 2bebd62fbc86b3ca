"""What ``tesela eval gate`` makes of a run."""

from typing import TYPE_CHECKING

from cli import say
from cli.evaluating import Ran, keep, tell_what_is_odd
from kb.errors import TeselaError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from query.evaluate.gate import Drop, Limit


def judge(
    ran: Ran,
    limits: "Sequence[Limit]",
    drops: "Sequence[Drop]",
    against: int | None,
    form: str,
    show: int,
) -> None:
    """Hold a run to its limits, keep it, and say what fell.

    Raises:
        TeselaError: it is not good enough.
    """
    import msgspec

    from cli import gate_view
    from query.evaluate import gate as gates
    from query.evaluate import saved

    location = ran.wanted.workspace.location
    before = saved.read(location, against) if against else saved.last_passed(location, ran.saved)
    found = gates.breaches(ran.saved, before, limits, drops)
    ran.saved = msgspec.structs.replace(ran.saved, passed=not found)
    keep(ran)
    tell_what_is_odd(ran)
    if drops and before is None:
        say.note("no earlier run on these questions to compare with: this is the first")
    gate_view.shown(form, ran, before, found, show)
    if found:
        told = ", ".join(dict.fromkeys(str(breach.measure) for breach in found))
        raise TeselaError(f"not good enough: {told}")
