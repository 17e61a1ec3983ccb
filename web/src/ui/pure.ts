import { createElement, type Component, type ComponentChild, type FunctionComponent } from 'preact'

/** A component that is drawn again only when one of its properties is another value. */
export function pure<P extends object>(render: (props: P) => ComponentChild): FunctionComponent<P> {
  const Inner = render as FunctionComponent<P>
  return function Kept(this: Component<P>, props: P) {
    this.shouldComponentUpdate = (next) => differs(this.props as P, next as P)
    return createElement(Inner, props)
  } as FunctionComponent<P>
}

function differs(one: object, other: object): boolean {
  const before = one as Record<string, unknown>
  const after = other as Record<string, unknown>
  const names = Object.keys(after)
  return names.length !== Object.keys(before).length || names.some((name) => before[name] !== after[name])
}
