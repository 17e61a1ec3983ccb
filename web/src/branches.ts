/** Other versions of what was said: each is a conversation of its own, and all know each other by their metadata. */

import { isRunning } from './reducer.js'
import type { Chat } from './chat.js'
import type { Content, Turn } from './wire.js'
import type { Branches } from './ui/transcript.js'

const KEY = 'ore.web.branches'
/** Stands for the place before the first turn. */
const START = ''

type Groups = Record<string, readonly string[]>

export function branchesOf(chat: Chat, open: (id: string) => void): Branches {
  const groups = (): Groups => {
    try { return JSON.parse(chat.view.value.metadata[KEY] ?? '{}') as Groups } catch { return {} }
  }
  const pathBefore = (turn: Turn): Turn => {
    const turns = chat.view.value.turns
    const at = turns.findIndex((one) => one.id === turn.id)
    return turns.slice(0, at + 1).findLast((one) => one.role === 'user') ?? turn
  }
  const branch = async (turn: Turn, content: Content) => {
    const session = chat.session.value
    if (session === null) return
    const at = turn.parent_id ?? null
    const { id } = at === null ? await chat.api.createSession(chat.sessionFields()) : await chat.api.fork(session, { at })
    const known = groups()
    const members = [...(known[at ?? START] ?? [session]), id]
    const value = JSON.stringify({ ...known, [at ?? START]: members })
    await Promise.all(members.map((one) => chat.api.setMetadata(one, { [KEY]: value }).catch(() => undefined)))
    open(id)
    chat.send(content)
  }
  const retry = async (turn: Turn) => {
    const session = chat.session.value
    const asked = pathBefore(turn)
    if (session === null || isRunning(chat.view.value)) return
    await chat.api.setTip(session, asked.parent_id ?? null)
    chat.send(asked.artifacts)
  }
  return {
    of: (turn) => {
      const ids = groups()[turn.parent_id ?? START]
      const at = ids?.indexOf(chat.session.value ?? '') ?? -1
      return ids && ids.length > 1 && at >= 0 ? { at, ids } : null
    },
    go: open,
    edit: (turn, text) => branch(turn, [...turn.artifacts.filter((one) => one.kind !== 'text'), { kind: 'text', content: text }]),
    again: (turn) => { const asked = pathBefore(turn); return branch(asked, asked.artifacts) },
    retry,
  }
}
