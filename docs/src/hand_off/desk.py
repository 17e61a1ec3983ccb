import asyncio

from ore import Agent
from ore.ext.patterns import HandOff, active_agent


def refund(order: int) -> str:
    """Pay an order back."""
    return f"order {order} is paid back"


money = Agent(name="money", description="Pays back.", instructions="You pay back.", tools=[refund])
desk = Agent(name="desk", instructions="You greet people.", extensions=[HandOff(money.spec())])


async def main() -> None:
    async with desk.session("shop") as session:
        result = await session.run("I want my money back for order 7.")
        print(result.text)
        print("now at:", active_agent(session.turns))


asyncio.run(main())
