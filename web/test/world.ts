/** A server in small: it tells what happens as events, and at any moment as a snapshot. */

import fc from 'fast-check'
import type { Artifact, LiveBlock, Question, Queued, Snapshot, Turn, WireEvent } from '../src/wire.js'

export type Act =
  | { do: 'send'; text: string } | { do: 'begin' } | { do: 'say'; kind: 'text' | 'reasoning'; text: string } | { do: 'close' }
  | { do: 'call'; name: string } | { do: 'turn' } | { do: 'child'; text: string } | { do: 'result' } | { do: 'ask' } | { do: 'answer' }
  | { do: 'restart' } | { do: 'end' } | { do: 'set'; key: string; value: string | null } | { do: 'withdraw' }

const word = fc.string({ maxLength: 6 })
export const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('send' as const), text: word }) },
  { weight: 2, arbitrary: fc.constant({ do: 'begin' as const }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constant('say' as const), kind: fc.constantFrom('text' as const, 'reasoning' as const), text: word }) },
  { weight: 2, arbitrary: fc.constant({ do: 'close' as const }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('call' as const), name: fc.constantFrom('read', 'write') }) },
  { weight: 4, arbitrary: fc.constant({ do: 'turn' as const }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('child' as const), text: word }) },
  { weight: 3, arbitrary: fc.constant({ do: 'result' as const }) },
  { weight: 1, arbitrary: fc.constant({ do: 'ask' as const }) },
  { weight: 1, arbitrary: fc.constant({ do: 'answer' as const }) },
  { weight: 3, arbitrary: fc.constant({ do: 'restart' as const }) },
  { weight: 2, arbitrary: fc.constant({ do: 'end' as const }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('set' as const), key: fc.constantFrom('a', 'b'), value: fc.option(word) }) },
  { weight: 1, arbitrary: fc.constant({ do: 'withdraw' as const }) },
)

interface Open { id: string; artifact: Artifact; closed: boolean }

export class World {
  readonly events: WireEvent[] = []
  /** The snapshot after each event; the first stands before all. */
  readonly snapshots: Snapshot[] = []
  #epoch = 3
  #number = 0
  #turns: Turn[] = []
  #metadata: Record<string, string> = {}
  #phase = 'idle'
  #queue: Queued[] = []
  #questions: Question[] = []
  #blocks: Open[] = []
  #turn = ''
  #made = 0
  #pending: string[] = []
  #results: Artifact[] = []
  /** What happened inside the calls that wait for their turn, and their results. */
  #inside: LiveBlock[] = []

  constructor(acts: readonly Act[]) {
    this.#keep()
    for (const one of acts) this.#act(one)
  }

  get #running(): Queued | undefined { return this.#queue.find((one) => one.status === 'running') }

