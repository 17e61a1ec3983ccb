import { useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { Api } from '../api.js'
import { Chat } from '../chat.js'
import { branchesOf } from '../branches.js'
import { Threads } from '../threads.js'
import { exported } from '../export.js'
import { gistOf, textOf, type UsageArtifact } from '../wire.js'
import { Composer } from './composer.js'
import type { Command } from './commands.js'
import { Icon } from './icon.js'
import { Login } from './login.js'
import { ThreadList } from './threads.js'
import { download } from './tool.js'
import { Transcript, phaseName } from './transcript.js'

export interface Options {
  server: string
  session: string | null
  token: string | null
  agent: string | null
  /** Whether the list of conversations is shown. */
  threads: boolean
  /** Whether the address of the page follows the conversation. */
  routed: boolean
  host: HTMLElement
}

const STARTERS = ['What can you do?', 'Explain something to me simply', 'Help me write a message', 'Plan my next steps']
const LEVELS = ['minimal', 'low', 'medium', 'high']

export function App({ options }: { options: Options }) {
  const drawer = useSignal(false)
  const agent = useSignal<{ name: string; description?: string | null }>({ name: options.agent ?? 'ore' })
  const { api, chat, threads, href } = useMemo(() => make(options), [])
  const session = chat.session.value
  const view = chat.view.value
  const line = chat.line.value
  const branches = useMemo(() => branchesOf(chat, (id) => go(id)), [])

  const address = (id: string | null, replace = false) => {
    if (options.routed && location.href !== href(id)) history[replace ? 'replaceState' : 'pushState']({}, '', href(id))
  }
  const go = (id: string | null) => { drawer.value = false; if (id !== chat.session.value) { chat.open(id); address(id) } }
  const meet = () => void api.agents().then(({ agents }) => {
    const found = agents.find((one) => one.name === options.agent) ?? agents[0]
    if (found) agent.value = found
  }).catch((error: { status?: number }) => { if (error.status === 401) chat.line.value = 'unauthorised' })

  useEffect(() => {
    chat.sessionFields = () => (options.agent ? { agent: options.agent } : {})
    const back = () => chat.open(new URLSearchParams(location.search).get('thread'))
    if (options.routed) window.addEventListener('popstate', back)
    chat.open(options.routed ? new URLSearchParams(location.search).get('thread') : options.session)
    meet()
    if (options.threads) void threads.reload()
    return () => { window.removeEventListener('popstate', back); chat.close(); threads.close() }
  }, [])
  useEffect(() => { if (options.threads && line !== 'unauthorised') void threads.refresh() }, [chat.running.value, session])

  const title = view.metadata['ore.title'] || gistOf(textOf(view.turns.find((one) => one.role === 'user')?.artifacts ?? [])) || agent.value.name
  useEffect(() => { if (options.routed) document.title = `${chat.running.value ? '● ' : ''}${title.slice(0, 60)}` }, [title, chat.running.value])

  const commands = useMemo((): readonly Command[] => [
    { name: 'new', description: 'Begin a new conversation', run: () => go(null) },
    { name: 'stop', description: 'Stop the running answer', run: () => chat.stop() },
    { name: 'model', argument: 'NAME', description: 'Use another model in this conversation', run: (name) => chat.setMetadata({ 'ore.model.name': name }) },
    ...LEVELS.map((level): Command => ({ name: `thinking-${level}`, description: `Think ${level === 'minimal' ? 'as little as possible' : level}`, run: () => chat.setMetadata({ 'ore.model.thinking_level': level }) })),
    { name: 'rename', argument: 'TITLE', description: 'Give this conversation a title', run: (name) => chat.setMetadata({ 'ore.title': name }) },
    { name: 'export', description: 'Download as Markdown', run: () => download('conversation.md', exported(chat.view.value.turns, 'markdown'), 'text/markdown') },
    { name: 'export-html', description: 'Download as HTML', run: () => download('conversation.html', exported(chat.view.value.turns, 'html'), 'text/html') },
    { name: 'export-json', description: 'Download as JSON', run: () => download('conversation.json', exported(chat.view.value.turns, 'json'), 'application/json') },
    { name: 'theme', description: 'Light, dark, or as the system', run: () => theme(options.host) },
  ], [])

  if (line === 'unauthorised') return <Login api={api} done={() => { meet(); void threads.reload(); chat.open(chat.session.value) }} />
  const empty = view.turns.length === 0 && view.live.length === 0 && chat.outbox.value.length === 0 && line !== 'loading' && line !== 'missing'
  return (
    <div class={`app${options.threads ? ' with-threads' : ''}${drawer.value ? ' drawer' : ''}`}>
      {options.threads && <>
        <div class="side" id="side"><ThreadList threads={threads} current={session} open={go} start={() => go(null)} /></div>
        {drawer.value && <button type="button" class="veil" aria-label="Close the list" onClick={() => { drawer.value = false }} />}
      </>}
      <main onKeyDown={(event) => { if (event.key === 'Escape') drawer.value = false }}>
        <header>
          {options.threads && <button type="button" class="icon menu" aria-label="Conversations" aria-expanded={drawer.value} aria-controls="side" onClick={() => { drawer.value = !drawer.value }}><Icon name="menu" /></button>}
          <h1 dir="auto">{title}</h1>
          <Status chat={chat} />
          <button type="button" class="icon" aria-label="Change the theme" title="Light or dark" onClick={() => theme(options.host)}><Icon name="theme" /></button>
        </header>
        <Banner chat={chat} />
        {empty ? (
          <div class="empty"><h2>{agent.value.name}</h2>{agent.value.description && <p dir="auto">{agent.value.description}</p>}
            <div class="starters">{STARTERS.map((starter) => <button type="button" onClick={() => chat.send(starter)}>{starter}</button>)}</div></div>
        ) : line === 'missing' ? (
          <div class="empty"><h2>Not here</h2><p>There is no conversation <code>{session}</code>.</p><button type="button" class="primary" onClick={() => go(null)}>New chat</button></div>
        ) : <Transcript chat={chat} branches={branches} />}
        {line !== 'missing' && <Composer chat={chat} commands={commands} name={agent.value.name} />}
        <div class="unseen" aria-live="polite" role="status">{chat.said.value}</div>
        <Toast chat={chat} threads={threads} />
      </main>
    </div>
  )
}

function make(options: Options) {
  const api = new Api(options.server, options.token)
  const href = (id: string | null) => {
    const url = new URL(id === null ? './' : 'chat', options.server)
    if (id !== null) url.searchParams.set('thread', id)
    return url.href
  }
  const chat = new Chat(api, (id) => {
    if (options.routed) history.replaceState({}, '', href(id))
    options.host.setAttribute('session', id)
    options.host.dispatchEvent(new CustomEvent('ore-session', { detail: { id }, bubbles: true, composed: true }))
  })
  return { api, chat, href, threads: new Threads(api, href) }
}

function Status({ chat }: { chat: Chat }) {
  const view = chat.view.value
  const facts = useMemo(() => {
    const usages = view.turns.flatMap((turn) => turn.artifacts.filter((one): one is UsageArtifact => one.kind === 'usage'))
    const tokens = usages.reduce((sum, one) => sum + (one.total_tokens ?? 0), 0)
    const cost = usages.reduce((sum, one) => sum + Number(one.cost_usd ?? 0), 0)
    const model = view.metadata['ore.model.name'] ?? view.turns.findLast((turn) => turn.model)?.model
    return [model?.split('/').pop(), tokens ? `${tokens.toLocaleString()} tokens` : '', cost ? `$${cost.toFixed(cost < 0.1 ? 4 : 2)}` : ''].filter(Boolean)
  }, [view.turns, view.metadata])
  return <p class="status"><span class={`dot is-${chat.line.value}`} aria-hidden="true" /><span class="phase">{chat.running.value ? phaseName(view.phase) : 'Ready'}</span><span class="facts">{facts.join(' · ')}</span></p>
}

function Banner({ chat }: { chat: Chat }) {
  const line = chat.line.value
  const texts: Partial<Record<typeof line, string>> = {
    offline: 'You are offline. What you send goes out when the connection is back.',
    reconnecting: 'The connection was lost. Trying again…', closed: chat.lineError.value || 'This conversation is used elsewhere.',
  }
  const text = texts[line]
  if (!text) return null
  return <div class="banner" role="status"><span>{text}</span><button type="button" class="small" onClick={() => { if (line === 'closed') chat.open(chat.session.value); else chat.wake() }}>Try now</button></div>
}

function Toast({ chat, threads }: { chat: Chat; threads: Threads }) {
  const removed = threads.removed.value
  const alert = chat.alert.value
  useEffect(() => {
    if (!alert) return
    const timer = setTimeout(() => { chat.alert.value = '' }, 6000)
    return () => clearTimeout(timer)
  }, [alert])
  if (removed) return <div class="toast" role="status"><span>Conversation deleted</span><button type="button" class="small" onClick={() => threads.undo()}>Undo</button></div>
  return alert ? <div class="toast" role="alert">{alert}</div> : null
}

const THEMES = ['auto', 'light', 'dark']

/** The next theme, remembered. */
function theme(host: HTMLElement): void {
  const next = THEMES[(THEMES.indexOf(host.getAttribute('theme') ?? 'auto') + 1) % THEMES.length]!
  host.setAttribute('theme', next)
  localStorage.setItem('ore.theme', next)
}
