"""The ledger: an append-only tree of turns that is always sendable to a model."""

from ore.ledger.clock import Clock, now
from ore.ledger.deleting import PARENT_KEY, delete_thread
from ore.ledger.fold import Fold
from ore.ledger.memory import MemoryStore
from ore.ledger.pairing import Unanswered, call_key, parted, unanswered
from ore.ledger.portable import export_thread, import_thread, read_export
from ore.ledger.records import (
    ControlRecord,
    EffectRecord,
    EndingRecord,
    Journal,
    MetadataRecord,
    Operation,
    Outcome,
    ParentRecord,
    QuestionRecord,
    QuestionStatus,
    Record,
    TakenRecord,
    TipRecord,
    TurnRecord,
    decode_record,
    encode_record,
)
from ore.ledger.state import Buffer, Meta, State, place
from ore.ledger.store import (
    INNER,
    Hit,
    Message,
    Opening,
    Page,
    Store,
    StoredThread,
    Summary,
    Writer,
    check_id,
    is_id,
    is_inner,
)
from ore.ledger.summary import TITLE_KEY, preview, summarize
from ore.ledger.thread import Thread
from ore.ledger.turn import Control, Draft, Role, Turn, TurnStatus, new_turn_id
from ore.ledger.turn_codec import decode_turn, encode_turn
from ore.ledger.views import prepend, view
from ore.ledger.window import Chained, Window

__all__ = [
    "INNER",
    "PARENT_KEY",
    "TITLE_KEY",
    "Buffer",
    "Chained",
    "Clock",
    "Control",
    "ControlRecord",
    "Draft",
    "EffectRecord",
    "EndingRecord",
    "Fold",
    "Hit",
    "Journal",
    "MemoryStore",
    "Message",
    "Meta",
    "MetadataRecord",
    "Opening",
    "Operation",
    "Outcome",
    "Page",
    "ParentRecord",
    "QuestionRecord",
    "QuestionStatus",
    "Record",
    "Role",
    "State",
    "Store",
    "StoredThread",
    "Summary",
    "TakenRecord",
    "Thread",
    "TipRecord",
    "Turn",
    "TurnRecord",
    "TurnStatus",
    "Unanswered",
    "Window",
    "Writer",
    "call_key",
    "check_id",
    "decode_record",
    "decode_turn",
    "delete_thread",
    "encode_record",
    "encode_turn",
    "export_thread",
    "import_thread",
    "is_id",
    "is_inner",
    "new_turn_id",
    "now",
    "parted",
    "place",
    "prepend",
    "preview",
    "read_export",
    "summarize",
    "unanswered",
    "view",
]
