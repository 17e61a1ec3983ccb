from ore import Agent
from ore.ext.tools.skills import BUILTIN, FolderSource, Skills

skills = Skills(FolderSource("skills"), BUILTIN)
agent = Agent(tools=[skills.tool], transforms=[skills.transform])

print(skills.prompt())
print(agent.run_sync("Prepare the release.").text)
