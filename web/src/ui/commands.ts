/** What can be done by typing `/`. */
export interface Command {
  readonly name: string
  readonly argument?: string
  readonly description: string
  readonly run: (argument: string) => void | Promise<void>
}

/** The commands that a beginning fits; none once it is a message or a path. */
export function matching(commands: readonly Command[], text: string): readonly Command[] {
  if (!/^\/[\w-]*( .*)?$/.test(text)) return []
  const [name = '', ...rest] = text.slice(1).split(' ')
  return commands.filter((one) => (rest.length > 0 ? one.name === name : one.name.startsWith(name)))
}
