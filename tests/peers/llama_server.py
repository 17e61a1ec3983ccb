"""llama.cpp's own server, as a child: says where it answers, and ends when its standard input does."""

import sys

import xllamacpp

from ore.ext.providers.local.weights import SMOLLM2, find

WINDOW_TOKENS = 1024
"""Of each slot: small, so that a test can overflow it."""

SLOTS = 2


def main(key: str) -> None:
    params = xllamacpp.CommonParams()
    params.model.path = str(find(SMOLLM2))
    params.model_alias = ["smol"]
    params.n_ctx = WINDOW_TOKENS * SLOTS
    params.n_parallel = SLOTS
    params.n_batch = params.n_ubatch = 64
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.verbosity = -1
    params.warmup = False
    params.ui = False
    params.api_keys = [key]
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main(sys.argv[1])
