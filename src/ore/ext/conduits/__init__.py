"""Front ends: each submits, subscribes and renders; none drives a turn."""
