"""`analytics_table`: the same as a table in Markdown."""

from collections.abc import Sequence

from ore.ext.observe.analytics import Bucket

__all__ = ["NOTHING", "analytics_table", "short_bytes"]

NOTHING = "Nothing has been said yet."


def analytics_table(buckets: Sequence[Bucket]) -> str:
    """The buckets in their order, with a line of totals; one sentence when there are none."""
    if not buckets:
        return NOTHING
    count, size_bytes = sum(one.count for one in buckets), sum(one.size_bytes for one in buckets)
    lines = ["| Kind | Source | Count | Bytes | % |", "| --- | --- | ---: | ---: | ---: |"]
    lines += [_line(one, size_bytes) for one in buckets]
    lines.append(f"| **Total** |  | **{count}** | **{short_bytes(size_bytes)}** |  |")
    return "\n".join(lines)


def short_bytes(size_bytes: int) -> str:
    """`512 B`, `1.5 K`, `2.0 M`, `3.1 G`."""
    size = float(size_bytes)
    for unit in ("B", "K", "M"):
        if size < 1000:
            return f"{size_bytes} B" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} G"


def _line(bucket: Bucket, total_bytes: int) -> str:
    share = str(bucket.size_bytes * 100 // total_bytes) if total_bytes else "—"
    source = bucket.source.replace("|", "\\|").replace("\n", " ")
    return f"| {bucket.kind} | {source} | {bucket.count} | {short_bytes(bucket.size_bytes)} | {share} |"
