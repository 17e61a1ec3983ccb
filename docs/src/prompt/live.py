from datetime import datetime
from pathlib import Path

from ore import Agent
from ore.ext.transforms.prompt import AgentsMd, Facts, Slot, SystemPrompt, TextFile

Path("project/src").mkdir(parents=True)
Path("project/AGENTS.md").write_text("Use tabs.")
Path("style.md").write_text("Be brief.")

role = Slot("You are a reviewer.")
agent = Agent(
    transforms=[
        SystemPrompt(role, TextFile("style.md"), AgentsMd("project/src")),
        Facts(lambda: f"It is {datetime.now():%H:%M}."),
    ]
)
print(agent.run_sync("Hello").text)

role.content = "You are an author."  # from the next inference on
Path("style.md").write_text("Take your time.")
print(agent.run_sync("Hello").text)
