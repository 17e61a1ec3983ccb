import type { MediaArtifact } from '../wire.js'
import { Icon } from './icon.js'

const SHOWN = /^image\/(png|jpeg|gif|webp|avif)$/

export function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  return bytes < 1e6 ? `${(bytes / 1000).toFixed(bytes < 1e4 ? 1 : 0)} kB` : `${(bytes / 1e6).toFixed(1)} MB`
}

/** A picture or a file; nothing is fetched from elsewhere before somebody asks for it. */
export function Media({ media }: { media: MediaArtifact }) {
  const type = media.media_type ?? ''
  const name = media.name || (media.kind === 'image' ? 'picture' : media.kind)
  const source = media.data ? `data:${SHOWN.test(type) ? type : 'application/octet-stream'};base64,${media.data}` : null
  if (media.kind === 'image' && source && SHOWN.test(type)) return <img class="picture" src={source} alt={name} loading="lazy" decoding="async" />
  const facts = [type, media.size_bytes ? size(media.size_bytes) : ''].filter(Boolean).join(', ')
  const label = <><Icon name="file" />{name}{facts && <small> {facts}</small>}</>
  if (source) return <a class="file" href={source} download={name}>{label}</a>
  if (media.url && /^https?:/i.test(media.url)) return <a class="file" href={media.url} target="_blank" rel="noopener noreferrer">{label}</a>
  return <span class="file">{label}</span>
}
