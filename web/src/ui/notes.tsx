import { useEffect, useState } from 'preact/hooks'
import type { Chat } from '../chat.js'
import type { Note } from '../reducer.js'
import { pure } from './pure.js'
import type { Branches } from './transcript.js'

const CAUSES: Record<string, string> = {
  authentication: 'The model refused the key', permission: 'The key may not use this model', rate_limit: 'Too many requests for the model',
  overloaded: 'The model is overloaded', timeout: 'The model did not answer in time', connection: 'The model could not be reached',
  context_overflow: 'The conversation is too long for this model', content_filter: 'The model refused the content', output_limit: 'The answer was too long',
  limit: 'A limit was reached',
}

/** A notice, or an error with its cause and what can be done. */
export const NoteLine = pure(({ chat, note, branches }: { chat: Chat; note: Note; branches: Branches }) => {
  const failure = note.failure
  const left = useCountdown(failure?.retry_after_s && note.at ? note.at + failure.retry_after_s * 1000 : null)
  const [busy, setBusy] = useState(false)
  const { turns, senders } = chat.view.value
  const asked = turns.findLast((one) => one.role === 'user')
  // Once something else was said, there is nothing here to try again.
  const isLast = asked !== undefined && (senders.get(asked.id) === note.message || turns.slice(turns.indexOf(asked)).some((one) => one.id === note.after))
  const again = async () => {
    if (!asked || busy) return
    setBusy(true)
    try { await branches.retry(asked) } catch (error) { chat.fail(error) }
    setBusy(false)
  }
  return (
    <div class={`note is-${note.severity}`} role={note.severity === 'error' ? 'alert' : 'status'}>
      {failure ? <><strong>{CAUSES[failure.code] ?? 'That failed'}</strong><span dir="auto">{note.content}</span>
        {isLast && <button type="button" class="small" disabled={left > 0 || busy || chat.running.value} onClick={() => void again()}>{left > 0 ? `Retry in ${left} s` : 'Retry'}</button>}</>
        : <span dir="auto">{note.content}</span>}
    </div>
  )
})

function useCountdown(until: number | null): number {
  const [now, setNow] = useState(Date.now())
  useEffect(() => {
    if (until === null) return
    const timer = setInterval(() => setNow(Date.now()), 500)
    return () => clearInterval(timer)
  }, [until])
  return until === null ? 0 : Math.max(0, Math.ceil((until - now) / 1000))
}
