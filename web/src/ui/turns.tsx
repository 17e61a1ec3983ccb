import { useState } from 'preact/hooks'
import type { Chat, Sending } from '../chat.js'
import type { Block, View } from '../reducer.js'
import { modelOf, spentOf, textOf, type Artifact, type Content, type MediaArtifact, type ToolResultArtifact, type Turn, type UsageArtifact } from '../wire.js'
import { Blocks } from './blocks.js'
import { Icon } from './icon.js'
import { Media } from './media.js'
import { pure } from './pure.js'
import { copy } from './text.js'
import type { Branches } from './transcript.js'

const isMedia = (one: Artifact): one is MediaArtifact => one.kind === 'image' || one.kind === 'file' || one.kind === 'audio'

/** What somebody wrote: as it was typed. */
export function Said({ content }: { content: Content }) {
  const text = textOf(content)
  const media = typeof content === 'string' ? [] : content.filter(isMedia)
  return <>
    {media.length > 0 && <div class="media">{media.map((one) => <Media media={one} />)}</div>}
    {text && <div class="typed" dir="auto">{text}</div>}
  </>
}

export const UserTurn = pure((props: { chat: Chat; turn: Turn; origin?: string; running: boolean; branches: Branches; meta: unknown }) => {
  const { turn, branches } = props
  const [editing, setEditing] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const text = textOf(turn.artifacts)
  const branch = branches.of(turn)
  const resend = async () => {
    if (busy || editing === null || !editing.trim()) return
    setBusy(true)
    try { await branches.edit(turn, editing); setEditing(null) } catch (error) { props.chat.fail(error) }
    setBusy(false)
  }
  if (editing !== null) return (
    <article class="said editing" aria-label="Your message, being edited">
      <textarea aria-label="Edit message" dir="auto" value={editing} ref={(area) => { if (area && document.activeElement === document.body) area.focus() }}
        onInput={(event) => setEditing(event.currentTarget.value)} onKeyDown={(event) => { if (event.key === 'Escape') setEditing(null) }} />
      <div class="row"><button type="button" class="primary" disabled={busy} onClick={() => void resend()}>Send as a new branch</button><button type="button" onClick={() => setEditing(null)}>Cancel</button></div>
    </article>
  )
  return (
    <article class="said" aria-label="Your message">
      {props.origin && props.origin !== 'http' && <span class="badge">{props.origin}</span>}
      <div class="bubble"><Said content={turn.artifacts} /></div>
      <div class="actions">
        {branch && <span class="branches">
          <button type="button" aria-label="Previous version" disabled={branch.at === 0} onClick={() => branches.go(branch.ids[branch.at - 1]!)}><Icon name="left" /></button>
          <span aria-label={`Version ${branch.at + 1} of ${branch.ids.length}`}>{branch.at + 1}/{branch.ids.length}</span>
          <button type="button" aria-label="Next version" disabled={branch.at === branch.ids.length - 1} onClick={() => branches.go(branch.ids[branch.at + 1]!)}><Icon name="right" /></button>
        </span>}
        <button type="button" onClick={(event) => void copy(text, event.currentTarget)}>Copy</button>
        <button type="button" disabled={props.running} onClick={() => setEditing(text)}>Edit</button>
      </div>
    </article>
  )
})

export const AnswerTurn = pure((props: {
  chat: Chat; view: View; turn: Turn; results: ReadonlyMap<string, ToolResultArtifact>; thoughts?: readonly (number | undefined)[]; last: boolean; running: boolean; branches: Branches; seconds?: number
}) => {
  const { turn } = props
  const [busy, setBusy] = useState(false)
  let thought = 0
  const blocks: Block[] = turn.artifacts.map((artifact, place) => {
    const seconds = artifact.kind === 'reasoning' ? props.thoughts?.[thought++] : undefined
    return { id: `${turn.id}:${place + 1}`, artifact, open: false, ...(seconds === undefined ? {} : { since: 0, until: seconds * 1000 }) }
  })
  const text = textOf(turn.artifacts)
  const again = async (work: (turn: Turn) => Promise<void>) => {
    setBusy(true)
    try { await work(turn) } catch (error) { props.chat.fail(error) }
    setBusy(false)
  }
  return (
    <article class={`answer is-${turn.status ?? 'complete'}`} aria-label="Answer">
      {turn.origin && <span class="badge">{turn.origin}</span>}
      <Blocks chat={props.chat} view={props.view} blocks={blocks} running={props.running} results={props.results} seconds={() => props.seconds} />
      {turn.status === 'interrupted' && <p class="quiet">Stopped here.</p>}
      {turn.status === 'failed' && <p class="problem">The answer broke off. <button type="button" class="small" disabled={busy} onClick={() => void again(props.branches.retry)}>Try again</button></p>}
      {props.last && <div class="actions">
        {text && <button type="button" onClick={(event) => void copy(text, event.currentTarget)}>Copy</button>}
        {text && <button type="button" onClick={(event) => void copy(plain(event.currentTarget), event.currentTarget)}>Copy as text</button>}
        <button type="button" disabled={busy} onClick={() => void again(props.branches.again)}>Regenerate</button>
        <Facts turn={turn} />
      </div>}
    </article>
  )
})

const plain = (button: Element): string =>
  [...(button.closest('article')?.querySelectorAll<HTMLElement>(':scope > .text') ?? [])].map((one) => one.innerText).join('\n\n')

function Facts({ turn }: { turn: Turn }) {
  const usage = turn.artifacts.find((one): one is UsageArtifact => one.kind === 'usage')
  const tokens = spentOf(usage)
  const facts = [
    turn.model && modelOf(turn.model), tokens !== null ? `${tokens.toLocaleString()} tokens` : '',
    Number(usage?.cost_usd ?? 0) > 0 ? `$${Number(usage!.cost_usd).toFixed(4)}` : '',
    turn.timestamp ? new Date(turn.timestamp).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' }) : '',
  ].filter(Boolean)
  return <span class="facts">{facts.join(' · ')}</span>
}

/** Sent, or on its way; it keeps its text whatever happens. */
export function PendingTurn({ chat, sending }: { chat: Chat; sending: Sending }) {
  return (
    <article class={`said is-${sending.state}`} aria-label="Your message, being sent">
      <div class="bubble"><Said content={sending.content} /></div>
      {sending.state === 'failed' && (
        <div class="actions problem" role="alert">
          <span>Not sent: {sending.error ?? 'the page was closed meanwhile'}</span>
          <button type="button" onClick={() => chat.retry(sending.id)}>Retry</button>
          <button type="button" onClick={() => chat.discard(sending.id)}>Discard</button>
        </div>
      )}
      {sending.state !== 'failed' && <div class="actions on-its-way"><span>{sending.state === 'sending' ? 'Sending…' : 'Sent'}</span></div>}
    </article>
  )
}
