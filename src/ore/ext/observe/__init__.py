"""Observing: what agents use, what they may use, and what they do, for people, logs and OpenTelemetry.

Nothing here sends anything anywhere, and nothing of OpenTelemetry is imported
but by `ore.ext.observe.otel`.
"""
