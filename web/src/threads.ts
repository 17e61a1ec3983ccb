/** The list of conversations: pages by cursor, search, and what is being removed. */

import { signal } from '@preact/signals'
import type { Api } from './api.js'
import type { Thread } from './wire.js'

const UNDO_MS = 6_000
const LOOK_MS = 10_000

export class Threads {
  readonly list = signal<readonly Thread[]>([])
  readonly running = signal<ReadonlySet<string>>(new Set())
  readonly query = signal('')
  readonly loading = signal(false)
  readonly error = signal('')
  /** The one that was removed last and can still come back. */
  readonly removed = signal<Thread | null>(null)

  #cursor: string | null = null
  #run = 0
  #looks = 0
  /** Something happened while a page was on its way. */
  #again = false
  #timer: ReturnType<typeof setTimeout> | undefined
  #undo: ReturnType<typeof setTimeout> | undefined
  readonly #hidden = new Set<string>()
  readonly #look: ReturnType<typeof setInterval>

  constructor(readonly api: Api, readonly href: (id: string) => string) {
    this.#look = setInterval(() => { if (document.visibilityState === 'visible') void this.refresh() }, LOOK_MS)
  }

  close(): void {
    clearInterval(this.#look)
    this.#purge()
  }

  search(text: string): void {
    this.query.value = text
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.reload(), 200)
  }

  /** From the first page; an answer that a later question overtook is dropped. */
  async reload(): Promise<void> { await this.#page(null) }

  async more(): Promise<void> {
    if (this.#cursor !== null && !this.loading.value) await this.#page(this.#cursor)
  }

  /** The newest page again, in place. */
  async refresh(): Promise<void> {
    if (this.loading.value) { this.#again = true; return }
    if (this.query.value) return
    const run = this.#run
    const look = ++this.#looks
    try {
      const [{ threads }, { sessions }] = await Promise.all([this.api.threads({}), this.api.sessions()])
      if (look !== this.#looks) return // a newer one is on its way
      this.running.value = new Set(sessions.filter((one) => one.phase !== 'idle').map((one) => one.id))
      if (run !== this.#run) return // a search, or another page, was asked for meanwhile
      const fresh = new Set(threads.map((one) => one.id))
      this.list.value = [...threads, ...this.list.value.filter((one) => !fresh.has(one.id))].filter((one) => !this.#hidden.has(one.id))
    } catch { /* the list stays as it was */ }
  }

  async #page(cursor: string | null): Promise<void> {
    const run = ++this.#run
    this.loading.value = true
    this.error.value = ''
    try {
      const query = { q: this.query.value || undefined, cursor: cursor ?? undefined }
      const { threads, next_cursor } = await this.api.threads(query as { q?: string; cursor?: string })
      if (run !== this.#run) return
      const before = cursor === null ? [] : this.list.value
      const known = new Set(before.map((one) => one.id))
      this.list.value = [...before, ...threads.filter((one) => !known.has(one.id) && !this.#hidden.has(one.id))]
      this.#cursor = next_cursor ?? null
    } catch (error) {
      if (run === this.#run) this.error.value = (error as Error).message
    } finally {
      if (run === this.#run) {
        this.loading.value = false
        if (this.#again) { this.#again = false; void this.refresh() }
      }
    }
  }

  async rename(id: string, title: string): Promise<void> {
    this.list.value = this.list.value.map((one) => (one.id === id ? { ...one, title: title || null } : one))
    try { await this.api.setMetadata(id, { 'ore.title': title.trim() || null }) } catch (error) { this.error.value = (error as Error).message }
  }

  /** Gone at once, deleted after a moment in which it can come back. */
  remove(id: string): void {
    this.#purge()
    const thread = this.list.value.find((one) => one.id === id)
    if (!thread) return
    this.#hidden.add(id)
    this.list.value = this.list.value.filter((one) => one.id !== id)
    this.removed.value = thread
    this.#undo = setTimeout(() => this.#purge(), UNDO_MS)
  }

  undo(): void {
    const thread = this.removed.value
    clearTimeout(this.#undo)
    if (!thread) return
    this.#hidden.delete(thread.id)
    this.removed.value = null
    void this.reload()
  }

  #purge(): void {
    clearTimeout(this.#undo)
    const thread = this.removed.value
    this.removed.value = null
    if (thread) void this.api.deleteThread(thread.id).catch((error: Error) => {
      this.#hidden.delete(thread.id)
      this.error.value = error.message
      void this.reload()
    })
  }
}
