import sys

from ore import Agent

agent = Agent(sys.argv[1:])  # such as openai:gpt-5-mini anthropic:claude-sonnet-4-5
result = agent.run_sync("Hello?")
print(result.text, result.turns[-1].model)
