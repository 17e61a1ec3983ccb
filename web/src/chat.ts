/** One session as this page sees it: what is shown, what is being sent, and how the line stands. */

import { batch, computed, signal } from '@preact/signals'
import { Api, ApiError } from './api.js'
import { EMPTY, applyEvents, applySnapshot, compareIds, isRunning, type View } from './reducer.js'
import { readFrames } from './sse.js'
import { textOf, type Answer, type Artifact, type Content, type Snapshot, type WireEvent } from './wire.js'

export type Line = 'new' | 'loading' | 'live' | 'reconnecting' | 'offline' | 'unauthorised' | 'missing' | 'closed'

/** A message of this page that the server has not shown yet. */
export interface Sending {
  readonly id: string
  readonly content: Content
  readonly state: 'sending' | 'sent' | 'failed'
  readonly mode?: string
  readonly error?: string
}

const MAX_WAIT_MS = 15_000
/** How many messages are drawn at first, and how many more each time. */
export const PAGE = 60

export class Chat {
  readonly view = signal<View>(EMPTY)
  readonly line = signal<Line>('new')
  readonly lineError = signal('')
  readonly outbox = signal<readonly Sending[]>([])
  readonly session = signal<string | null>(null)
  readonly drawn = signal(PAGE)
  readonly stopping = signal(false)
  readonly running = computed(() => isRunning(this.view.value))
  /** What the screen reader is told, politely: whole answers, not fragments. */
  readonly said = signal('')

  #stop: AbortController | null = null
  #waiting: WireEvent[] = []
  #frame: number | null = null
  #attempt = 0
  #wake: (() => void) | null = null
  #creating: Promise<{ id: string; state: Snapshot }> | null = null
  readonly #off: (() => void)[] = []

  constructor(readonly api: Api, readonly onSession: (id: string) => void = () => undefined) {
    const wake = () => this.wake()
    const shown = () => { if (document.visibilityState === 'visible') { this.#flush(); this.wake() } }
    const gone = () => { if (this.line.value === 'live') this.line.value = 'offline'; this.#stop?.abort('offline') }
    window.addEventListener('online', wake)
    window.addEventListener('offline', gone)
    document.addEventListener('visibilitychange', shown)
    this.#off.push(() => window.removeEventListener('online', wake), () => window.removeEventListener('offline', gone),
      () => document.removeEventListener('visibilitychange', shown))
  }

  /** Show a session, or with `null` a conversation that begins with its first message. */
  open(id: string | null): void {
    this.#stop?.abort('left')
    this.#stop = null
    this.#waiting = []
    batch(() => {
      this.view.value = EMPTY
      this.drawn.value = PAGE
      this.session.value = id
      this.stopping.value = false
      this.line.value = id === null ? 'new' : 'loading'
      this.lineError.value = ''
      this.outbox.value = id === null ? [] : recallOutbox(id)
    })
    this.#creating = null
    if (id !== null) void this.#follow(id)
  }

  close(): void {
    this.open(null)
    for (const off of this.#off) off()
  }

  /** Try again at once instead of at the end of the wait. */
  wake(): void { this.#wake?.() }

  async #follow(id: string, known?: Snapshot): Promise<void> {
    this.#attempt = 0
    let fresh = true
    while (this.session.value === id) {
      const stop = new AbortController()
      this.#stop = stop
      try {
        if (fresh) {
          const snapshot = known ?? await this.api.snapshot(id)
          known = undefined
          if (stop.signal.aborted) throw stop.signal.reason
          this.view.value = applySnapshot(this.view.value, snapshot)
          fresh = false
        }
        await this.#listen(id, stop)
      } catch (error) {
        if (this.session.value !== id) return
        if (error instanceof ApiError && this.#isFinal(error)) return
        fresh ||= error instanceof ApiError && error.status === 400
      }
      if (this.session.value !== id) return
      this.line.value = navigator.onLine === false ? 'offline' : fresh && this.#attempt === 0 ? 'loading' : 'reconnecting'
      await this.#pause()
    }
  }

  #isFinal(error: ApiError): boolean {
    const line = error.status === 401 ? 'unauthorised' : error.status === 404 ? 'missing' : error.status === 409 ? 'closed' : null
    if (!line) return false
    batch(() => { this.line.value = line; this.lineError.value = error.message })
    return true
  }

  async #listen(id: string, stop: AbortController): Promise<void> {
    const body = await this.api.events(id, this.view.value.cursor, stop.signal)
    batch(() => { this.line.value = 'live'; this.lineError.value = '' })
    this.#attempt = 0
    void this.#resend(id)
    await readFrames(body, (frames) => {
      for (const frame of frames) {
        try { this.#waiting.push(JSON.parse(frame.data) as WireEvent) } catch { /* not an event of ours */ }
      }
      this.#schedule()
    })
  }

  async #pause(): Promise<void> {
    const wait = Math.min(MAX_WAIT_MS, 300 * 2 ** this.#attempt++) * (0.75 + Math.random() / 2)
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, wait)
      this.#wake = () => { clearTimeout(timer); resolve() }
    })
    this.#wake = null
  }

