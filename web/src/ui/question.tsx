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
  const give = async (answer: Parameters<Chat['answer']>[1]) => {
    setBusy(true)
    setError('')
    try { await chat.answer(question.key, answer) } catch (failure) { setError((failure as Error).message) }
    setBusy(false)
  }
  const isApproval = question.purpose === 'approval'
  const title = isApproval ? <>Allow <strong>{question.tool ?? 'this tool'}</strong> to run?</> : question.text || 'The agent asks'
  const remember = () => {
    sessionStorage.setItem(ALWAYS + chat.session.value + question.tool, '1')
    void give({ decision: 'approve' })
  }
  return (
    <section class="question" aria-label={isApproval ? `Approval of ${question.tool ?? 'a tool'}` : 'Question'}>
      <p class="question-title">{title}</p>
      {isApproval && question.text && <p>{question.text}</p>}
      {question.arguments && <Arguments call={{ arguments: question.arguments }} />}
      {question.options?.length ? (
        <div class="row">{question.options.map((option) => <button type="button" disabled={busy} onClick={() => void give({ answer: option })}>{option}</button>)}</div>
      ) : null}
      {isApproval ? (
        <>
          <label class="grow">Reason, if denied<input value={text} dir="auto" onInput={(event) => setText(event.currentTarget.value)} /></label>
          <div class="row">
            <button type="button" class="primary" disabled={busy} onClick={() => void give({ decision: 'approve' })}>Approve</button>
            <button type="button" disabled={busy} onClick={remember}>Always in this tab</button>
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

/** Whether this tab said that the tool may always run in this conversation. */
export const isAllowed = (session: string | null, question: Question): boolean =>
  question.purpose === 'approval' && sessionStorage.getItem(ALWAYS + session + question.tool) === '1'
