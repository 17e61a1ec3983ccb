const PATHS = {
  add: 'M12 5v14M5 12h14', menu: 'M4 7h16M4 12h16M4 17h16', close: 'M6 6l12 12M18 6L6 18', edit: 'M4 20l1-4L16.5 4.5l3 3L8 19zM14 7l3 3',
  theme: 'M12 3a9 9 0 1 0 0 18zM12 3a9 9 0 0 1 0 18', down: 'M12 5v14M6 13l6 6 6-6', file: 'M6 3h8l4 4v14H6zM14 3v4h4', left: 'M14 6l-6 6 6 6', right: 'M10 6l6 6-6 6',
} as const

/** A sign beside a name that is read; fonts differ in which signs they have. */
export function Icon({ name, filled = false }: { name: keyof typeof PATHS; filled?: boolean }) {
  return <svg class="sign-of" viewBox="0 0 24 24" width="18" height="18" aria-hidden="true" fill={filled ? 'currentColor' : 'none'} stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"><path d={PATHS[name]} /></svg>
}
