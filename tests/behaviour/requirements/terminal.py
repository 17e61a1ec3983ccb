"""The screen on a terminal."""

from behaviour._requirements import held

REQUIREMENTS = (
    held("B96", "What somebody reads stays where it is while more arrives; End follows again."),
    held("B97", "Control characters in content change neither screen nor title."),
    held("B100", "Whatever ends the screen, the terminal is as it was and the session whole."),
    held("B101", "Resized in mid-stream, the screen ends as one that began in that size."),
)
