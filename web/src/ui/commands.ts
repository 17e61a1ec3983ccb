/** What can be done by typing `/`. */
export interface Command {
  readonly name: string
  /** What stands behind the name, in capitals; a command with one is completed before it runs. */
  readonly argument?: string
  readonly description: string
  /** Whether a name that is typed in part is completed first, since something may stand behind it. */
  readonly completes?: boolean
  readonly run: (argument: string) => void | Promise<void>
  /** What can stand behind the name, for what was typed of it. */
  readonly choices?: (typed: string) => Promise<readonly Choice[]>
}

export interface Choice { readonly name: string; readonly description: string }

/** The commands that a beginning fits; none once it is a message or a path. */
export function matching(commands: readonly Command[], text: string): readonly Command[] {
  if (!/^\/[\w-]*( .*)?$/.test(text)) return []
  const { name, argument } = parted(text)
  return commands.filter((one) => (argument !== null ? one.name === name : one.name.startsWith(name)))
}

/** The name and what stands behind it; `null` while the name is being typed. */
export function parted(text: string): { name: string; argument: string | null } {
  const space = text.indexOf(' ')
  return space < 0 ? { name: text.slice(1), argument: null } : { name: text.slice(1, space), argument: text.slice(space + 1).trim() }
}
