"""Every route of the conduit, in the order of its contract."""

from collections.abc import Sequence
from typing import Final

from ore.ext.conduits.http.choices import list_agents, list_commands, list_models
from ore.ext.conduits.http.events import follow_events
from ore.ext.conduits.http.history import fork, list_turns, move_tip, show_snapshot
from ore.ext.conduits.http.messages import list_messages, send_message, show_message, withdraw_message
from ore.ext.conduits.http.metadata import change_metadata, show_metadata
from ore.ext.conduits.http.operation import EVENTS, LINES, Answer, Operation, Query
from ore.ext.conduits.http.questions import answer_question, list_questions
from ore.ext.conduits.http.sessions import (
    close_session,
    interrupt,
    list_sessions,
    open_session,
    stop_activity,
)
from ore.ext.conduits.http.threads import delete_stored, list_threads

__all__ = ["OPERATIONS"]

_S: Final = "/sessions/{id}"
_KINDS: Final = "kinds of events, with commas between; all but fragments without it, all with *"
_WHOLE: Final = {"type": "integer"}

OPERATIONS: Final[Sequence[Operation]] = (
    Operation(
        method="POST",
        path="/sessions",
        handle=open_session,
        summary="Make a session, or make a stored thread active",
        body="NewSession",
        needs_body=False,
        answers={
            201: Answer(about="It was made, without `thread_id` or with `create`", schema="Session"),
            200: Answer(about="The stored thread is active", schema="Session"),
        },
        problems=(404, 409),
    ),
    Operation(
        method="GET",
        path="/sessions",
        handle=list_sessions,
        summary="List the active sessions",
        answers={200: Answer(about="All of them", schema="Sessions")},
    ),
    Operation(
        method="GET",
        path="/agents",
        handle=list_agents,
        summary="List the agents that a session can have",
        answers={200: Answer(about="All of them, the default one first", schema="Agents")},
    ),
    Operation(
        method="GET",
        path="/models",
        handle=list_models,
        summary="List models that a session can change to; one that is not listed may work as well",
        query=(
            Query(name="q", about="only those in whose name each of these words stands"),
            Query(name="limit", about="how many: 50, from 1 to 500", schema=_WHOLE),
        ),
        answers={200: Answer(about="Those of the agents, then those of vendors whose key is here", schema="Models")},
    ),
    Operation(
        method="GET",
        path="/commands",
        handle=list_commands,
        summary="List the commands that a message may be",
        answers={200: Answer(about="All of them; they are sent as messages", schema="Commands")},
    ),
    Operation(
        method="DELETE",
        path=_S,
        handle=close_session,
        summary="Close a session; its thread stays",
        answers={204: Answer(about="It is closed")},
        problems=(404, 409),
    ),
    Operation(
        method="POST",
        path=f"{_S}/messages",
        handle=send_message,
        summary="Send a message, and follow its events up to its `done`",
        body="NewMessage",
        headers={"Prefer": "respond-async: answer as soon as the message is durable"},
        answers={
            200: Answer(about="Its events, one on each line", schema="Event", media_type=LINES),
            202: Answer(about="It is durable", schema="Accepted"),
        },
        problems=(404, 409),
    ),
    Operation(
        method="GET",
        path=f"{_S}/messages",
        handle=list_messages,
        summary="List the running message and those that wait",
        answers={200: Answer(about="In order", schema="Queue")},
        problems=(404, 409),
    ),
    Operation(
        method="GET",
        path=f"{_S}/messages/{{mid}}",
        handle=show_message,
        summary="Say where a message stands",
        answers={200: Answer(about="Where it stands, and how it ended", schema="MessageState")},
        problems=(404, 409),
    ),
    Operation(
        method="DELETE",
        path=f"{_S}/messages/{{mid}}",
        handle=withdraw_message,
        summary="Take a message back before it starts",
        answers={204: Answer(about="It never runs")},
        problems=(404, 409),
    ),
    Operation(
        method="POST",
        path=f"{_S}/interrupt",
        handle=interrupt,
        summary="Stop what runs, and take out of the queue what waits",
        body="Interrupt",
        needs_body=False,
        answers={200: Answer(about="What was stopped and taken out, which may be nothing", schema="Interrupted")},
        problems=(404, 409),
    ),
    Operation(
        method="GET",
        path=f"{_S}/questions",
        handle=list_questions,
        summary="List the questions that wait for a person",
        answers={200: Answer(about="The open ones, the oldest first", schema="Questions")},
        problems=(404, 409),
    ),
    Operation(
        method="POST",
        path=f"{_S}/questions/{{key:path}}",
        handle=answer_question,
        summary="Answer a question; the first answer wins",
        body="NewAnswer",
        answers={200: Answer(about="The answer, which is durable", schema="Answer")},
        problems=(404, 409),
    ),
    Operation(
        method="DELETE",
        path=f"{_S}/activities/{{aid:path}}",
        handle=stop_activity,
        summary="Stop one tool call or one agent inside a call",
        answers={204: Answer(about="It stops")},
        problems=(404, 409),
    ),
    Operation(
        method="GET",
        path=f"{_S}/events",
        handle=follow_events,
        summary="Follow what happens in a session",
        query=(
            Query(name="kinds", about=_KINDS),
            Query(name="after", about="the id of an event, behind which to begin; from now on without it"),
        ),
        headers={"Last-Event-ID": "as `after`, which it goes before"},
        answers={200: Answer(about="Server-sent events, each with its id", schema="Event", media_type=EVENTS)},
        problems=(404, 409),
    ),
    Operation(
        method="GET",
        path=f"{_S}/snapshot",
        handle=show_snapshot,
        summary="Show a session's state; its id is the cursor from which events go on",
        answers={200: Answer(about="The state", schema="Snapshot")},
        problems=(404,),
    ),
    Operation(
        method="GET",
        path=f"{_S}/turns",
        handle=list_turns,
        summary="List the turns of the active path",
        query=(
            Query(name="after", about="the id of a turn, behind which to begin"),
            Query(name="limit", about="how many at most", schema=_WHOLE),
            Query(name="all", about="true: those of every branch, in the order of recording"),
        ),
        headers={"If-None-Match": "an ETag of before: 304 when nothing changed"},
        answers={
            200: Answer(about="The turns", schema="Turns"),
            304: Answer(about="As before"),
        },
        problems=(404,),
    ),
    Operation(
        method="POST",
        path=f"{_S}/fork",
        handle=fork,
        summary="Make a thread that leaves this one at a turn",
        body="Fork",
        answers={201: Answer(about="The new thread", schema="Forked")},
        problems=(404, 409),
    ),
    Operation(
        method="PUT",
        path=f"{_S}/tip",
        handle=move_tip,
        summary="Go on from another turn",
        body="Tip",
        answers={200: Answer(about="Where the conversation goes on from", schema="Tip")},
        problems=(404, 409),
    ),
    Operation(
        method="GET",
        path=f"{_S}/metadata",
        handle=show_metadata,
        summary="Show a session's facts",
        answers={200: Answer(about="All facts", schema="Metadata")},
        problems=(404,),
    ),
    Operation(
        method="PATCH",
        path=f"{_S}/metadata",
        handle=change_metadata,
        summary="Set and delete facts of a session",
        body="MetadataChange",
        answers={200: Answer(about="All facts", schema="Metadata")},
        problems=(404, 409),
    ),
    Operation(
        method="GET",
        path="/threads",
        handle=list_threads,
        summary="List stored threads, the most recently written first",
        query=(
            Query(name="limit", about="how many: 20, from 1 to 100", schema=_WHOLE),
            Query(name="cursor", about="`next_cursor` of the page before"),
            Query(name="q", about="only those whose id, title or preview holds this"),
        ),
        answers={200: Answer(about="A page of them", schema="Threads")},
    ),
    Operation(
        method="DELETE",
        path="/threads/{id}",
        handle=delete_stored,
        summary="Delete a thread and all that belongs to it",
        answers={204: Answer(about="It is gone")},
        problems=(404, 409),
    ),
)
