from pydantic import BaseModel

from ore import Agent


class Place(BaseModel):
    city: str
    country: str


agent = Agent(output_type=Place)
result = agent.run_sync("Where is the Tower of Belém?")
print(repr(result.output))
