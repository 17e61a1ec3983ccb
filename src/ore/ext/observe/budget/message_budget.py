"""`MessageBudget`: the leaf of the tree: what one message may use, with all that works inside its calls."""

from collections.abc import Sequence
from dataclasses import replace

from ore.agent import AgentSpec
from ore.artifact import Artifact, Usage
from ore.event import Emitter, current_context
from ore.ext.observe.budget.allowance import Allowance
from ore.ext.observe.budget.budget import Budget
from ore.ext.observe.budget.estimate import tokens_of
from ore.ext.observe.budget.metered import Metered
from ore.ext.observe.budget.scope import SCOPE, Scope, this_task
from ore.ext.observe.budget.spent import Spent
from ore.ledger import Role, State, Turn, is_inner
from ore.provider import Provider, Resolve

__all__ = ["MessageBudget"]


class MessageBudget:
    """Gives each message of an agent a budget of its own, within those around it.

    What agents use inside its calls counts as well, so that they never use
    more than the message may. A message that goes on after a crash has used
    what its turns say. It is a transform (`enter`), a handler, and what wraps
    the agent's provider; `over` puts all of them in place. For any number of
    sessions.

    Args:
        allowance: What one message may use.
        within: A budget that all of them are a part of.
        name: For messages to people.
    """

    def __init__(
        self, allowance: Allowance | None = None, *, within: Budget | None = None, name: str = "usage"
    ) -> None:
        self._allowance = allowance or Allowance()
        self._around = within.line if within is not None else ()
        self._name = name

    def over(self, agent: AgentSpec) -> AgentSpec:
        """The same agent, counted.

        Sessions that change their model look for another provider: theirs are
        counted with `Services(resolve=budget.resolve(…))`.
        """
        return replace(
            agent,
            provider=self.provider(agent.provider),
            transforms=(self.enter, *agent.transforms),
            handlers=(self, *agent.handlers),
            count=self.count,
        )

    def provider(self, provider: Provider) -> Provider:
        """The same provider, counted; outside any message for the budgets around all of them."""
        return provider if isinstance(provider, Metered) else Metered(provider, self._around)

    def count(self, provider: Provider) -> Provider:
        """The same provider, for an inference beside the conversation: counted for the running message.

        That may be asked before the message's first inference, such as by a guard of what was said.
        """
        here = current_context()
        message = (here.thread_id, here.message)
        if here.message is not None and not SCOPE.get().covers(message):
            self._begin(message, ())
        return self.provider(provider)

    def resolve(self, resolve: Resolve) -> Resolve:
        """Finds the same providers, counted."""

        def counted(name: str) -> tuple[Provider, str]:
            provider, model = resolve(name)
            return self.provider(provider), model

        return counted

    def enter(self, state: State) -> State:
        """Change nothing: a transform, which runs before the calls of a message do, and so what they inherit is there.

        Raises:
            LimitError: A limit is passed inside a call.
        """
        for budget in self._scope(state).line:
            budget.check()
        return state

    async def handle(self, artifact: Artifact, emitter: Emitter) -> None:
        """Let no call run whose inference went over a limit.

        Raises:
            LimitError: It did.
        """
        if not isinstance(artifact, Usage) or not _calls(emitter.state.turns):
            return
        for budget in self._scope(emitter.state).line:
            budget.check()

    def _scope(self, state: State) -> Scope:
        here, scope = current_context(), SCOPE.get()
        if here.message is None:  # nobody's message: only what all of them are a part of counts
            return Scope(line=self._around)
        message = (here.thread_id, here.message)
        return scope if scope.message == message else self._begin(message, state.base.turns)

    def _begin(self, message: tuple[str | None, str | None], turns: Sequence[Turn]) -> Scope:
        """The budgets of a message that is begun here, or gone on with."""
        thread_id, _ = message
        around = SCOPE.get().line if thread_id is not None and is_inner(thread_id) else ()
        scope = Scope(message=message, line=self._line(around, turns), task=this_task())
        SCOPE.set(scope)
        return scope

    def _line(self, around: Sequence[Budget], turns: Sequence[Turn]) -> tuple[Budget, ...]:
        line = (*around, *(budget for budget in self._around if budget not in around))
        if not self._allowance.limited:
            return line
        own = Budget(self._allowance, name=self._name)
        own.spend(_before(turns))
        return (*line, own)


def _calls(turns: Sequence[Turn]) -> bool:
    return bool(turns) and bool(turns[-1].calls)


def _before(turns: Sequence[Turn]) -> Spent:
    """What a message used in an earlier process: all since the last thing that the user said."""
    spent = Spent()
    for turn in reversed(turns):
        if turn.role is Role.USER:
            break
        for artifact in turn.artifacts:
            if isinstance(artifact, Usage):
                spent += Spent(tokens=tokens_of(artifact) or 0, cost_usd=artifact.cost_usd or Spent().cost_usd, calls=1)
    return spent
