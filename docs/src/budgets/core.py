import asyncio

from ore.agent import AgentSpec
from ore.app import Resolver
from ore.ext.observe.budget import Allowance, MessageBudget
from ore.session import Manager, Services

resolve = Resolver()
budget = MessageBudget(Allowance(tokens=5_000))


async def main() -> None:
    provider, model = resolve("local")
    agent = budget.over(AgentSpec(name="helper", provider=provider))
    async with Manager(agent, services=Services(resolve=budget.resolve(resolve))) as manager:
        stream = await manager.create({"ore.model.name": model})
        outcome = await stream.submit("Say hello.")
        print(outcome.status)


asyncio.run(main())
