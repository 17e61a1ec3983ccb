/** Shapes that the server sends: artifacts, turns, events, snapshots, problems. */

export interface TextArtifact { kind: 'text'; content: string }
export interface ReasoningArtifact { kind: 'reasoning'; content: string }
export interface ToolCallArtifact { kind: 'tool_call'; id: string; name: string; arguments: string; display?: string | null }
export type ResultStatus = 'ok' | 'error' | 'denied' | 'cancelled' | 'unknown'
export interface ToolResultArtifact {
  kind: 'tool_result'
  tool_call_id: string
  content: string
  is_error?: boolean
  status?: ResultStatus | null
  display?: string | null
  truncation?: unknown
  media?: readonly MediaArtifact[] | null
}
export interface MediaArtifact {
  kind: 'image' | 'file' | 'audio'
  media_type?: string | null
  name?: string | null
  size_bytes?: number | null
  url?: string | null
  data?: string | null
  blob?: string | null
}
export interface UsageArtifact {
  kind: 'usage'
  prompt_tokens?: number | null
  completion_tokens?: number | null
  total_tokens?: number | null
  cost_usd?: string | number | null
}
export interface OtherArtifact { kind: 'other' }
/** What is shown; a kind that nobody here knows arrives all the same and is shown generically. */
export type Artifact =
  | TextArtifact | ReasoningArtifact | ToolCallArtifact | ToolResultArtifact | MediaArtifact | UsageArtifact | OtherArtifact

export interface Turn {
  id: string
  parent_id?: string | null
  role: 'system' | 'user' | 'assistant' | 'tool'
  artifacts: readonly Artifact[]
  timestamp?: string | null
  status?: 'complete' | 'interrupted' | 'failed'
  control?: 'continue' | 'stop' | 'skip'
  model?: string | null
  origin?: string | null
}

export interface Context {
  id: string
  message?: string
  provenance?: string
  thread_id?: string
  path?: readonly string[]
  attempt?: number
  block?: string
}

export type Content = string | readonly Artifact[]

export interface Queued { id: string; content: Content; status: 'running' | 'waiting'; position: number }

export interface Question {
  key: string
  purpose: 'approval' | 'ask' | 'elicitation'
  tool?: string | null
  call_key?: string | null
  arguments?: string | null
  editable?: boolean
  text?: string | null
  options?: readonly string[] | null
  expires_at?: string | null
}

export interface Answer {
  key: string
  decision?: 'approve' | 'deny' | null
  answer?: unknown
  reason?: string | null
  arguments?: string | null
}

/**
 * What was shown of the running message and no turn holds yet. Only blocks have
 * ids; more of one comes unless `open` is false. A result has the key of its
 * call at the end of its path.
 */
export interface LiveBlock {
  block?: string
  artifact: Artifact
  open?: boolean
  path?: readonly string[]
}

export interface Snapshot {
  id: string
  turns: readonly Turn[]
  metadata: Readonly<Record<string, string>>
  phase: string
  queue: readonly Queued[]
  questions: readonly Question[]
  blocks: readonly LiveBlock[]
  activities?: readonly { id: string; description?: string }[]
}

export interface Failure {
  code: string
  message: string
  retryable?: boolean | null
  retry_after_s?: number | null
  provider?: string | null
}

export type Outcome = 'done' | 'cancelled' | 'failed' | 'cleared' | 'closed'

/** One event: `kind`, its fields, and `context`. Unknown kinds pass through. */
export interface WireEvent {
  kind: string
  context: Context
  [field: string]: unknown
}

export interface Agent { name: string; description?: string | null }
export interface Model { name: string; window_tokens?: number; agents?: readonly string[] }

export interface Thread { id: string; title?: string | null; preview?: string | null; last_at?: string | null }

/** Tokens of one inference; unknown is not zero. */
export const spentOf = (usage?: UsageArtifact): number | null =>
  usage?.total_tokens ?? (usage?.prompt_tokens != null || usage?.completion_tokens != null ? (usage.prompt_tokens ?? 0) + (usage.completion_tokens ?? 0) : null)

/** A model as people know it: without the folders of a file or a gateway. */
export const modelOf = (name: string): string => name.split('/').pop() ?? name

/** The first words of a text, without the signs that set it. */
export const gistOf = (text: string): string =>
  [...(text.trim().split('\n', 1)[0] ?? '').replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/^[#>\s]+|[`*_|~]+/g, ' ').replace(/\s+/g, ' ').trim()].slice(0, 80).join('')

/** The text of a message or a turn, for people. */
export function textOf(content: Content): string {
  if (typeof content === 'string') return content
  return content
    .filter((one): one is TextArtifact => one.kind === 'text')
    .map((one) => one.content)
    .join('\n\n')
}
