import type { Api } from '../api.js'
import type { Chat } from '../chat.js'
import { exported } from '../export.js'
import type { Choice, Command } from './commands.js'
import { download } from './tool.js'

const LEVELS = ['minimal', 'low', 'medium', 'high']
/** Takes a choice back. */
const DEFAULT = 'default'

/** The commands that the page itself carries out. */
export function ownCommands(chat: Chat, api: Api, fresh: () => void, theme: () => void): readonly Command[] {
  const set = (field: string) => (value: string) => chat.setMetadata({ [`ore.model.${field}`]: value === DEFAULT ? null : value })
  const save = (format: 'markdown' | 'html' | 'json', type: string) => () => {
    download(`conversation.${format === 'markdown' ? 'md' : format}`, exported(chat.view.value.turns, format), type)
  }
  return [
    { name: 'new', description: 'Begin a new conversation', run: fresh },
    { name: 'stop', description: 'Stop the running answer', run: () => chat.stop() },
    { name: 'model', argument: 'NAME', description: 'Use another model in this conversation', run: set('name'), choices: (typed) => models(api, typed) },
    { name: 'thinking', argument: 'LEVEL', description: 'How hard the model thinks', run: set('thinking_level'), choices: (typed) => Promise.resolve(levels(typed)) },
    { name: 'rename', argument: 'TITLE', description: 'Give this conversation a title', run: (title) => chat.setMetadata({ 'ore.title': title }) },
    { name: 'export', description: 'Download as Markdown', run: save('markdown', 'text/markdown') },
    { name: 'export-html', description: 'Download as HTML', run: save('html', 'text/html') },
    { name: 'export-json', description: 'Download as JSON', run: save('json', 'application/json') },
    { name: 'theme', description: 'Light, dark, or as the system', run: theme },
  ]
}

/** Those that the server has beside them; they are messages, and what they say comes as a notice. */
export async function serverCommands(chat: Chat, api: Api, own: readonly Command[]): Promise<readonly Command[]> {
  const { commands } = await api.commands()
  return commands.filter(({ name }) => !own.some((one) => one.name === name)).map(({ name, description }) => ({
    name, description, completes: true, run: (argument) => chat.send(`/${name}${argument ? ` ${argument}` : ''}`),
  }))
}

const levels = (typed: string): readonly Choice[] =>
  [DEFAULT, ...LEVELS].filter((one) => one.startsWith(typed)).map((name) => ({ name, description: name === DEFAULT ? 'As the agent has it' : '' }))

async function models(api: Api, typed: string): Promise<readonly Choice[]> {
  const { models: found } = await api.models(typed)
  const choices = found.map(({ name, window_tokens }): Choice => ({ name, description: window_tokens ? `${Math.round(window_tokens / 1000).toLocaleString()}k tokens` : '' }))
  const exact = choices.filter((one) => one.name === typed)
  const rest = choices.filter((one) => one.name !== typed)
  const other = DEFAULT.startsWith(typed) ? [{ name: DEFAULT, description: 'The one of the agent' }] : []
  // A name that is not listed may work as well.
  const asTyped = exact.length === 0 && typed.includes(':') ? [{ name: typed, description: 'as typed' }] : []
  return [...exact, ...other, ...rest, ...asTyped]
}
