import asyncio

from ore import Agent, Answer, Question, UsageLimits, tool


@tool(approve=True)
def refund(order: str) -> str:
    """Refund an order."""
    return f"{order} refunded"


billing = Agent(name="billing", description="Refunds orders. Give it the order.", tools=[refund])
triage = Agent(
    name="triage",
    instructions="Hand questions about money to billing.",
    tools=[billing.as_tool()],
    limits=UsageLimits(rounds=10),
)


def decide(question: Question) -> Answer:
    print("asked:", question.tool, question.arguments)
    return Answer(key=question.key, decision="approve")


async def main() -> None:
    async with triage.session("customer-7", store="sqlite:desk.db", on_question=decide) as session:
        run = session.stream("Order 12 never came.")
        async for entry in run.events("tool_call", "tool_result", "text"):
            depth = len(entry.context.path or ()) - (entry.kind == "tool_result")
            print("  " * depth + entry.kind, entry.event.for_human())
        print((await run.result()).status)


asyncio.run(main())
