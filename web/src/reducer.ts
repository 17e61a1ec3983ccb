/**
 * From a snapshot and events to what is shown. Pure: a view goes in, another comes out.
 *
 * Whatever a connection did (cut, resumed, repeated, fell behind), the view is
 * the same as if every event had come once: events at or before the cursor are
 * dropped, a complete block replaces what its fragments showed, and a `gap`
 * brings the state in place of what was missed.
 */

import { EMPTY, type Block, type Call, type Ending, type LiveTurn, type Note, type View } from './view.js'
import type { Answer, Artifact, Failure, LiveBlock, Outcome, Question, Queued, Snapshot, ToolResultArtifact, Turn, WireEvent } from './wire.js'

export { EMPTY, type Block, type Call, type Note, type View }

/** Negative, zero or positive, as `<epoch>-<n>` ids are ordered. */
export function compareIds(one: string, other: string): number {
  const [epochA = 0, numberA = 0] = one.split('-').map(Number)
  const [epochB = 0, numberB = 0] = other.split('-').map(Number)
  return epochA - epochB || numberA - numberB
}

export const isRunning = (view: View): boolean =>
  view.queue.some((one) => one.status === 'running') || !['idle', 'closing'].includes(view.phase)

/** The state as the server tells it; what happened inside calls that are over is kept, since only their readers saw it. */
export function applySnapshot(view: View, snapshot: Snapshot): View {
  const shown = new Set(snapshot.turns.map((turn) => turn.id))
  const idle = snapshot.phase === 'idle'
  const asked = new Set(snapshot.questions.map((one) => one.key))
  const state: View = {
    ...view,
    cursor: snapshot.id,
    turns: snapshot.turns,
    live: [],
    calls: afresh(idle ? settle(view.calls) : view.calls, snapshot),
    queue: snapshot.queue,
    questions: snapshot.questions,
    answers: without(view.answers, asked),
    metadata: snapshot.metadata,
    phase: snapshot.phase,
    notes: view.notes.filter((note) => note.after === null || shown.has(note.after)),
    stale: false,
  }
  const began = new Map(view.live.flatMap((turn) => turn.blocks.map((block) => [block.id, block.since])))
  return snapshot.blocks.reduce((so_far, one, place) => putLive(so_far, one, `${snapshot.id}-${place}`, began), state)
}

/** Calls as they are known, without what the snapshot tells anew. */
function afresh(known: ReadonlyMap<string, Call>, snapshot: Snapshot): ReadonlyMap<string, Call> {
  const calls = new Map(known)
  for (const { path } of snapshot.blocks) {
    const call = path?.length ? calls.get(path[path.length - 1]!) : undefined
    if (call) calls.set(call.key, { ...call, children: [] })
  }
  for (const { id, description } of snapshot.activities ?? []) {
    calls.set(id, { ...(calls.get(id) ?? { key: id, children: [] }), active: true, description })
  }
  return calls
}

function putLive(view: View, one: LiveBlock, place: string, began: ReadonlyMap<string, number | undefined>): View {
  const { artifact, path, open = true } = one
  const message = view.queue.find((queued) => queued.status === 'running')?.id
  if (artifact.kind === 'tool_result' && path?.length) return putResult(view, path, artifact as ToolResultArtifact)
  const id = one.block ?? `${loose(message)}:${place}`
  if (path?.length) return inside(view, path, (blocks) => put(blocks, id, artifact, open))
  return { ...view, live: putBlock(view.live, id, artifact, open, message, began.get(id)) }
}

/**
 * Apply one event; one that was applied before changes nothing.
 *
 * Args:
 *   at: The clock, in milliseconds, from which durations are told.
 */
