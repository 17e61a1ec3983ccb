"""The `ore` command: one file per command, and what they share."""
