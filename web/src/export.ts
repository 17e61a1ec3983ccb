/** A conversation as a file. */

import { render } from './markdown.js'
import { textOf, type Turn } from './wire.js'

export function exported(turns: readonly Turn[], format: 'markdown' | 'html' | 'json'): string {
  if (format === 'json') return JSON.stringify({ turns }, null, 2)
  const markdown = turns
    .map((turn) => ({ name: turn.role === 'user' ? 'You' : 'Answer', text: turn.role === 'tool' || turn.role === 'system' ? '' : textOf(turn.artifacts) }))
    .filter((one) => one.text)
    .map((one) => `## ${one.name}\n\n${one.text}\n`)
    .join('\n')
  if (format === 'markdown') return markdown
  const body = render(markdown).map((block) => block.html).join('')
  return `<!doctype html><html><head><meta charset="utf-8"><title>Conversation</title></head><body>${body}</body></html>`
}
