/** What is shown of one session, as a value. */

import type { Answer, Artifact, Failure, Outcome, Question, Queued, ToolResultArtifact, Turn } from './wire.js'

/** A block of a turn that is not complete yet; `id` is `<turn>:<n>`. */
export interface Block {
  readonly id: string
  readonly artifact: Artifact
  readonly open: boolean
  readonly since?: number
  readonly until?: number
}
export interface LiveTurn { readonly id: string; readonly message?: string; readonly blocks: readonly Block[] }
/** What is known of a tool call beside the call itself: what happened inside it, and its end. */
export interface Call {
  readonly key: string
  readonly result?: ToolResultArtifact
  readonly active?: boolean
  readonly description?: string
  readonly children: readonly Block[]
  readonly since?: number
  readonly until?: number
}
export interface Ending { readonly outcome: Outcome; readonly content?: readonly Artifact[] }
export interface Note {
  readonly id: string
  readonly severity: 'success' | 'info' | 'warn' | 'error'
  readonly content: string
  /** The turn behind which it is shown. */
  readonly after: string | null
  readonly failure?: Failure
  readonly message?: string
  readonly at?: number
}

export interface View {
  readonly cursor: string | null
  readonly turns: readonly Turn[]
  readonly live: readonly LiveTurn[]
  readonly calls: ReadonlyMap<string, Call>
  readonly queue: readonly Queued[]
  readonly questions: readonly Question[]
  readonly answers: ReadonlyMap<string, Answer>
  readonly metadata: Readonly<Record<string, string>>
  readonly phase: string
  readonly ended: ReadonlyMap<string, Ending>
  readonly notes: readonly Note[]
  /** By turn id: through which conduit its message came. */
  readonly origins: ReadonlyMap<string, string>
  /** By turn id: the message that brought a user's turn. */
  readonly senders: ReadonlyMap<string, string>
  /** Turns off the path: stored and counted, not shown. */
  readonly skipped: ReadonlyMap<string, string | null>
  /** By turn id: how many seconds each thought took, as far as this page saw it. */
  readonly thoughts: ReadonlyMap<string, readonly (number | undefined)[]>
  /** Something happened that events do not tell whole: ask for a snapshot. */
  readonly stale: boolean
}

export const EMPTY: View = {
  cursor: null, turns: [], live: [], calls: new Map(), queue: [], questions: [], answers: new Map(), metadata: {},
  phase: 'idle', ended: new Map(), notes: [], origins: new Map(), senders: new Map(), skipped: new Map(), thoughts: new Map(), stale: false,
}
