"""Mock: the vendors on this machine, for tests of whatever speaks to them.

A `MockServer` answers from the same script as `scripted:FILE`, checks each
request as the vendor would, and keeps what it got. `ore mock` is the same as
a command.
"""

from ore.ext.mock.anthropic_vendor import Anthropic
from ore.ext.mock.calls import script_of
from ore.ext.mock.journal import Recorded
from ore.ext.mock.openai_vendor import OpenAI
from ore.ext.mock.server import MockServer
from ore.ext.mock.vendor import Endpoint, Refusal, Vendor
from ore.ext.mock.vendors import VENDORS
from ore.ext.providers.script import Failure, Hang, Pause, Script, read_script

__all__ = [
    "VENDORS",
    "Anthropic",
    "Endpoint",
    "Failure",
    "Hang",
    "MockServer",
    "OpenAI",
    "Pause",
    "Recorded",
    "Refusal",
    "Script",
    "Vendor",
    "read_script",
    "script_of",
]
