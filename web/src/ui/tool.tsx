import { useState } from 'preact/hooks'
import { callKey, turnOf, type Block, type Call, type View } from '../reducer.js'
import type { ToolCallArtifact, ToolResultArtifact } from '../wire.js'
import type { Chat } from '../chat.js'
import { Blocks } from './blocks.js'
import { Media } from './media.js'
import { copy } from './text.js'

const NAMES: Record<string, string> = {
  preparing: 'Preparing', running: 'Running', asking: 'Waiting for you', ok: 'Done', error: 'Failed', denied: 'Denied',
  cancelled: 'Stopped', unknown: 'Outcome unknown',
}
const SIGNS: Record<string, string> = { ok: '✓', error: '✕', denied: '⊘', cancelled: '■', unknown: '?', asking: '!', running: '', preparing: '' }
const LONG = 1200

/** One tool call: what was asked, what happened inside it, how it ended. */
export function ToolCard(props: {
  chat: Chat; view: View; callKey: string; call: ToolCallArtifact; result?: ToolResultArtifact; open: boolean; running: boolean; seconds?: number
}) {
  const { chat, view, call } = props
  const state: Call | undefined = view.calls.get(props.callKey)
  const result = props.result ?? state?.result
  const asking = view.questions.some((one) => one.call_key === props.callKey || one.key === props.callKey)
  const status = result ? (result.status ?? (result.is_error ? 'error' : 'ok'))
    : asking ? 'asking' : props.open ? 'preparing' : props.running ? 'running' : 'unknown'
  const busy = status === 'running' || status === 'preparing'
  const took = state?.since && state.until ? (state.until - state.since) / 1000 : props.seconds
  const children = state?.children ?? []
  const answer = view.answers.get(props.callKey)
  return (
    <details class={`tool is-${status}`} open={children.length > 0 && !result ? true : undefined}>
      <summary>
        <span class={busy ? 'spinner' : 'sign'} aria-hidden="true">{SIGNS[status]}</span>
        <span class="tool-name">{call.name || '…'}</span>
        <span class="tool-gist" dir="auto">{gist(call)}</span>
        <span class="tool-state">{status === 'running' && state?.description && state.description !== call.name ? state.description : NAMES[status] ?? status}{took !== undefined && took >= 0.1 ? ` · ${took.toFixed(1)} s` : ''}</span>
      </summary>
      <div class="tool-body">
        <Arguments call={call} />
        {answer?.decision && <p class="quiet">{answer.decision === 'approve' ? 'Approved' : 'Denied'}{answer.reason ? `: ${answer.reason}` : ''}</p>}
        {children.length > 0 && <div class="nested"><Blocks chat={chat} view={view} blocks={children} running={props.running && !result} /></div>}
        {result && <Result result={result} name={call.name} />}
        {busy && state?.active && <button type="button" class="small" onClick={() => void chat.stopCall(props.callKey)}>Stop this call</button>}
      </div>
    </details>
  )
}

function parsed(text: string): unknown {
  try { return JSON.parse(text) } catch { return undefined }
}

function gist(call: ToolCallArtifact): string {
  if (call.display) return call.display.slice(0, 120)
  const value = parsed(call.arguments)
  if (value === null || typeof value !== 'object') return ''
  const first = Object.values(value).find((one) => typeof one === 'string' || typeof one === 'number')
  return first === undefined ? '' : String(first).replaceAll('\n', ' ').slice(0, 120)
}

/** The exact arguments; an edit is shown as what goes and what comes. */
export function Arguments({ call }: { call: Pick<ToolCallArtifact, 'arguments'> }) {
  const value = parsed(call.arguments) as Record<string, unknown> | undefined
  if (value && typeof value['old'] === 'string' && typeof value['new'] === 'string') {
    const { old, new: fresh, ...rest } = value
    return <>
      {Object.keys(rest).length > 0 && <Fold label="Arguments" text={JSON.stringify(rest, null, 2)} />}
      <Diff before={old as string} after={fresh as string} />
    </>
  }
  const text = value === undefined ? call.arguments : JSON.stringify(value, null, 2)
  return text && text !== '{}' ? <Fold label="Arguments" text={text} /> : null
}

function Diff({ before, after }: { before: string; after: string }) {
  const lines = changes(before.split('\n'), after.split('\n'))
  return <pre class="diff" tabIndex={0} aria-label="Change">{lines.map(([sign, line]) => (
    <span class={sign === '+' ? 'added' : sign === '-' ? 'removed' : ''}>{`${sign} ${line}\n`}</span>
  ))}</pre>
}

/** Lines in common at both ends stay; what is between goes and comes. */
function changes(before: string[], after: string[]): [string, string][] {
  let head = 0
  while (head < before.length && head < after.length && before[head] === after[head]) head++
  let tail = 0
  while (tail < before.length - head && tail < after.length - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++
  const same = (lines: string[]): [string, string][] => lines.map((line) => [' ', line])
  return [
    ...same(before.slice(0, head)),
    ...before.slice(head, before.length - tail).map((line): [string, string] => ['-', line]),
    ...after.slice(head, after.length - tail).map((line): [string, string] => ['+', line]),
    ...same(before.slice(before.length - tail)),
  ]
}

function Result({ result, name }: { result: ToolResultArtifact; name: string }) {
  const shown = result.display ?? result.content
  const value = /^\s*[[{]/.test(shown) ? parsed(shown) : undefined
  return <>
    <Fold label={result.is_error ? 'Error' : 'Result'} text={value === undefined ? shown : JSON.stringify(value, null, 2)} full={result.content} name={name} isError={result.is_error} />
    {result.truncation ? <p class="quiet">Cut for the model; the whole is longer.</p> : null}
    {result.media?.map((media) => <Media media={media} />)}
  </>
}

function Fold(props: { label: string; text: string; full?: string; name?: string; isError?: boolean }) {
  const [open, setOpen] = useState(false)
  const long = props.text.length > LONG
  const text = long && !open ? `${props.text.slice(0, LONG)}…` : props.text
  return (
    <div class={`part ${props.isError ? 'is-error' : ''}`}>
      <div class="part-bar">
        <span>{props.label}</span>
        <button type="button" class="small" onClick={(event) => void copy(props.full ?? props.text, event.currentTarget)}>Copy</button>
      </div>
      <pre tabIndex={0} dir="auto">{text}</pre>
      {long && <button type="button" class="small" aria-expanded={open} onClick={() => setOpen(!open)}>{open ? 'Show less' : `Show all ${props.text.length.toLocaleString()} characters`}</button>}
      {long && props.full !== undefined && <button type="button" class="small" onClick={() => download(`${props.name || 'result'}.txt`, props.full!)}>Download</button>}
    </div>
  )
}

export function download(name: string, text: string, type = 'text/plain'): void {
  const url = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}

export { callKey, turnOf, type Block }
