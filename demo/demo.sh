#!/bin/sh
# A real conversation with the embedded model, by the `ore` command alone: no
# key, no network. Two processes, one session; the second resumes what the
# first stored.
set -eu

usage() {
    sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"
}

case ${1-} in
'') ;;
-h | --help) usage && exit 0 ;;
*) echo "$0: expected no argument, got $1" >&2 && exit 2 ;;
esac


folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM
export ORE_STORE="sqlite:$folder/demo.db"
session=demo-lighthouse

# Show a command as one would type it, then run it.
run() {
    printf '\n$ ore'
    for word; do
        case $word in
            *' '*) printf ' "%s"' "$word" ;;
            *) printf ' %s' "$word" ;;
        esac
    done
    printf '\n'
    ore "$@"
}

# Each message is a process of its own.
say() {
    run run --model local --session "$session" --temperature 0 --max-output-tokens 80 "$1"
}

echo "The embedded model has 135 million parameters: it talks, and is often wrong."
say "Hello, my name is Ada. In one sentence: what is a lighthouse?"
say "What is my name?"
run sessions show "$session"

# Two messages and two answers, in the order they were said.
ore sessions show "$session" --json | python3 -c '
import json, sys
roles = [turn["role"] for turn in json.load(sys.stdin)["turns"]]
expected = ["user", "assistant"] * 2
sys.exit(roles != expected and f"the store should hold {expected}, and holds {roles}")
'
printf '\nStored in one process, resumed in another: 2 messages, 2 answers. What was said here is not kept.\n'
printf 'To go on in a browser: .venv/bin/ore serve, then open http://127.0.0.1:7654\n'
