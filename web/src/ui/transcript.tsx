import { useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { PAGE, type Chat } from '../chat.js'
import { resultsOf, type Block, type Note, type View } from '../reducer.js'
import type { Turn } from '../wire.js'
import { AnswerTurn, PendingTurn, UserTurn } from './turns.js'
import { Blocks } from './blocks.js'
import { Icon } from './icon.js'
import { NoteLine } from './notes.js'
import { QuestionCard, isAllowed } from './question.js'

const NEAR = 48

/** Everything that was said, in order; follows its end only while the reader is there. */
export function Transcript({ chat, branches }: { chat: Chat; branches: Branches }) {
  const box = useRef<HTMLDivElement>(null)
  const follow = useRef(true)
  const away = useSignal(false)
  const size = useRef('')
  const toEnd = () => {
    const element = box.current
    if (!element) return // it was taken out meanwhile
    follow.current = true
    away.value = false
    element.scrollTop = element.scrollHeight
    size.current = sizes(element)
  }
  const view = chat.view.value
  const outbox = chat.outbox.value
  const session = chat.session.value
  const drawn = chat.drawn.value
  const results = useMemo(() => resultsOf(view.turns), [view.turns])
  const times = useMemo(() => new Map(view.turns.map((turn, place) => [turn.id, seconds(turn, view.turns[place + 1])])), [view.turns])
  const turns = view.turns.slice(-drawn)
  const earlier = view.turns.length - turns.length
  const running = chat.running.value

  useLayoutEffect(() => {
    follow.current = restore(box.current!, session, view.turns.length > 0)
    away.value = !follow.current
  }, [session, view.turns.length > 0])
  useLayoutEffect(() => {
    const element = box.current
    if (element && follow.current) toEnd()
  })
  useEffect(() => {
    const element = box.current!
    // Pictures and code that grow after they were drawn.
    const watch = new ResizeObserver(() => { if (follow.current) toEnd() })
    watch.observe(element.firstElementChild!)
    watch.observe(element)
    return () => watch.disconnect()
  }, [])
  useEffect(() => {
    for (const question of view.questions) if (isAllowed(session, question)) void chat.answer(question.key, { decision: 'approve' }).catch(() => undefined)
  }, [view.questions])

  const scrolled = () => {
    const element = box.current
    if (!element) return
    // What moved was the page, not the reader: the end stays in sight.
    if (follow.current && sizes(element) !== size.current) { toEnd(); return }
    follow.current = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR
    away.value = !follow.current
    keep(session, follow.current ? null : element.scrollTop)
    if (element.scrollTop < 200 && earlier > 0) {
      const below = element.scrollHeight - element.scrollTop
      chat.drawn.value = drawn + PAGE
      requestAnimationFrame(() => { element.scrollTop = element.scrollHeight - below })
    }
  }
  const sent = outbox.length
  useLayoutEffect(() => { if (sent > 0) toEnd() }, [sent])

  return (
    <div class="scroll">
      <div class="log" ref={box} onScroll={scrolled} role="log" aria-live="off" aria-label="Conversation" tabIndex={0}>
        <div class="column">
          {earlier > 0 && <button type="button" class="small earlier" onClick={() => { chat.drawn.value = drawn + PAGE }}>Show earlier messages ({earlier})</button>}
          {notesAfter(view, null).map((note) => <NoteLine key={note.id} chat={chat} note={note} branches={branches} />)}
          {turns.map((turn, place) => (
            <TurnRow key={turn.id} chat={chat} view={view} turn={turn} results={results} seconds={times.get(turn.id)}
              last={isLastOfAnswer(turns, place) && !(running && place === turns.length - 1)} running={running} branches={branches} />
          ))}
          {view.live.map((turn) => <article key={turn.id} class="answer" aria-label="Answer, being written"><Blocks chat={chat} view={view} blocks={turn.blocks} running /></article>)}
          {view.questions.filter((one) => !isAllowed(session, one)).map((question) => <QuestionCard key={question.key} chat={chat} question={question} />)}
          {running && view.questions.length === 0 && !writing(view) && <p class="working"><span class="spinner" aria-hidden="true" />{phaseName(view.phase)}</p>}
          {outbox.filter((one) => !view.queue.some((queued) => queued.id === one.id && queued.status === 'waiting'))
            .map((one) => <PendingTurn key={one.id} chat={chat} sending={one} />)}
        </div>
      </div>
      {away.value && <button type="button" class="to-end" onClick={toEnd}><Icon name="down" /> Jump to latest</button>}
    </div>
  )
}

export interface Branches {
  of: (turn: Turn) => { at: number; ids: readonly string[] } | null
  go: (id: string) => void
  edit: (turn: Turn, text: string) => Promise<void>
  again: (turn: Turn) => Promise<void>
  retry: (turn: Turn) => Promise<void>
}

function TurnRow(props: {
  chat: Chat; view: View; turn: Turn; results: ReturnType<typeof resultsOf>; last: boolean; running: boolean; branches: Branches; seconds?: number
}) {
  const { chat, view, turn } = props
  if (turn.role === 'tool' || turn.role === 'system') return <Notes {...props} />
  return <>
    {turn.role === 'user'
      ? <UserTurn chat={chat} turn={turn} origin={view.origins.get(turn.id)} running={props.running} branches={props.branches} meta={chat.view.value.metadata} />
      : <AnswerTurn chat={chat} view={hasCalls(turn) ? view : STILL} turn={turn} results={hasCalls(turn) ? props.results : NONE} thoughts={chat.view.value.thoughts.get(turn.id)} last={props.last}
          running={props.running && hasCalls(turn)} branches={props.branches} seconds={props.seconds} />}
    <Notes {...props} />
  </>
}

const NONE: ReturnType<typeof resultsOf> = new Map()
const STILL = { calls: new Map(), questions: [], answers: new Map() } as unknown as View

function Notes({ chat, view, turn, branches }: { chat: Chat; view: View; turn: Turn; branches: Branches }) {
  return <>{notesAfter(view, turn.id).map((note) => <NoteLine key={note.id} chat={chat} note={note} branches={branches} />)}</>
}

const hasCalls = (turn: Turn): boolean => turn.artifacts.some((one) => one.kind === 'tool_call')
const notesAfter = (view: View, turn: string | null): Note[] => (view.notes.length === 0 ? [] : view.notes.filter((note) => note.after === turn))

/** Whether the next thing that is said comes from a person. */
function isLastOfAnswer(turns: readonly Turn[], place: number): boolean {
  const next = turns[place + 1]
  return turns[place]!.role === 'assistant' && (!next || next.role === 'user')
}

const seconds = (turn: Turn, next?: Turn): number | undefined =>
  next?.role === 'tool' && turn.timestamp && next.timestamp ? (Date.parse(next.timestamp) - Date.parse(turn.timestamp)) / 1000 : undefined

const writing = (view: View): boolean => view.live.some((turn) => turn.blocks.some((block: Block) => block.open))

export function phaseName(phase: string): string {
  const names: Record<string, string> = { queued: 'Waiting', submitted: 'Thinking', streaming: 'Writing', tools: 'Working', waiting: 'Waiting for you', closing: 'Closing', idle: 'Ready' }
  return names[phase] ?? phase
}

const sizes = (box: HTMLElement): string => `${box.clientWidth} ${box.clientHeight} ${box.scrollHeight}`

const PLACE = 'ore.scroll.'

function keep(session: string | null, top: number | null): void {
  if (session === null) return
  if (top === null) sessionStorage.removeItem(PLACE + session)
  else sessionStorage.setItem(PLACE + session, String(top))
}

/** Back to where the reader was; whether that is the end. */
function restore(box: HTMLDivElement, session: string | null, filled: boolean): boolean {
  const top = session === null || !filled ? null : sessionStorage.getItem(PLACE + session)
  if (top === null) return true
  box.scrollTop = Number(top)
  return false
}
