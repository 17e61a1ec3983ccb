"""How an exported page looks."""

from base64 import b64encode
from hashlib import sha256
from typing import Final

__all__ = ["POLICY", "STYLE"]

STYLE: Final = """
:root { color-scheme: light dark; --line: #8884; --soft: #8881; --user: #b07a00; --bad: #c62828; }
body { margin: 0 auto; max-width: 960px; padding: 2rem 1rem 4rem; font: 16px/1.6 system-ui, sans-serif; }
h1 { font-size: 1.4rem; margin: 0 0 .25rem; overflow-wrap: anywhere; }
.facts, .about, .time, .used, .note { color: #888; font-size: .8rem; }
.facts dt { float: left; clear: left; margin-right: .5rem; }
.facts dd { margin: 0; overflow-wrap: anywhere; }
article { border-top: 1px solid var(--line); padding: .75rem 0; overflow-wrap: anywhere; }
article > header { display: flex; gap: .75rem; align-items: baseline; flex-wrap: wrap; }
.who { font-weight: 600; }
article.user > header .who { color: var(--user); }
article.hidden { opacity: .55; }
.text > :first-child { margin-top: .25rem; }
.text > :last-child { margin-bottom: .25rem; }
pre { background: var(--soft); border-radius: 6px; overflow-x: auto; padding: .6rem .8rem; font-size: .85rem;
  white-space: pre-wrap; }
pre.plain { background: none; font: inherit; padding: 0; margin: .25rem 0; }
code { font-family: ui-monospace, monospace; }
table { border-collapse: collapse; display: block; overflow-x: auto; }
th, td { border: 1px solid var(--line); padding: .25rem .6rem; text-align: left; }
blockquote { border-left: 3px solid var(--line); margin-left: 0; padding-left: 1rem; }
img { max-width: 100%; height: auto; border-radius: 6px; }
details { border: 1px solid var(--line); border-radius: 6px; margin: .5rem 0; padding: .3rem .7rem; }
summary { cursor: pointer; }
details.tool-result-error > summary .ended { color: var(--bad); }
details.reasoning { color: #888; }
details.branch { border-style: dashed; }
.truncation-note { color: #888; font-size: .8rem; }
.boundary { border-top: 2px dashed var(--line); color: #888; font-size: .8rem; text-align: center; }
@media print { details { break-inside: avoid; } }
"""

POLICY: Final = (
    f"default-src 'none'; style-src 'sha256-{b64encode(sha256(STYLE.encode()).digest()).decode()}'; "
    "img-src data:; base-uri 'none'; form-action 'none'"
)
"""The page's Content-Security-Policy: its own style and the pictures in it, nothing else."""
