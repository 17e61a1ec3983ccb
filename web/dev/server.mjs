// A small stand-in for the server, for work on the page: `node dev/server.mjs [PORT]`.
// What a message says chooses what happens: slow, long, tool, nested, ask, fail, think; all else is echoed as Markdown.
import { createServer } from 'node:http'
import { readFileSync } from 'node:fs'
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../src/ore/ext/conduits/http/static/', import.meta.url))
const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
const TYPES = { js: 'text/javascript', css: 'text/css', svg: 'image/svg+xml', html: 'text/html; charset=utf-8', txt: 'text/plain' }
const sessions = new Map()
const hex = (n = 8) => randomBytes(n).toString('hex')

class Session {
  constructor(id, { turns = [], metadata = {} } = {}) {
    Object.assign(this, { id, turns: [...turns], metadata: { ...metadata }, log: [], n: 0, phase: 'idle', queue: [], questions: new Map(), blocks: new Map(), readers: new Set(), known: new Map(), last: new Date().toISOString() })
  }

  emit(kind, fields, context = {}) {
    const event = { kind, ...fields, context: { id: `1-${++this.n}`, thread_id: this.id, ...context } }
    this.log.push(event)
    if (kind === 'lifecycle' && fields.phase !== 'queued') this.phase = fields.phase === 'done' ? 'idle' : fields.phase
    for (const reader of this.readers) write(reader, event)
  }

  turn(message, role, artifacts, more = {}) {
    const turn = { id: more.id ?? hex(), parent_id: this.turns.at(-1)?.id ?? null, role, artifacts, timestamp: new Date().toISOString(), status: 'complete', control: 'continue', model: role === 'assistant' ? 'fake:model' : null, origin: null, ...more }
    this.turns.push(turn)
    this.last = turn.timestamp
    this.blocks.clear()
    this.emit('turn_complete', { turn }, { message, provenance: 'http' })
    return turn
  }

  snapshot() {
    const queue = this.queue.map(({ id, content }, place) => ({ id, content, status: place === 0 ? 'running' : 'waiting', position: place }))
    return { id: `1-${this.n}`, turns: this.turns, metadata: this.metadata, phase: this.phase, queue, questions: [...this.questions.values()].map((one) => one.question), blocks: [...this.blocks].map(([block, artifact]) => ({ block, artifact })) }
  }

  submit({ id, content }) {
    if (this.known.has(id)) return
    this.known.set(id, 'waiting')
    const artifacts = typeof content === 'string' ? [{ kind: 'text', content }] : content
    this.queue.push({ id, content: artifacts })
    if (this.queue.length > 1) this.emit('lifecycle', { phase: 'queued' }, { message: id })
    else void this.work()
  }

  async work() {
    while (this.queue.length > 0) {
      const { id, content } = this.queue[0]
      this.known.set(id, 'running')
      this.stop = new AbortController()
      this.turn(id, 'user', content)
      let outcome = 'done'
      try { await this.answer(id, content.map((one) => one.content ?? '').join(' ')) } catch (error) { outcome = error.outcome ?? 'cancelled' }
      this.queue.shift()
      this.known.set(id, 'done')
      if (outcome === 'cancelled') this.emit('lifecycle', { phase: 'cancelled' }, { message: id })
      this.emit('lifecycle', { phase: 'done', outcome }, { message: id })
    }
  }

