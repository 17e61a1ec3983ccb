"""Record and replay: requests without a network, and stored conversations as tests.

A cassette is a folder of captures, as `ore run --capture` writes them, one for
each request in order. `Recording` makes one, `Replaying` plays it, `NoNetwork`
refuses everything. Beside each capture `unpack` puts the body of the answer
and what it has to give, which `check_cassette` compares, so that a bug report
becomes a test. `replay` has an agent answer a stored conversation again and
says where it first differs.
"""

from ore.ext.replay.broken import Broken
from ore.ext.replay.cassette import Exchange, check_cassette, read_cassette, unpack
from ore.ext.replay.faults import Fault, Faulty, slow
from ore.ext.replay.no_network import NoNetwork
from ore.ext.replay.recorded import Recorded
from ore.ext.replay.recording import Recording
from ore.ext.replay.replaying import Replaying
from ore.ext.replay.thread import Difference, Replay, replay

__all__ = [
    "Broken",
    "Difference",
    "Exchange",
    "Fault",
    "Faulty",
    "NoNetwork",
    "Recorded",
    "Recording",
    "Replay",
    "Replaying",
    "check_cassette",
    "read_cassette",
    "replay",
    "slow",
    "unpack",
]
