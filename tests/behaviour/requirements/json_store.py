"""The folder of JSON files."""

from behaviour._requirements import held, promise

REQUIREMENTS = (
    held("C226", "Threads are made, read, saved, deleted (which tells whether there was one) and listed."),
    held("C227", "A thread is a file from its creation on; what was saved is in it; deleting removes it."),
    held("C229", "A file without metadata has none, which is an empty map."),
    held("C231", "Fifty threads that are made, saved and read at once are all kept."),
    held("C233", "A turn with a fragment is refused, by the name of its kind."),
    held("L9", "A missing fact matches no value, not the empty one either."),
    held("L10", "Deleting a thread that is on the disk and was never read tells that it was there."),
    held("L11", "No two ids have one file, also where the file system ignores case; none leads out of the folder."),
    held("L12", "Names of unfinished files are used once, files and folder are synced, what changes is copied first."),
    held("L13", "A corrupt file is reported and passed over; every other thread is found."),
    held("L14", "Half a line at the end of a log is cut off, and the next one does not glue onto it."),
    held("P19", "A list is made without reading turns."),
    held("P20", "Looking through all threads holds nothing that work on one of them waits for."),
    held("N05", "Looking for an empty value finds no thread without the key."),
    held("N06", "Deletion after a restart reports what it did."),
    held("N07", "An id or a symbolic link neither reads nor writes outside the folder."),
    held("N08", "Facts that change during a save tear nothing, and a crash before the rename leaves the old file."),
    held("B49", "Killed during a save of a long thread, at any moment, the old or the new version opens."),
    held("B52", "Two processes that save one thread never mix, and whoever comes second is told."),
    held("B54", "What could lead outside the store is refused before anything is read, made or removed."),
    promise("D-json-v0-12", 4, "A file of v0.12 loads, turns without ids included, and survives a save."),
    promise("D-json-v1", 4, "A file of v1 loads, with every branch in any order, and survives a save."),
    promise("D-json-durable", 4, "Whatever the instruction at which a process dies, each step was done or not."),
    promise("D-json-disk-full", 4, "A full disk is an error that leaves what was there; later the same step works."),
    promise("D-json-one-process", 4, "One process has the folder; the kernel gives it back when it dies."),
    promise("D-json-model", 4, "What is done with a folder has the effect that it has in memory."),
)