  #keep(): void {
    this.snapshots.push(structuredClone({
      id: `${this.#epoch}-${this.#number}`, turns: this.#turns, metadata: this.#metadata, phase: this.#phase, queue: this.#queue,
      questions: this.#questions, blocks: [...this.#shown(), ...this.#inside],
    }))
  }

  /** The blocks of the turn in the making. */
  #shown(): LiveBlock[] {
    return this.#blocks.map((one) => ({ block: one.id, artifact: one.artifact, ...(one.closed ? { open: false } : {}) }))
  }

  #emit(kind: string, fields: object, context: object = {}): void {
    this.#number++
    this.events.push(structuredClone({ kind, ...fields, context: { id: `${this.#epoch}-${this.#number}`, ...context } }) as WireEvent)
    this.#keep()
  }

  #act(act: Act): void {
    const running = this.#running
    const here = { message: running?.id }
    switch (act.do) {
      case 'send': {
        const id = `m${++this.#made}`
        const content: Artifact[] = [{ kind: 'text', content: act.text }]
        if (running || this.#queue.length > 0) {
          this.#queue = [...this.#queue, { id, content, status: 'waiting', position: this.#queue.filter((one) => one.status === 'waiting').length + 1 }]
          this.#emit('lifecycle', { phase: 'queued' }, { message: id })
        } else this.#start({ id, content, status: 'running', position: 0 })
        return
      }
      case 'begin':
        if (!running || this.#turn || this.#pending.length > 0) return
        this.#turn = `t${++this.#made}`
        this.#phase = 'submitted'
        this.#emit('lifecycle', { phase: 'submitted' }, here)
        this.#phase = 'streaming'
        this.#emit('lifecycle', { phase: 'streaming' }, here)
        return
      case 'say': {
        if (!this.#turn) return
        const last = this.#blocks.at(-1)
        if (last && !last.closed && last.artifact.kind !== act.kind) this.#close()
        let open = this.#blocks.at(-1)
        if (!open || open.closed) { open = { id: `${this.#turn}:${this.#blocks.length + 1}`, artifact: { kind: act.kind, content: '' }, closed: false }; this.#blocks.push(open) }
        open.artifact = { kind: act.kind, content: (open.artifact as { content: string }).content + act.text }
        this.#emit(`${act.kind}_delta`, { content: act.text }, { ...here, block: open.id })
        return
      }
      case 'close': this.#close(); return
      case 'call': {
        if (!this.#turn) return
        this.#close()
        const id = `${this.#turn}:${this.#blocks.length + 1}`
        const artifact: Artifact = { kind: 'tool_call', id: `c${id}`, name: act.name, arguments: '{"a":1}' }
        const block: Open = { id, artifact: { ...artifact, arguments: '{"a"' } as Artifact, closed: false }
        this.#blocks.push(block)
        this.#emit('tool_call_delta', { index: 0, id: `c${id}`, name: act.name, arguments: '{"a"' }, { ...here, block: id })
        block.artifact = artifact
        this.#emit('tool_call_delta', { index: 0, id: '', name: '', arguments: ':1}' }, { ...here, block: id })
        this.#close()
        return
      }
      case 'turn': {
        if (!this.#turn || this.#blocks.length === 0) return
        this.#close()
        const id = this.#turn
        const artifacts = this.#blocks.map((one) => one.artifact)
        this.#pending = artifacts.filter((one) => one.kind === 'tool_call').map((_, place) => `${id}:${place}`)
        this.#blocks = []
        this.#turn = ''
        if (this.#pending.length > 0) this.#phase = 'tools'
        this.#add({ id, role: 'assistant', artifacts }, here)
        return
      }
      case 'child': {
        const key = this.#pending[0]
        if (!key) return
        const block = `k${key}:1`
        const so_far = this.#inside.find((one) => one.block === block)
        const content = ((so_far?.artifact as { content?: string })?.content ?? '') + act.text
        const shown: LiveBlock = { block, artifact: { kind: 'text', content }, path: [key] }
        this.#inside = so_far ? this.#inside.map((one) => (one === so_far ? shown : one)) : [...this.#inside, shown]
        this.#emit('text_delta', { content: act.text }, { ...here, path: [key], block })
        return
      }
      case 'result': {
        const key = this.#pending[0]
        if (!key || this.#questions.length > 0) return
        this.#pending = this.#pending.slice(1)
        const result = { kind: 'tool_result', tool_call_id: key, content: `of ${key}`, is_error: false, status: 'ok' } as Artifact
        this.#results.push(result)
        this.#inside = [...this.#inside, { artifact: result, open: false, path: [key] }]
        const { kind, ...fields } = result
        this.#emit(kind, fields, { ...here, path: [key] })
        if (this.#pending.length > 0) return
        const artifacts = this.#results
        this.#results = []
        this.#inside = []
        this.#add({ id: `t${++this.#made}`, role: 'tool', artifacts }, here)
        return
      }
      case 'ask': {
        const key = this.#pending[0]
        if (!key || this.#questions.length > 0) return
        const question: Question = { key, purpose: 'approval', tool: 'write', call_key: key, arguments: '{"a":1}' }
        this.#questions = [question]
        this.#phase = 'waiting'
        this.#emit('question', question, { ...here, path: [key] })
        return
      }
      case 'answer': {
        const [question] = this.#questions
        if (!question) return
        this.#questions = []
        this.#phase = 'tools'
        this.#emit('answer', { key: question.key, decision: 'approve' }, here)
        return
      }
      case 'restart':
        if (!this.#turn) return
        this.#blocks = []
        this.#emit('turn_restarted', { attempt: 2 }, here)
        return
      case 'end': {
        if (!running || this.#turn || this.#pending.length > 0) return
        const rest = this.#queue.filter((one) => one !== running)
        this.#queue = rest
        this.#phase = rest.length > 0 ? 'queued' : 'idle'
        this.#emit('lifecycle', { phase: 'done', outcome: 'done' }, here)
        const [next] = rest
        if (next) this.#start({ ...next, status: 'running', position: 0 })
        return
      }
      case 'set':
        if (act.value === null) delete this.#metadata[act.key]
        else this.#metadata[act.key] = act.value
        this.#emit('properties', { operations: [{ op: act.value === null ? 'delete' : 'set', key: act.key, value: act.value }] })
        return
      case 'withdraw': {
        const gone = this.#queue.find((one) => one.status === 'waiting')
        if (!gone) return
        this.#queue = this.#queue.filter((one) => one !== gone).map((one) => (one.status === 'waiting' ? { ...one, position: one.position - 1 } : one))
        this.#emit('lifecycle', { phase: 'done', outcome: 'cleared', content: gone.content }, { message: gone.id })
      }
    }
  }

  #start(one: Queued): void {
    this.#queue = [one, ...this.#queue.filter((other) => other.id !== one.id).map((other, place) => ({ ...other, position: place + 1 }))]
    this.#phase = 'submitted'
    this.#add({ id: `t${++this.#made}`, role: 'user', artifacts: one.content as Artifact[] }, { message: one.id })
  }

  #close(): void {
    const open = this.#blocks.find((one) => !one.closed)
    if (!open) return
    open.closed = true
    const { kind, ...fields } = open.artifact
    this.#emit(kind, fields, { message: this.#running?.id, block: open.id })
  }

  #add(turn: Pick<Turn, 'id' | 'role' | 'artifacts'>, context: object): void {
    const whole: Turn = { ...turn, parent_id: this.#turns.at(-1)?.id ?? null, status: 'complete', control: 'continue' }
    this.#turns = [...this.#turns, whole]
    this.#emit('turn_complete', { turn: whole }, context)
  }
}
