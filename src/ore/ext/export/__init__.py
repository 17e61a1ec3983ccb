"""Export: a thread as text, as one page of HTML, or as JSON that can be imported again."""

from ore.ext.export.html import export_html
from ore.ext.export.text import export_text
from ore.ledger import export_thread as export_json

__all__ = ["export_html", "export_json", "export_text"]
