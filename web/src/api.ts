/** The routes of the server, one method each. */

import type { Agent, Answer, Content, Model, Question, Queued, Snapshot, Thread, Turn } from './wire.js'

export class ApiError extends Error {
  constructor(readonly status: number, readonly code: string, message: string, readonly retryAfterS?: number) {
    super(message)
  }
}

type Json = Record<string, unknown>

export class Api {
  /** Args: `server` is where the routes stand, such as `https://host/chat/`; `token` goes with every request. */
  constructor(readonly server: string, public token: string | null = null) {}

  url(path: string): string { return new URL(path.replace(/^\//, ''), this.server).href }

  async #fetch(method: string, path: string, body?: unknown, headers: Record<string, string> = {}, signal?: AbortSignal): Promise<Response> {
    const sent: Record<string, string> = { Accept: 'application/json', ...headers }
    if (body !== undefined) sent['Content-Type'] = 'application/json'
    if (this.token) sent['Authorization'] = `Bearer ${this.token}`
    const response = await fetch(this.url(path), {
      method, headers: sent, signal, credentials: 'same-origin', cache: 'no-store',
      body: body === undefined ? undefined : JSON.stringify(body),
    })
    if (!response.ok) throw await problem(response)
    return response
  }

  async #json<T>(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<T> {
    const response = await this.#fetch(method, path, body, headers)
    return (response.status === 204 ? undefined : await response.json()) as T
  }

  agents = () => this.#json<{ agents: Agent[] }>('GET', 'agents')
  models = (q: string, limit = 20) => this.#json<{ models: Model[] }>('GET', `models?${new URLSearchParams({ q, limit: String(limit) })}`)
  commands = () => this.#json<{ commands: { name: string; description: string }[] }>('GET', 'commands')
  createSession = (fields: Json) => this.#json<{ id: string }>('POST', 'sessions', fields)
  sessions = () => this.#json<{ sessions: { id: string; phase: string; queued: number }[] }>('GET', 'sessions')
  threads = (query: { limit?: number; cursor?: string; q?: string }) => {
    const search = new URLSearchParams()
    for (const [name, value] of Object.entries(query)) if (value) search.set(name, String(value))
    return this.#json<{ threads: Thread[]; next_cursor?: string | null }>('GET', `threads?${search}`)
  }
  deleteThread = (id: string) => this.#json<void>('DELETE', `threads/${at(id)}`)

  snapshot = (id: string) => this.#json<Snapshot>('GET', `sessions/${at(id)}/snapshot`)
  turns = (id: string) => this.#json<Turn[]>('GET', `sessions/${at(id)}/turns`)
  /** Repeating it with the same id is safe: the message is taken once. */
  send = (id: string, message: { id: string; content: Content; mode?: string }) =>
    this.#json<{ id: string }>('POST', `sessions/${at(id)}/messages`, message, { Prefer: 'respond-async' })
  messages = (id: string) => this.#json<{ messages: Queued[] }>('GET', `sessions/${at(id)}/messages`)
  message = (id: string, message: string) =>
    this.#json<{ id: string; status: string; outcome?: string }>('GET', `sessions/${at(id)}/messages/${at(message)}`)
  withdraw = (id: string, message: string) => this.#json<void>('DELETE', `sessions/${at(id)}/messages/${at(message)}`)
  interrupt = (id: string, clear: boolean) =>
    this.#json<{ cancelled: string | null; cleared: { id: string; content: Content }[] }>('POST', `sessions/${at(id)}/interrupt`, { clear })
  questions = (id: string) => this.#json<{ questions: Question[] }>('GET', `sessions/${at(id)}/questions`)
  answer = (id: string, key: string, answer: Omit<Answer, 'key'>) => this.#json<Answer>('POST', `sessions/${at(id)}/questions/${at(key)}`, answer)
  stopActivity = (id: string, activity: string) => this.#json<void>('DELETE', `sessions/${at(id)}/activities/${at(activity)}`)
  fork = (id: string, fields: Json) => this.#json<{ id: string }>('POST', `sessions/${at(id)}/fork`, fields)
  setTip = (id: string, turn: string | null) => this.#json<unknown>('PUT', `sessions/${at(id)}/tip`, { turn })
  metadata = (id: string) => this.#json<Record<string, string>>('GET', `sessions/${at(id)}/metadata`)
  setMetadata = (id: string, values: Record<string, string | null>) =>
    this.#json<Record<string, string>>('PATCH', `sessions/${at(id)}/metadata`, values)

  async events(id: string, after: string | null, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    const headers: Record<string, string> = { Accept: 'text/event-stream' }
    if (after) headers['Last-Event-ID'] = after
    const response = await this.#fetch('GET', `sessions/${at(id)}/events?kinds=*`, undefined, headers, signal)
    if (!response.body) throw new ApiError(response.status, 'protocol', 'the server sent no stream')
    return response.body
  }

  /** Trade the token for the cookie of this browser; where that is refused, the token itself is used. */
  async login(token: string): Promise<void> {
    this.token = token
    await this.agents()
    if (new URL(this.server).origin !== location.origin) return
    const kept = await fetch(this.url(`?token=${encodeURIComponent(token)}`), { credentials: 'same-origin', cache: 'no-store' })
    if (kept.ok) this.token = null
    try { await this.agents() } catch { this.token = token }
  }
}

const at = encodeURIComponent

async function problem(response: Response): Promise<ApiError> {
  const body = (await response.json().catch(() => ({}))) as { title?: string; detail?: string; code?: string }
  const after = Number(response.headers.get('Retry-After'))
  const said = body.detail || body.title || `the server answered ${response.status}`
  return new ApiError(response.status, body.code ?? String(response.status), said, after > 0 ? after : undefined)
}
