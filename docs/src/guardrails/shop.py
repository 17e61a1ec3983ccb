from ore import Agent, tool
from ore.event import Answer, Question
from ore.ext.transforms.guardrails import Guardrails, Looked, Verdict, ask, block, matching, only_tools, redacting


@tool
def refund(order: str, amount: int) -> str:
    """Pay an order back."""
    return f"{amount} euros for order {order} are on their way"


def large(looked: Looked) -> Verdict | None:
    """A function as a guard: large sums are for people to decide."""
    assert looked.arguments is not None
    return ask("a large refund") if looked.arguments["amount"] > 100 else None


agent = Agent(
    tools=[refund],
    extensions=[
        Guardrails(
            input=[redacting(r"\b\d{16}\b", "[card number]")],
            output=[matching(r"(?i)guarantee", block("it promises too much"))],
            calls=[only_tools("refund", guard=large)],
        )
    ],
)


def decide(question: Question) -> Answer:
    print("may it run:", question.arguments)
    return Answer(key=question.key, decision="approve")


result = agent.run_sync("Refund order 7, my card is 1234567812345678.", on_question=decide)
for turn in result.turns:
    print(turn.role.value, "".join(artifact.for_model() for artifact in turn.artifacts))