export function applyEvent(view: View, event: WireEvent, at?: number): View {
  const id = event.context?.id
  if (event.kind === 'gap') {
    const next = applySnapshot(view, event['snapshot'] as Snapshot)
    return id && compareIds(id, next.cursor ?? id) > 0 ? { ...next, cursor: id } : next
  }
  if (!id) return view
  if (view.cursor !== null && compareIds(id, view.cursor) <= 0) return view
  const handler = HANDLERS[event.kind]
  const next = handler ? handler(view, event, at) : generic(view, event, at)
  return { ...next, cursor: id }
}

export const applyEvents = (view: View, events: readonly WireEvent[], at?: number): View =>
  events.reduce((so_far, event) => applyEvent(so_far, event, at), view)

type Handler = (view: View, event: WireEvent, at?: number) => View

const HANDLERS: Record<string, Handler | undefined> = {
  text_delta: (view, event, at) => fragment(view, event, (so_far) => ({
    kind: 'text', content: (so_far?.kind === 'text' ? so_far.content : '') + String(event['content'] ?? ''),
  }), at),
  reasoning_delta: (view, event, at) => fragment(view, event, (so_far) => ({
    kind: 'reasoning', content: (so_far?.kind === 'reasoning' ? so_far.content : '') + String(event['content'] ?? ''),
  }), at),
  tool_call_delta: (view, event, at) => fragment(view, event, (so_far) => {
    const before = so_far?.kind === 'tool_call' ? so_far : { id: '', name: '', arguments: '' }
    return {
      kind: 'tool_call',
      id: before.id || String(event['id'] ?? ''),
      name: before.name || String(event['name'] ?? ''),
      arguments: before.arguments + String(event['arguments'] ?? ''),
    }
  }, at),
  tool_result: (view, event, at) => {
    const artifact = asArtifact(event) as ToolResultArtifact
    const path = event.context.path
    return path?.length ? putResult(view, path, artifact, at) : view
  },
  usage: (view) => view,
  stop_reason: (view) => view,
  turn_complete: (view, event) => completed(view, event),
  turn_restarted: (view, event) => restarted(view, event),
  lifecycle: (view, event) => lifecycle(view, event),
  error: (view, event, at) => {
    const failure = pick(event, ['code', 'message', 'retryable', 'retry_after_s', 'provider']) as unknown as Failure
    return note(view, event, { severity: 'error', content: failure.message, failure }, at)
  },
  notice: (view, event, at) => {
    const severity = String(event['severity'] ?? 'info').toLowerCase()
    const known = ['success', 'info', 'warn', 'error'].includes(severity) ? severity : 'info'
    return note(view, event, { severity: known as Note['severity'], content: String(event['content'] ?? '') }, at)
  },
  properties: (view, event) => {
    const metadata: Record<string, string> = { ...view.metadata }
    for (const one of event['operations'] as readonly { op: string; key: string; value?: string | null }[]) {
      if (one.op === 'delete') delete metadata[one.key]
      else metadata[one.key] = one.value ?? ''
    }
    return { ...view, metadata }
  },
  question: (view, event) => {
    const question = strip(event) as unknown as Question
    const questions = [...view.questions.filter((one) => one.key !== question.key), question]
    return { ...view, questions, answers: without(view.answers, new Set([question.key])), phase: 'waiting' }
  },
  answer: (view, event) => {
    const answer = strip(event) as unknown as Answer
    const questions = view.questions.filter((one) => one.key !== answer.key)
    return {
      ...view, questions, answers: new Map(view.answers).set(answer.key, answer),
      phase: questions.length === 0 && view.phase === 'waiting' ? 'tools' : view.phase,
    }
  },
  activity: (view, event, at) => {
    const key = String(event['id'])
    const active = event['active'] === true
    const call = callOf(view, key)
    const changed: Call = {
      ...call, active, description: active ? String(event['description'] ?? '') : call.description,
      since: call.since ?? at, until: active ? undefined : at,
    }
    return { ...view, calls: new Map(view.calls).set(key, changed) }
  },
  session_switch: (view) => view,
}

