"""Tools on files."""

from behaviour._requirements import held

REQUIREMENTS = (
    held("D-files-approve", "Each change of a file is approved by a person.", source="issue 6, build 1"),
    held("D-files-atomic", "A file has its old content or its new one, and keeps its mode.", source="issue 6, build 1"),
    held("D-files-binary", "Binary files are named with type and size.", source="issue 6, build 1"),
    held(
        "D-files-bombs",
        "No pattern of a search, an ignore file or a path takes longer than it may.",
        source="issue 6, must hold: regular-expression bombs",
    ),
    held("D-files-border", "No path and no link leads out of the folder.", source="issue 6, must hold: traversal"),
    held(
        "D-files-edit", "An edit is exact and unique, keeps line ends, and loses no other.", source="issue 6, build 1"
    ),
    held(
        "D-files-ends",
        "Ten gigabytes, a hundred thousand files and loops of links end in time.",
        source="issue 6, must hold: ends",
    ),
    held("D-files-ignore", "Ignore files leave out what git ignores.", source="issue 6, build 1"),
    held(
        "D-files-inert", "Control characters in files and names do nothing.", source="issue 6, must hold: ANSI and NUL"
    ),
    held(
        "D-files-list", "Lists are sorted, mark directories, and have a limit with totals.", source="issue 6, build 1"
    ),
    held(
        "D-files-next",
        "The next offset that a part of a file names is that of its next line.",
        source="spec/extensions.md 10.4, a fault of the original",
    ),
    held("D-files-pictures", "Pictures come as pictures, those that no vendor takes not.", source="issue 6, build 1"),
    held(
        "D-files-races",
        "What is put in a path's place behind the check is refused.",
        source="issue 6, must hold: links",
    ),
    held("D-files-search", "A search finds the same with ripgrep and without it.", source="issue 6, build 1"),
    held("D-files-special", "FIFOs, sockets and devices are refused and hold nobody up.", source="issue 6, build 1"),
)
