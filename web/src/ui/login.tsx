import { useState } from 'preact/hooks'
import { ApiError, type Api } from '../api.js'

/** Asks for the token of the server. */
export function Login({ api, done }: { api: Api; done: () => void }) {
  const [token, setToken] = useState('')
  const [error, setError] = useState('')
  const [busy, setBusy] = useState(false)
  const enter = async (event: Event) => {
    event.preventDefault()
    setBusy(true)
    setError('')
    try { await api.login(token.trim()); done() } catch (failure) {
      api.token = null
      setError(failure instanceof ApiError && failure.status === 401 ? 'That is not the token of this server.' : 'The server could not be reached.')
    }
    setBusy(false)
  }
  return (
    <main class="login"><form onSubmit={(event) => void enter(event)}>
      <h1>Sign in</h1><p>The server asks for its token. It was chosen when the server was started.</p>
      <label>Token<input type="password" autocomplete="current-password" value={token} ref={(input) => input?.focus()} onInput={(event) => setToken(event.currentTarget.value)} /></label>
      {error && <p class="problem" role="alert">{error}</p>}
      <button type="submit" class="primary" disabled={busy || !token}>Sign in</button>
    </form></main>
  )
}
