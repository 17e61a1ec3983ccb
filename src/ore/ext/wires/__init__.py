"""Wires: the vendors' protocols without any I/O; request bodies out, response bytes in."""