  /** One change of the page per frame, whatever arrived; a hidden tab has no frames. */
  #schedule(): void {
    if (document.visibilityState === 'hidden') { this.#flush(); return }
    this.#frame ??= requestAnimationFrame(() => this.#flush())
  }

  #flush(): void {
    if (this.#frame !== null) cancelAnimationFrame(this.#frame)
    this.#frame = null
    if (this.#waiting.length === 0) return
    const events = this.#waiting
    this.#waiting = []
    const before = this.view.value
    const view = applyEvents(before, events, Date.now())
    batch(() => {
      this.view.value = view
      this.#settle(view)
      if (!isRunning(view)) this.stopping.value = false
      this.#announce(before, view)
    })
    if (view.stale) void this.#refresh()
  }

  #announce(before: View, view: View): void {
    if (view.turns === before.turns) return
    const turn = view.turns[view.turns.length - 1]
    if (turn?.role === 'assistant') this.said.value = textOf(turn.artifacts)
  }

  async #refresh(): Promise<void> {
    const id = this.session.value
    if (id === null) return
    this.view.value = { ...this.view.value, stale: false }
    try {
      const snapshot = await this.api.snapshot(id)
      const cursor = this.view.value.cursor
      // Events that came meanwhile are newer than the answer: the next look is right.
      if (this.session.value !== id) return
      if (cursor !== null && compareIds(snapshot.id, cursor) < 0) { setTimeout(() => void this.#refresh(), 200); return }
      this.view.value = applySnapshot(this.view.value, snapshot)
      this.#settle(this.view.value)
    } catch { /* the connection tells */ }
  }

  // ── Sending ──

  /** Send; the text stays with its id until the server has it, however often that is tried. */
  send(content: Content, mode?: string, id: string = newId()): void {
    this.#put({ id, content, state: 'sending', mode })
    void this.#deliver(id)
  }

  retry(id: string): void { void this.#deliver(id) }

  discard(id: string): void { this.#setOutbox(this.outbox.value.filter((one) => one.id !== id)) }

  async #deliver(id: string): Promise<void> {
    const one = this.outbox.value.find((item) => item.id === id)
    if (!one) return
    this.#put({ ...one, state: 'sending', error: undefined })
    try {
      const session = await this.#ensure()
      await this.api.send(session, { id, content: one.content, ...(one.mode ? { mode: one.mode } : {}) })
      this.#put({ ...one, state: 'sent', error: undefined })
      this.#settle(this.view.value)
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) this.line.value = 'unauthorised'
      this.#put({ ...one, state: 'failed', error: error instanceof ApiError ? error.message : 'no connection. It goes out when there is one again.' })
      // Without an answer nobody knows whether it arrived; the same id makes another try safe.
      if (!(error instanceof ApiError)) this.wake()
    }
  }

  async #ensure(): Promise<string> {
    if (this.session.value !== null) return this.session.value
    // Its state is known before the first message goes out, so that nothing that this brings is missed.
    const creating = this.#creating ??= this.#create()
    try {
      const { id, state } = await creating
      if (this.session.value === null && this.#creating === creating) {
        batch(() => { this.session.value = id; this.line.value = 'loading' })
        this.#store()
        this.onSession(id)
        void this.#follow(id, state)
      }
      return id
    } catch (error) {
      if (this.#creating === creating) this.#creating = null
      throw error
    }
  }

  async #create(): Promise<{ id: string; state: Snapshot }> {
    const metadata = this.view.value.metadata
    const { id } = await this.api.createSession({ ...this.sessionFields(), ...(Object.keys(metadata).length > 0 ? { metadata } : {}) })
    return { id, state: await this.api.snapshot(id) }
  }

