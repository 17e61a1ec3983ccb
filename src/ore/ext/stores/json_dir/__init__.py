"""A folder of JSON files, one for each thread, in the original's layout.

`<id>.json` holds a thread as the original kept it: `{"id", "current_tip"?,
"metadata", "turns": [every turn of every branch]}`. Artifacts are written flat;
files of every earlier version load, enveloped artifacts, turns without ids,
turns in any order and keys that nobody knows included, and what is not changed
is written back byte for byte. One key is added, `ore`: what a session needs
beside its turns (inbox, endings, effects, open questions, epoch, sequence). It
stands in the same file, so that both are replaced in one step; readers of the
original's layout pass over it.

Beside it `<id>.log` holds what was written since: one line for each append,
submit or take, with a checksum and a number that counts on from the one in
`ore`. Appending costs the same however long the thread is. When a writer gives
the session back, the thread file is written anew next to the old one and takes
its place, and the log goes. Until then the thread is the file and the log
together. A crash leaves lines that the file has already (their numbers say so)
or half a line at the end (its checksum says so; it was never acknowledged).

A thread's id is its file's name. Where there is another id that differs in
capitals only, which some file systems take for the same name, the later one
gets a mark: after `trip.json` the thread `Trip` is `trip^1.json`. `.lock` is
locked by the one process that has the folder open. A symbolic link in the
folder is refused.
Names that begin with a dot and end with `.tmp` are unfinished files of a
process that died; the next one removes them.

Lists are made from the first line of each file, and from what was read before
as long as time, size and inode of a file are the same. The time of a file is
never before what was last written in it, so the order of writing survives a
clock that was set back.
"""

from ore.ext.stores.json_dir.store import JsonStore

__all__ = ["JsonStore"]
