"""`Verified`: an answer counts only when verifiers find nothing wrong."""

from collections.abc import Callable

from ore.artifact import Text
from ore.cognitive import Pattern, ReAct, Runtime
from ore.errors import InputError, LimitError, ToolError
from ore.ext.patterns.verification import Standing, Verifier, report, verify_all
from ore.ledger import Draft, Role, State, Turn, TurnStatus

__all__ = ["Verified", "verified"]

_FEEDBACK = (
    "Your answer was checked, and it does not pass yet. What was found:\n\n{report}\n\nPut it right, then answer again."
)


class Verified:
    """Runs another pattern, has what came of it checked, and runs it again with what was wrong, so many times.

    What was wrong is told as a user's turn, behind the answer that it is
    about: a system's turn would be moved to the front by some vendors. Each
    run has the limits of one message's rounds. After a crash it goes on with
    the check of the last answer.

    Args:
        inner: Makes the pattern inside, for each run.
        verifiers: Asked all at once.
        retries: How often an answer that does not pass may be put right.

    Raises:
        InputError: There is no verifier, or two have one name.
    """

    def __init__(self, inner: Callable[[], Pattern], *verifiers: Verifier, retries: int = 3) -> None:
        names = [verifier.name for verifier in verifiers]
        if not names or len(set(names)) < len(names) or retries < 0:
            raise InputError(f"verified: expected verifiers with names that differ, and retries >= 0; got {names}")
        self._inner = inner
        self._verifiers = verifiers
        self._retries = retries
        self._ends = inner().ends

    @property
    def name(self) -> str:
        """`verified`."""
        return "verified"

    async def run(self, runtime: Runtime) -> Turn:
        """Work until an answer passes.

        Raises:
            LimitError: None did, in so many runs.
            ToolError: A verifier could not find out; the message says which and why.
            Exception: What the pattern inside raises.
        """
        turn = self._answer(runtime.state) or await self._inner().run(runtime)
        for left in range(self._retries, -1, -1):
            found = await verify_all(self._verifiers, runtime.state)
            text = report(found)
            if any(one.standing is Standing.ERROR for one in found):
                raise ToolError(f"the answer could not be checked\n\n{text}")
            if all(one.standing is Standing.PASSED for one in found):
                return turn
            if not left:
                failed = ", ".join(one.name for one in found if one.standing is Standing.FAILED)
                raise LimitError(
                    f"expected an answer that passes within {self._retries + 1} runs; still failing: {failed}"
                )
            await runtime.step.submit(runtime.state, Role.USER, Text(content=_FEEDBACK.format(report=text)))
            turn = await self._inner().run(runtime)
        raise AssertionError("the last run returns or raises")

    def ends(self, draft: Draft | Turn) -> bool:
        """No turn is known to be the last before it was checked."""
        return False

    def _answer(self, state: State) -> Turn | None:
        """The answer as far as which an earlier process came; whether it was checked, nobody knows."""
        last = state.turns[-1] if state.turns else None
        if last is None or last.role is not Role.ASSISTANT or last.status is not TurnStatus.COMPLETE:
            return None
        return last if self._ends(last) else None


def verified(*verifiers: Verifier, inner: Callable[[], Pattern] = ReAct, retries: int = 3) -> Callable[[], Verified]:
    """A pattern for `Agent(pattern=…)` whose answers are checked.

    Raises:
        InputError: There is no verifier, or two have one name.
    """
    Verified(inner, *verifiers, retries=retries)
    return lambda: Verified(inner, *verifiers, retries=retries)
