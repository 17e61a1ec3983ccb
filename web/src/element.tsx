/**
 * `<ore-chat>`: the chat as one element, for any page.
 *
 * Attributes: `server` (where the routes stand; the page's own folder by
 * default), `session` (a conversation to go on with), `agent`, `theme` (light,
 * dark or auto), `threads` (show the list), `routed` (the address follows).
 * Property: `token`, which is sent with each request; it is no attribute, so
 * that it does not stand in the page. Event: `ore-session` with the id of a
 * conversation that began.
 */

import { render } from 'preact'
import style from './style.css'
import { App } from './ui/app.js'

export class OreChat extends HTMLElement {
  token: string | null = null
  #root: ShadowRoot | null = null

  connectedCallback(): void {
    this.#root ??= this.#make()
    if (!this.hasAttribute('theme')) this.setAttribute('theme', localStorage.getItem('ore.theme') ?? 'auto')
    const options = {
      server: new URL(this.getAttribute('server') || '.', document.baseURI).href.replace(/\/?$/, '/'),
      session: this.getAttribute('session'),
      agent: this.getAttribute('agent'),
      token: this.token,
      threads: this.hasAttribute('threads'),
      routed: this.hasAttribute('routed'),
      host: this,
    }
    render(<App options={options} />, this.#root)
  }

  disconnectedCallback(): void {
    if (this.#root) render(null, this.#root)
  }

  #make(): ShadowRoot {
    const root = this.attachShadow({ mode: 'open' })
    // Not a <style>: a strict policy of the page allows none.
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(style)
    root.adoptedStyleSheets = [sheet]
    return root
  }
}

if (!customElements.get('ore-chat')) customElements.define('ore-chat', OreChat)
