from ore import Agent
from ore.ext.transforms.compaction import Compaction, CompactionSettings

settings = CompactionSettings(share=0.7, keep=0.3, output_bytes=2_000, window=16_384)
agent = Agent(extensions=[Compaction(settings)])
print(agent.run_sync("Hello").text)