  /** What a new session is made with. */
  sessionFields: () => Record<string, unknown> = () => ({})

  /** When the line is back: what has no answer yet goes out again, under its id. */
  async #resend(session: string): Promise<void> {
    for (const one of this.outbox.value) {
      if (one.state === 'failed') { await this.#deliver(one.id); continue }
      if (one.state !== 'sent') continue
      try {
        const { status } = await this.api.message(session, one.id)
        if (status !== 'waiting') this.discard(one.id)
      } catch { /* the next line tries again */ }
    }
  }

  #put(one: Sending): void {
    const known = this.outbox.value.some((item) => item.id === one.id)
    if (!known && one.state !== 'sending') return // it has settled meanwhile
    this.#setOutbox(known ? this.outbox.value.map((item) => (item.id === one.id ? one : item)) : [...this.outbox.value, one])
  }

  /** Take out what the server shows by now. */
  #settle(view: View): void {
    const shown = new Set([...view.senders.values(), ...view.ended.keys(), ...view.queue.filter((one) => one.status === 'waiting').map((one) => one.id)])
    const rest = this.outbox.value.filter((one) => !shown.has(one.id))
    if (rest.length !== this.outbox.value.length) this.#setOutbox(rest)
  }

  #setOutbox(outbox: readonly Sending[]): void {
    this.outbox.value = outbox
    this.#store()
  }

  #store(): void {
    if (this.session.value !== null) storeOutbox(this.session.value, this.outbox.value)
  }

  // ── Acting ──

  async stop(): Promise<void> {
    const id = this.session.value
    if (id === null) return
    this.stopping.value = true
    try { await this.api.interrupt(id, false) } catch (error) { this.#failed(error) }
    if (!this.running.value) this.stopping.value = false
  }

  async withdraw(message: string): Promise<void> {
    const id = this.session.value
    if (id === null) return
    try { await this.api.withdraw(id, message) } catch (error) { if (!(error instanceof ApiError && error.status === 409)) this.#failed(error) }
  }

  async answer(key: string, answer: Omit<Answer, 'key'>): Promise<void> {
    const id = this.session.value
    if (id === null) return
    try {
      await this.api.answer(id, key, answer)
    } catch (error) {
      // Somebody else was first, or it expired: the state tells.
      if (error instanceof ApiError && (error.status === 409 || error.status === 404)) await this.#refresh()
      else throw error
    }
  }

  async stopCall(key: string): Promise<void> {
    const id = this.session.value
    if (id !== null) await this.api.stopActivity(id, key).catch((error: unknown) => this.#failed(error))
  }

  async setMetadata(values: Record<string, string | null>): Promise<void> {
    const id = this.session.value
    if (id !== null) { await this.api.setMetadata(id, values).catch((error: unknown) => this.#failed(error)); return }
    // A conversation that has not begun is made with them.
    const facts = Object.entries({ ...this.view.value.metadata, ...values }).filter((one): one is [string, string] => one[1] !== null)
    this.view.value = { ...this.view.value, metadata: Object.fromEntries(facts) }
  }

  /** A passing message at the foot of the page. */
  readonly alert = signal('')
  #failed(error: unknown): void { this.alert.value = error instanceof Error ? error.message : String(error) }
  fail(error: unknown): void { this.#failed(error) }
}

/** Made once per message, before the first try. */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12))
  return `w${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

const KEY = 'ore.outbox.'

function recallOutbox(session: string): readonly Sending[] {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY + session) ?? '[]') as Sending[]
    // A page that went away may have had an answer or not: both are settled by sending it again.
    return kept.map((one) => ({ ...one, state: one.state === 'sent' ? 'sent' : 'failed' }))
  } catch { return [] }
}

function storeOutbox(session: string, outbox: readonly Sending[]): void {
  try {
    if (outbox.length === 0) localStorage.removeItem(KEY + session)
    else localStorage.setItem(KEY + session, JSON.stringify(outbox))
  } catch { /* full, or not allowed: the page still has it */ }
}

export type { Artifact }