function lifecycle(view: View, event: WireEvent): View {
  const message = event.context.message
  const phase = String(event['phase'])
  if (!message) return view
  const at = view.queue.find((one) => one.id === message)
  if (phase === 'queued') {
    if (at) return view
    const content = (event['content'] as readonly Artifact[] | undefined) ?? ''
    const position = view.queue.filter((one) => one.status === 'waiting').length + 1
    const waiting: Queued = { id: message, content, status: 'waiting', position }
    // What others sent is not told with the event.
    return { ...view, queue: [...view.queue, waiting], stale: view.stale || content === '' }
  }
  if (phase === 'done') {
    const queue = renumber(view.queue.filter((one) => one.id !== message))
    const ending: Ending = { outcome: event['outcome'] as Outcome, content: event['content'] as readonly Artifact[] | undefined }
    const wasRunning = at === undefined || at.status === 'running'
    const waiting = queue.some((one) => one.status === 'waiting')
    const rest = queue.some((one) => one.status === 'running') || !wasRunning ? view.phase : waiting ? 'queued' : 'idle'
    return {
      ...view, queue, phase: rest, ended: new Map(view.ended).set(message, ending),
      live: wasRunning ? view.live.filter((turn) => turn.message !== undefined && turn.message !== message) : view.live,
      calls: wasRunning ? settle(view.calls) : view.calls,
    }
  }
  if (phase === 'submitted' || phase === 'streaming') return { ...started(view, message), phase }
  return view
}

/** The message is the one that runs. */
function started(view: View, message: string): View {
  const at = view.queue.find((one) => one.id === message)
  if (at?.status === 'running') return view
  const running: Queued = { id: message, content: at?.content ?? '', status: 'running', position: 0 }
  return { ...view, queue: renumber([running, ...view.queue.filter((one) => one.id !== message)]) }
}

function renumber(queue: readonly Queued[]): readonly Queued[] {
  let position = 0
  return queue.map((one) => (one.status === 'running' ? one : { ...one, position: ++position }))
}

function completed(view: View, event: WireEvent): View {
  if (event.context.path?.length) return view
  const turn = event['turn'] as Turn
  const { message, provenance } = event.context
  let next = view
  if (message && turn.role === 'user' && !view.queue.some((one) => one.id === message && one.status === 'running')) {
    // A steered message joins the one that runs; it is nobody's successor.
    const running = view.queue.some((one) => one.status === 'running')
    next = running ? { ...view, queue: renumber(view.queue.filter((one) => one.id !== message)) } : started(view, message)
    if (!running) next = { ...next, phase: 'submitted' }
  }
  next = thought(next, turn.id)
  const live = next.live.filter((one) => one.id !== turn.id && !(turn.role === 'assistant' && one.id === loose(message)))
  if (turn.control === 'skip') return { ...next, live, skipped: new Map(next.skipped).set(turn.id, turn.parent_id ?? null) }
  if (next.turns.some((one) => one.id === turn.id)) return { ...next, live }
  const { kept, stale } = pathTo(next, turn)
  const calls = turn.role === 'assistant' && turn.artifacts.some((one) => one.kind === 'tool_call')
  return {
    ...next, live, turns: [...kept, turn], stale: next.stale || stale,
    phase: calls && isRunning(next) ? 'tools' : next.phase,
    origins: provenance && turn.role === 'user' ? new Map(next.origins).set(turn.id, provenance) : next.origins,
    senders: message && turn.role === 'user' ? new Map(next.senders).set(turn.id, message) : next.senders,
  }
}

/** How long the thoughts of a turn took, before what was live of it goes. */
function thought(view: View, turn: string): View {
  const blocks = view.live.find((one) => one.id === turn)?.blocks.filter((one) => one.artifact.kind === 'reasoning') ?? []
  const seconds = blocks.map(({ since, until }) => (since !== undefined && until !== undefined ? (until - since) / 1000 : undefined))
  return seconds.some((one) => one !== undefined) ? { ...view, thoughts: new Map(view.thoughts).set(turn, seconds) } : view
}

