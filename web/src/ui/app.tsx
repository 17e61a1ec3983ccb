import { useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { Api } from '../api.js'
import { Chat } from '../chat.js'
import { branchesOf } from '../branches.js'
import { Threads } from '../threads.js'
import { gistOf, modelOf, spentOf, textOf, type Agent, type Model, type UsageArtifact } from '../wire.js'
import { ownCommands, serverCommands } from './actions.js'
import { Composer } from './composer.js'
import type { Command } from './commands.js'
import { Icon } from './icon.js'
import { Login } from './login.js'
import { ThreadList } from './threads.js'
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

export function App({ options }: { options: Options }) {
  const drawer = useSignal(false)
  const agents = useSignal<readonly Agent[]>([])
  const chosen = useSignal(options.agent)
  const more = useSignal<readonly Command[]>([])
  const models = useSignal<readonly Model[]>([])
  const { api, chat, threads, href } = useMemo(() => make(options), [])
  const session = chat.session.value
  const view = chat.view.value
  const line = chat.line.value
  const branches = useMemo(() => branchesOf(chat, (id) => go(id)), [])

  const address = (id: string | null, replace = false) => {
    if (options.routed && location.href !== href(id)) history[replace ? 'replaceState' : 'pushState']({}, '', href(id))
  }
  const go = (id: string | null) => { drawer.value = false; if (id !== chat.session.value) { chat.open(id); address(id) } }
  const wanted = session === null ? chosen.value : view.metadata['ore.agent']
  const agent = agents.value.find((one) => one.name === wanted) ?? agents.value[0] ?? { name: options.agent ?? 'ore' }
  const meet = () => void api.agents().then(async (found) => {
    agents.value = found.agents
    more.value = await serverCommands(chat, api, own)
    models.value = (await api.models('', found.agents.length)).models
  }).catch((error: { status?: number }) => { if (error.status === 401) chat.line.value = 'unauthorised' })

  useEffect(() => {
    chat.sessionFields = () => (chosen.value ? { agent: chosen.value } : {})
    const back = () => chat.open(new URLSearchParams(location.search).get('thread'))
    if (options.routed) window.addEventListener('popstate', back)
    chat.open(options.routed ? new URLSearchParams(location.search).get('thread') : options.session)
    meet()
    if (options.threads) void threads.reload()
    return () => { window.removeEventListener('popstate', back); chat.close(); threads.close() }
  }, [])
  useEffect(() => { if (options.threads && line !== 'unauthorised') void threads.refresh() }, [chat.running.value, session, view.ended.size])

  const title = view.metadata['ore.title'] || gistOf(textOf(view.turns.find((one) => one.role === 'user')?.artifacts ?? [])) || agent.name
  useEffect(() => { if (options.routed) document.title = `${chat.running.value ? '● ' : ''}${title.slice(0, 60)}` }, [title, chat.running.value])

  const own = useMemo(() => ownCommands(chat, api, () => go(null), () => theme(options.host)), [])
  const commands = useMemo(() => [...own, ...more.value], [more.value])

  if (line === 'unauthorised') return <Login api={api} done={() => { meet(); void threads.reload(); chat.open(chat.session.value) }} />
  const empty = view.turns.length === 0 && view.live.length === 0 && view.notes.length === 0 && !chat.running.value && chat.outbox.value.length === 0 && line !== 'loading' && line !== 'missing'
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
          <Status chat={chat} api={api} standard={models.value.find((one) => one.agents?.includes(agent.name))?.name} />
          <button type="button" class="icon" aria-label="Change the theme" title="Light or dark" onClick={() => theme(options.host)}><Icon name="theme" /></button>
        </header>
        <Banner chat={chat} />
        {empty ? (
          <div class="empty"><h2>{agent.name}</h2>{agent.description && <p dir="auto">{agent.description}</p>}
            {session === null && options.agent === null && agents.value.length > 1 && <div class="agents" role="group" aria-label="Agent">{agents.value.map((one) => (
              <button type="button" aria-pressed={one.name === agent.name} onClick={() => { chosen.value = one.name }}>{one.name}</button>))}</div>}
            <div class="starters">{STARTERS.map((starter) => <button type="button" onClick={() => chat.send(starter)}>{starter}</button>)}</div></div>
        ) : line === 'missing' ? (
          <div class="empty"><h2>Not here</h2><p>There is no conversation <code>{session}</code>.</p><button type="button" class="primary" onClick={() => go(null)}>New chat</button></div>
        ) : <Transcript chat={chat} branches={branches} />}
        {line !== 'missing' && <Composer chat={chat} commands={commands} name={agent.name} />}
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

function Status({ chat, api, standard }: { chat: Chat; api: Api; standard?: string }) {
  const view = chat.view.value
  const windows = useSignal<Readonly<Record<string, number>>>({})
  const last = useMemo(() => view.turns.findLast((turn) => turn.model), [view.turns])
  const model = view.metadata['ore.model.name'] ?? last?.model ?? standard
  useEffect(() => {
    if (!model || chat.line.value === 'unauthorised') return
    void api.models(model, 5).then(({ models }) => {
      const found = models.find((one) => one.name === model)?.window_tokens
      if (found) windows.value = { ...windows.value, [model]: found }
    }).catch(() => undefined)
  }, [model])
  const facts = useMemo(() => {
    const usages = view.turns.flatMap((turn) => turn.artifacts.filter((one): one is UsageArtifact => one.kind === 'usage'))
    const tokens = usages.reduce((sum, one) => sum + (spentOf(one) ?? 0), 0)
    const cost = usages.reduce((sum, one) => sum + Number(one.cost_usd ?? 0), 0)
    const window = model && model === last?.model ? windows.value[model] : undefined
    const full = window ? (spentOf(usages.at(-1)) ?? 0) / window : 0
    return [
      model && modelOf(model), tokens ? `${tokens.toLocaleString()} tokens` : '', cost ? `$${cost.toFixed(cost < 0.1 ? 4 : 2)}` : '',
      full ? `${full < 0.01 ? '<1' : Math.round(full * 100)} % of the context` : '',
    ].filter(Boolean)
  }, [view.turns, model, windows.value])
  const busy = chat.running.value
  return <p class="status"><span class={`dot is-${chat.line.value}${busy ? ' is-busy' : ''}`} aria-hidden="true" /><span class="phase">{busy ? phaseName(view.phase) : 'Ready'}</span><span class="facts">{facts.join(' · ')}</span></p>
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
