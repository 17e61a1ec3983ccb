import { useState } from 'preact/hooks'
import type { Chat } from '../chat.js'
import { callKey, type Block, type View } from '../reducer.js'
import type { Artifact, MediaArtifact } from '../wire.js'
import { Media } from './media.js'
import { Markdown } from './text.js'
import { ToolCard } from './tool.js'

/** Blocks in their order, each drawn by its kind; unknown kinds are shown as what they are. */
export function Blocks(props: { chat: Chat; view: View; blocks: readonly Block[]; running: boolean; seconds?: (key: string) => number | undefined; results?: ReadonlyMap<string, import('../wire.js').ToolResultArtifact> }) {
  return <>{props.blocks.map((block) => {
    const artifact = block.artifact
    if (artifact.kind === 'tool_call') {
      const key = callKey(props.blocks, block)!
      return <ToolCard key={key} chat={props.chat} view={props.view} callKey={key} call={artifact} open={block.open} running={props.running}
        result={props.results?.get(key)} seconds={props.seconds?.(key)} />
    }
    return <One key={block.id} artifact={artifact} open={block.open} took={block.since !== undefined && block.until !== undefined ? (block.until - block.since) / 1000 : undefined} />
  })}</>
}

const SILENT = new Set(['usage', 'stop_reason', 'tool_result'])

function One({ artifact, open, took }: { artifact: Artifact; open: boolean; took?: number }) {
  if (SILENT.has(artifact.kind)) return null
  if (artifact.kind === 'text') return <Markdown text={artifact.content} />
  if (artifact.kind === 'reasoning') return <Reasoning text={artifact.content} open={open} took={took} />
  if (artifact.kind === 'image' || artifact.kind === 'file' || artifact.kind === 'audio') return <Media media={artifact as MediaArtifact} />
  return <details class="tool"><summary><span class="tool-name">{(artifact as { kind: string }).kind}</span></summary>
    <div class="tool-body"><pre tabIndex={0}>{JSON.stringify(artifact, null, 2)}</pre></div></details>
}

const WISH = 'ore.reasoning.open'

function Reasoning({ text, open, took }: { text: string; open: boolean; took?: number }) {
  const [wanted, setWanted] = useState<boolean | null>(null)
  if (!text && !open) return null
  const label = open ? 'Thinking…' : took === undefined ? 'Thought' : `Thought for ${took < 1 ? 'less than a second' : `${took.toFixed(0)} s`}`
  const shown = wanted ?? (open && localStorage.getItem(WISH) === '1')
  const toggle = (event: Event) => {
    event.preventDefault()
    setWanted(!shown)
    if (open) localStorage.setItem(WISH, shown ? '0' : '1')
  }
  return (
    <details class="reasoning" open={shown}>
      <summary onClick={toggle}>{label}</summary>
      {shown && <Markdown text={text} />}
    </details>
  )
}