/** The turns before `turn`: all, or those up to its parent when the tip was moved meanwhile. */
function pathTo(view: View, turn: Turn): { kept: readonly Turn[]; stale: boolean } {
  let parent = turn.parent_id ?? null
  while (parent !== null && view.skipped.has(parent)) parent = view.skipped.get(parent) ?? null
  const last = view.turns[view.turns.length - 1]
  if (!last || last.id === parent) return { kept: view.turns, stale: false }
  if (parent === null) return { kept: [], stale: false }
  const index = view.turns.findIndex((one) => one.id === parent)
  return index < 0 ? { kept: view.turns, stale: true } : { kept: view.turns.slice(0, index + 1), stale: false }
}

function restarted(view: View, event: WireEvent): View {
  const path = event.context.path
  if (!path?.length) {
    return { ...view, live: besides(view.live, event.context.message) }
  }
  const call = callOf(view, path[path.length - 1] as string)
  const last = call.children.findLast((block) => block.artifact.kind !== 'tool_result')
  const calls = call.children.some((one) => one.artifact.kind === 'tool_call' && view.calls.get(callKey(call.children, one) ?? '')?.result)
  // The attempt that failed is the last turn inside the call, unless its calls already ran.
  if (!last || calls && call.children.filter((one) => turnOf(one.id) === turnOf(last.id)).some((one) => view.calls.get(callKey(call.children, one) ?? '')?.result)) return view
  const children = call.children.filter((block) => turnOf(block.id) !== turnOf(last.id))
  return { ...view, calls: new Map(view.calls).set(call.key, { ...call, children }) }
}

/** Without what a message said so far: the attempt failed. */
const besides = (live: readonly LiveTurn[], message: string | undefined): readonly LiveTurn[] =>
  live.filter((turn) => turn.message !== undefined && turn.message !== message)

function fragment(view: View, event: WireEvent, grow: (so_far?: Artifact) => Artifact, at?: number): View {
  const { block, path, message } = event.context
  const id = block ?? `${loose(message)}:1`
  if (path?.length) return inside(view, path, (blocks) => put(blocks, id, grow(openAt(blocks, id)), true, at))
  const before = view.live.find((turn) => turn.id === turnOf(id))
  return { ...view, live: putBlock(view.live, id, grow(openAt(before?.blocks ?? [], id)), true, message, at) }
}

/** A complete artifact of any kind: it replaces what its fragments showed. */
function generic(view: View, event: WireEvent, at?: number): View {
  const { block, path, message } = event.context
  const artifact = asArtifact(event)
  if (!artifact || (!block && !MEDIA.has(event.kind))) return view
  const id = block ?? `${loose(message)}:${event.context.id}`
  if (path?.length) return inside(view, path, (blocks) => put(blocks, id, artifact, false, at))
  if (view.turns.some((turn) => turn.id === turnOf(id))) return view
  return { ...view, live: putBlock(view.live, id, artifact, false, message, at) }
}

const MEDIA = new Set(['image', 'file', 'audio', 'server_tool'])

function putResult(view: View, path: readonly string[], artifact: ToolResultArtifact, at?: number): View {
  const key = path[path.length - 1] as string
  const calls = new Map(view.calls)
  const call = callOf(view, key)
  calls.set(key, { ...call, result: artifact, active: false, until: at ?? call.until })
  return { ...view, calls }
}

function inside(view: View, path: readonly string[], change: (blocks: readonly Block[]) => readonly Block[]): View {
  const call = callOf(view, path[path.length - 1] as string)
  return { ...view, calls: new Map(view.calls).set(call.key, { ...call, children: change(call.children) }) }
}

const callOf = (view: View, key: string): Call => view.calls.get(key) ?? { key, children: [] }