  async answer(message, said) {
    const context = { message }
    const begin = () => { this.emit('lifecycle', { phase: 'submitted' }, context); this.emit('lifecycle', { phase: 'streaming' }, context) }
    const wait = (ms) => sleep(ms, undefined, { signal: this.stop.signal })
    const say = async (turn, place, kind, text, pause = 8) => {
      const block = `${turn}:${place}`
      let so_far = ''
      for (const piece of text.match(/[\s\S]{1,7}/g) ?? []) {
        try { await wait(pause) } catch (error) { this.turn(message, 'assistant', [{ kind, content: so_far }], { id: turn, status: 'interrupted' }); throw error }
        so_far += piece
        this.blocks.set(block, { kind, content: so_far })
        this.emit(`${kind}_delta`, { content: piece }, { ...context, block })
      }
      this.blocks.delete(block)
      this.emit(kind, { content: text }, { ...context, block })
      return { kind, content: text }
    }
    const usage = { kind: 'usage', prompt_tokens: 10, completion_tokens: 20, total_tokens: 30, cost_usd: '0.0012' }
    begin()
    const turn = hex()
    if (said.includes('fail')) {
      this.emit('error', { code: 'rate_limit', message: 'too many requests', retryable: true, retry_after_s: 3 }, context)
      throw Object.assign(new Error(), { outcome: 'failed' })
    }
    if (/tool|ask|nested/.test(said)) {
      const first = await say(turn, 1, 'text', 'Let me look.')
      const call = { kind: 'tool_call', id: 'c1', name: said.includes('ask') ? 'bash' : said.includes('nested') ? 'researcher' : 'edit_file', arguments: JSON.stringify(said.includes('ask') ? { command: 'rm -rf build' } : { path: 'a.py', old: 'x = 1\ny = 2', new: 'x = 1\ny = 3' }) }
      this.emit('tool_call_delta', { index: 0, id: 'c1', name: call.name, arguments: call.arguments }, { ...context, block: `${turn}:2` })
      this.emit('tool_call', call, { ...context, block: `${turn}:2` })
      this.turn(message, 'assistant', [first, call], { id: turn })
      const key = `${turn}:0`
      this.emit('activity', { id: key, active: true, description: call.name }, { ...context, path: [key] })
      let result = { kind: 'tool_result', tool_call_id: 'c1', content: JSON.stringify({ changed: 1, lines: [1, 2] }), is_error: false, status: 'ok' }
      if (said.includes('ask')) {
        const question = { key, purpose: 'approval', tool: 'bash', call_key: key, arguments: call.arguments }
        const answer = await new Promise((resolve, reject) => {
          this.questions.set(key, { question, resolve })
          this.emit('question', question, { ...context, path: [key] })
          this.phase = 'waiting'
          this.stop.signal.addEventListener('abort', () => reject(this.stop.signal.reason))
        })
        if (answer.decision === 'deny') result = { ...result, content: answer.reason ?? 'denied', is_error: true, status: 'denied' }
      }
      if (said.includes('nested')) {
        const child = hex()
        for (const piece of ['Reading ', 'two ', 'pages.']) { await wait(60); this.emit('text_delta', { content: piece }, { ...context, path: [key], block: `${child}:1` }) }
        this.emit('text', { content: 'Reading two pages.' }, { ...context, path: [key], block: `${child}:1` })
        this.emit('tool_call', { kind: 'tool_call', id: 'x', name: 'fetch', arguments: '{"url":"about:blank"}' }, { ...context, path: [key], block: `${child}:2` })
        await wait(80)
        this.emit('tool_result', { tool_call_id: 'x', content: 'a page', is_error: false, status: 'ok' }, { ...context, path: [key, `${child}:0`] })
      }
      await wait(200)
      this.emit('activity', { id: key, active: false, description: '' }, { ...context, path: [key] })
      this.emit('tool_result', result, { ...context, path: [key] })
      this.turn(message, 'tool', [result])
      begin()
      const last = hex()
      this.turn(message, 'assistant', [await say(last, 1, 'text', 'All done.'), usage], { id: last })
      return
    }
    const thought = said.includes('think') ? [await say(turn, 1, 'reasoning', 'First I weigh **both** sides of it, then decide.', 40)] : []
    const text = said.includes('long') ? Array.from({ length: 60 }, (_, place) => `Paragraph ${place + 1}: ${'words and '.repeat(12)}`).join('\n\n') : said.includes('slow') ? 'Slowly, word by word, this goes on. '.repeat(30) : said
    this.turn(message, 'assistant', [...thought, await say(turn, 2, 'text', text, said.includes('slow') ? 60 : 4), usage], { id: turn })
  }
}

const write = (reader, event) => reader.write(`id: ${event.context.id}\nevent: ${event.kind}\ndata: ${JSON.stringify(event)}\n\n`)

function reply(response, status, body, headers = {}) {
  response.writeHead(status, { 'Content-Type': status < 400 ? 'application/json' : 'application/problem+json', ...headers })
  response.end(body === undefined ? undefined : JSON.stringify(body))
}
const problem = (response, status, code) => reply(response, status, { title: code, status, detail: code, code })

