import { useState } from 'preact/hooks'
import type { Chat } from '../chat.js'
import type { Question } from '../wire.js'
import { Arguments } from './tool.js'

const ALWAYS = 'ore.always.'

/** Something waits for a person: the exact arguments, and what can be said. */
export function QuestionCard({ chat, question }: { chat: Chat; question: Question }) {
  const [busy, setBusy] = useState(false)
  const [text, setText] = useState('')
  const [error, setError] = useState('')
  /** Arguments that are being changed; `null` where they are as they were asked for. */
  const [changed, setChanged] = useState<string | null>(null)
  const give = async (answer: Parameters<Chat['answer']>[1]) => {
    setBusy(true)
    setError('')
    try { await chat.answer(question.key, answer) } catch (failure) { setError((failure as Error).message) }
    setBusy(false)
  }
  const isApproval = question.purpose === 'approval'
  const title = isApproval ? <>Allow <strong>{question.tool ?? 'this tool'}</strong> to run?</> : question.text || 'The agent asks'
  const approve = () => {
    if (changed === null) void give({ decision: 'approve' })
    else if (isObject(changed)) void give({ decision: 'approve', arguments: changed })
    else setError('Expected a JSON object; nothing has run.')
  }
  const remember = () => {
    sessionStorage.setItem(ALWAYS + chat.session.value + question.tool, '1')
    void give({ decision: 'approve' })
  }
  return (
    <section class="question" aria-label={isApproval ? `Approval of ${question.tool ?? 'a tool'}` : 'Question'}>
      <p class="question-title">{title}</p>
      {isApproval && question.text && <p>{question.text}</p>}
      {changed === null ? question.arguments && <Arguments call={{ arguments: question.arguments }} /> : (
        <label class="grow">Arguments<textarea value={changed} dir="ltr" rows={4} spellcheck={false} onInput={(event) => setChanged(event.currentTarget.value)} /></label>
      )}
      {question.options?.length ? (
        <div class="row">{question.options.map((option) => <button type="button" disabled={busy} onClick={() => void give({ answer: option })}>{option}</button>)}</div>
      ) : null}
      {isApproval ? (
        <>
          <label class="grow">Reason, if denied<input value={text} dir="auto" onInput={(event) => setText(event.currentTarget.value)} /></label>
          <div class="row">
            <button type="button" class="primary" disabled={busy} onClick={approve}>Approve</button>
            {question.editable && changed === null && <button type="button" disabled={busy} onClick={() => setChanged(question.arguments ?? '{}')}>Change arguments</button>}
            {changed === null && <button type="button" disabled={busy} onClick={remember}>Always in this tab</button>}
            <button type="button" class="danger" disabled={busy} onClick={() => void give({ decision: 'deny', ...(text ? { reason: text } : {}) })}>Deny</button>
          </div>
        </>
      ) : (
        <form class="row" onSubmit={(event) => { event.preventDefault(); if (text) void give({ answer: text }) }}>
          <label class="grow"><span class="unseen">Your answer</span><input value={text} dir="auto" placeholder="Your answer" onInput={(event) => setText(event.currentTarget.value)} /></label>
          <button type="submit" class="primary" disabled={busy || !text}>Answer</button>
        </form>
      )}
      {error && <p class="problem" role="alert">{error}</p>}
    </section>
  )
}

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch { return false }
}

/** Whether this tab said that the tool may always run in this conversation. */
export const isAllowed = (session: string | null, question: Question): boolean =>
  question.purpose === 'approval' && sessionStorage.getItem(ALWAYS + session + question.tool) === '1'