function putBlock(
  live: readonly LiveTurn[], id: string, artifact: Artifact, open: boolean, message?: string, at?: number,
): LiveTurn[] {
  const turn = turnOf(id)
  if (!live.some((one) => one.id === turn)) return [...live, { id: turn, message, blocks: put([], id, artifact, open, at) }]
  return live.map((one) => (one.id === turn
    ? { ...one, message: one.message ?? message, blocks: put(one.blocks, id, artifact, open, at) } : one))
}

function put(blocks: readonly Block[], id: string, artifact: Artifact, open: boolean, at?: number): readonly Block[] {
  const index = blocks.findIndex((block) => block.id === id)
  const before = blocks[index]
  if (before && !before.open && open) return blocks // a late fragment of a block that is complete
  const block: Block = { id, artifact, open, since: before?.since ?? at, until: open ? undefined : at }
  if (before) return blocks.map((one, place) => (place === index ? block : one))
  const turn = turnOf(id)
  const next = blocks.findIndex((one) => turnOf(one.id) === turn && placeOf(one.id) > placeOf(id))
  return next < 0 ? [...blocks, block] : [...blocks.slice(0, next), block, ...blocks.slice(next)]
}

const openAt = (blocks: readonly Block[], id: string): Artifact | undefined =>
  blocks.find((block) => block.id === id && block.open)?.artifact

function note(view: View, event: WireEvent, what: Pick<Note, 'severity' | 'content' | 'failure'>, at?: number): View {
  const after = view.turns[view.turns.length - 1]?.id ?? null
  const one: Note = { ...what, id: event.context.id, after, message: event.context.message, at }
  return { ...view, notes: [...view.notes, one] }
}

/** Nothing runs any more. */
const settle = (calls: ReadonlyMap<string, Call>): ReadonlyMap<string, Call> =>
  new Map([...calls].map(([key, call]) => [key, call.active ? { ...call, active: false } : call]))

const loose = (message?: string): string => `~${message ?? ''}`

export const turnOf = (block: string): string => block.slice(0, block.lastIndexOf(':'))
const placeOf = (block: string): number => Number(block.slice(block.lastIndexOf(':') + 1)) || 0

/** The key of the call that a block is: its turn and its place among that turn's calls. */
export function callKey(blocks: readonly Block[], block: Block): string | null {
  if (block.artifact.kind !== 'tool_call') return null
  const turn = turnOf(block.id)
  const calls = blocks.filter((one) => turnOf(one.id) === turn && one.artifact.kind === 'tool_call')
  return `${turn}:${calls.indexOf(block)}`
}

/** Results by call key, paired by position: a tool turn answers the calls of the assistant's turn before it. */
export function resultsOf(turns: readonly Turn[]): Map<string, ToolResultArtifact> {
  const results = new Map<string, ToolResultArtifact>()
  let caller: Turn | undefined
  let place = 0
  for (const turn of turns) {
    if (turn.role === 'assistant') { caller = turn; place = 0 }
    for (const artifact of turn.artifacts) {
      if (artifact.kind === 'tool_result' && caller) results.set(`${caller.id}:${place++}`, artifact)
    }
  }
  return results
}

const EVENTS = new Set(['turn_complete', 'turn_restarted', 'lifecycle', 'error', 'properties', 'activity', 'notice',
  'question', 'answer', 'session_switch', 'gap'])

function asArtifact(event: WireEvent): Artifact | null {
  if (EVENTS.has(event.kind) || event.kind.endsWith('_delta')) return null
  return strip(event, true) as unknown as Artifact
}

function strip(event: WireEvent, keepKind = false): Record<string, unknown> {
  const { context: _context, ...rest } = event
  if (keepKind) return rest
  const { kind: _kind, ...fields } = rest
  return fields
}

function pick(from: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.filter((name) => from[name] != null).map((name) => [name, from[name]]))
}

function without<V>(map: ReadonlyMap<string, V>, keys: ReadonlySet<string>): ReadonlyMap<string, V> {
  return [...keys].some((key) => map.has(key)) ? new Map([...map].filter(([key]) => !keys.has(key))) : map
}