createServer(async (request, response) => {
  const url = new URL(request.url, 'http://localhost')
  const [, first, id, what, key] = url.pathname.split('/').map(decodeURIComponent)
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  const body = chunks.length > 0 ? JSON.parse(Buffer.concat(chunks).toString()) : {}
  const route = `${request.method} ${first}${what ? `/${what}` : ''}`
  if (['', 'chat', 'static'].includes(first)) {
    const name = first === 'static' ? id : 'index.html'
    try {
      const data = readFileSync(root + name.replaceAll('/', ''))
      response.writeHead(200, { 'Content-Type': TYPES[name.split('.').pop()], 'Content-Security-Policy': POLICY, 'X-Content-Type-Options': 'nosniff' })
      return response.end(data)
    } catch { return problem(response, 404, 'not_found') }
  }
  if (route === 'GET agents') return reply(response, 200, { agents: [{ name: 'Helper', description: 'A small stand-in that echoes what you say.' }] })
  if (route === 'GET threads') {
    const q = url.searchParams.get('q') ?? ''
    const all = [...sessions.values()].sort((a, b) => (a.last < b.last ? 1 : -1)).map((one) => ({ id: one.id, title: one.metadata['ore.title'] ?? null, preview: one.turns[0]?.artifacts.find((part) => part.kind === 'text')?.content.slice(0, 120) ?? null, last_at: one.last })).filter((one) => `${one.title} ${one.preview}`.includes(q))
    const from = Number(url.searchParams.get('cursor') ?? 0)
    return reply(response, 200, { threads: all.slice(from, from + 20), ...(all.length > from + 20 ? { next_cursor: String(from + 20) } : {}) })
  }
  if (route === 'DELETE threads') { sessions.delete(id); return reply(response, 204) }
  if (route === 'GET sessions') return reply(response, 200, { sessions: [...sessions.values()].map((one) => ({ id: one.id, phase: one.phase, queued: one.queue.length })) })
  if (route === 'POST sessions') { const session = new Session(hex(), body); sessions.set(session.id, session); return reply(response, 201, { id: session.id }) }
  const session = sessions.get(id)
  if (first !== 'sessions' || !session) return problem(response, 404, 'not_found')
  if (route === 'POST sessions/messages') { session.submit(body); return reply(response, 202, { id: body.id }) }
  if (route === 'GET sessions/messages') return reply(response, 200, key ? { id: key, status: session.known.get(key) } : { messages: session.snapshot().queue })
  if (route === 'DELETE sessions/messages') {
    const place = session.queue.findIndex((one, index) => one.id === key && index > 0)
    if (place < 0) return problem(response, 409, 'conflict')
    const [gone] = session.queue.splice(place, 1)
    const phase = session.phase
    session.emit('lifecycle', { phase: 'done', outcome: 'cleared', content: gone.content }, { message: key })
    session.phase = phase
    return reply(response, 204)
  }
  if (route === 'POST sessions/interrupt') { const running = session.queue[0]?.id ?? null; if (running) session.stop.abort(); return reply(response, 200, { cancelled: running, cleared: [] }) }
  if (route === 'GET sessions/snapshot') return reply(response, 200, session.snapshot())
  if (route === 'POST sessions/questions') {
    const open = session.questions.get(key)
    if (!open) return problem(response, 409, 'conflict')
    session.questions.delete(key)
    session.emit('answer', { key, ...body }, {})
    open.resolve(body)
    return reply(response, 200, { key, ...body })
  }
  if (route === 'POST sessions/fork') {
    const at = session.turns.findIndex((one) => one.id === body.at)
    const fork = new Session(hex(), { turns: session.turns.slice(0, at + 1), metadata: session.metadata })
    sessions.set(fork.id, fork)
    return reply(response, 201, { id: fork.id })
  }
  if (route === 'PUT sessions/tip') { const at = session.turns.findIndex((one) => one.id === body.turn); session.turns.splice(at + 1); return reply(response, 200, { turn: body.turn }) }
  if (route === 'PATCH sessions/metadata') {
    const operations = Object.entries(body).map(([name, value]) => (value === null ? { op: 'delete', key: name, value: null } : { op: 'set', key: name, value }))
    for (const { op, key: name, value } of operations) if (op === 'delete') delete session.metadata[name]; else session.metadata[name] = value
    session.emit('properties', { operations })
    return reply(response, 200, session.metadata)
  }
  if (route === 'GET sessions/events') {
    const after = Number((request.headers['last-event-id'] ?? url.searchParams.get('after') ?? `1-${session.n}`).split('-')[1])
    response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache' })
    response.write(': here\n\n')
    for (const event of session.log) if (Number(event.context.id.slice(2)) > after) write(response, event)
    session.readers.add(response)
    response.on('close', () => session.readers.delete(response))
    return
  }
  return problem(response, 404, 'not_found')
}).listen(Number(process.argv[2] ?? 7655), '127.0.0.1', function ready() { console.error(`listening on http://127.0.0.1:${this.address().port}`) })
