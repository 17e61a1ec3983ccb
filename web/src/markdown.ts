/** Markdown to inert HTML, block by block, so that a growing text is parsed from its last block on. */

import DOMPurify from 'dompurify'
import MarkdownIt from 'markdown-it'
import { highlight } from './highlight.js'

export interface Rendered { readonly html: string; readonly source: string }

const markdown = new MarkdownIt({ html: false, linkify: true, breaks: true, typographer: false })
const escape = markdown.utils.escapeHtml

// Only what leads somewhere a person can see; everything else stays text.
markdown.validateLink = (url) => /^(https?:|mailto:|#|\/(?!\/)|\.{0,2}\/|[^:]*$)/i.test(url.trim()) && !/^\s*(javascript|data|vbscript|file):/i.test(url)

const FOLD_LINES = 30

markdown.renderer.rules['fence'] = (tokens, index) => {
  const token = tokens[index]!
  return code(token.content, token.info.trim().split(/\s+/)[0] ?? '')
}
markdown.renderer.rules['code_block'] = (tokens, index) => code(tokens[index]!.content, '')
markdown.renderer.rules['table_open'] = () => '<div class="table" tabindex="0" role="group" aria-label="Table"><table>\n'
markdown.renderer.rules['table_close'] = () => '</table></div>\n'
for (const cell of ['th_open', 'td_open']) {
  markdown.renderer.rules[cell] = (tokens, index) => {
    const token = tokens[index]!
    const side = /text-align:(\w+)/.exec(String(token.attrGet('style') ?? ''))?.[1]
    return `<${token.tag}${side ? ` class="to-${side}"` : ''}>`
  }
}
markdown.renderer.rules['link_open'] = (tokens, index) => {
  const token = tokens[index]!
  return `<a href="${escape(String(token.attrGet('href') ?? ''))}" target="_blank" rel="noopener noreferrer nofollow">`
}
// A picture from elsewhere would tell its host who reads what: it is a link until somebody clicks.
markdown.renderer.rules['image'] = (tokens, index) => {
  const token = tokens[index]!
  const url = String(token.attrGet('src') ?? '')
  const name = token.content || 'picture'
  return `<a class="picture" href="${escape(url)}" target="_blank" rel="noopener noreferrer nofollow">${escape(name)}<span class="host"> (${escape(hostOf(url))})</span></a>`
}
// Task lists: the box is told as text, since nothing here can be ticked.
markdown.core.ruler.push('tasks', (state) => {
  state.tokens.forEach((token, index) => {
    if (token.type !== 'inline' || state.tokens[index - 2]?.type !== 'list_item_open') return
    const first = token.children?.[0]
    const found = first && /^\[([ xX])\]\s+/.exec(first.content)
    if (!first || !found) return
    first.content = (found[1] === ' ' ? '☐ ' : '☑ ') + first.content.slice(found[0].length)
    state.tokens[index - 2]!.attrJoin('class', 'task')
  })
})

function hostOf(url: string): string {
  try { return new URL(url, location.href).host } catch { return url }
}

function code(content: string, language: string): string {
  const text = content.replace(/\n$/, '')
  const lines = text.split('\n').length
  const body = highlight(text, language) ?? escape(text)
  const bar = `<div class="code-bar"><span>${escape(language || 'text')}</span><button type="button" data-act="wrap" aria-pressed="false">Wrap</button><button type="button" data-act="copy">Copy</button></div>`
  const more = lines > FOLD_LINES ? `<button type="button" class="unfold" data-act="unfold" aria-expanded="false">Show all ${lines} lines</button>` : ''
  return `<div class="code${lines > FOLD_LINES ? ' folded' : ''}">${bar}<pre tabindex="0"><code>${body}</code></pre>${more}</div>\n`
}

const RULES = {
  ALLOWED_TAGS: ['a', 'b', 'blockquote', 'br', 'button', 'code', 'del', 'div', 'em', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'hr', 'i', 'li',
    'ol', 'p', 'pre', 's', 'span', 'strong', 'table', 'tbody', 'td', 'th', 'thead', 'tr', 'ul'],
  ALLOWED_ATTR: ['href', 'target', 'rel', 'class', 'type', 'start', 'tabindex', 'role', 'aria-label', 'aria-pressed', 'aria-expanded', 'data-act'],
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
}

const clean = (html: string): string => DOMPurify.sanitize(html, RULES)

/**
 * The blocks of `text`; those of `before` that can no longer change are taken over as they are.
 *
 * Only the last block of a Markdown text can grow, so a text that grew by its
 * end is parsed from there.
 */
export function render(text: string, before: readonly Rendered[] = []): readonly Rendered[] {
  const kept = before.slice(0, -1)
  let from = 0
  for (const [index, block] of kept.entries()) {
    if (!text.startsWith(block.source, from)) { kept.length = index; break }
    from += block.source.length
  }
  const rest = text.slice(from)
  return [...kept, ...parse(rest)]
}

function parse(text: string): Rendered[] {
  if (!text.trim()) return []
  const env = {}
  const tokens = markdown.parse(text, env)
  // References may be defined anywhere: such a text stays one block.
  if (Object.keys((env as { references?: object }).references ?? {}).length > 0) {
    return [{ html: clean(markdown.renderer.render(tokens, markdown.options, env)), source: text }]
  }
  const lines = lineStarts(text)
  const blocks: Rendered[] = []
  let begin = 0
  for (let index = 0; index < tokens.length; index++) {
    let end = index
    while (tokens[end]!.level !== 0 || tokens[end]!.nesting === 1) end++
    const next = tokens[end + 1]
    const until = next?.map ? lines[next.map[0]]! : text.length
    const html = clean(markdown.renderer.render(tokens.slice(index, end + 1), markdown.options, env))
    blocks.push({ html, source: text.slice(begin, until) })
    begin = until
    index = end
  }
  return blocks
}

function lineStarts(text: string): number[] {
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}
