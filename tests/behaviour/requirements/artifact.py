"""Artifacts, their JSON, their renderings, blocks, truncation; `finish` and the error tree."""

from behaviour._requirements import deviates, gap, held, promise

NULLS = "Optional fields are written as null."
ASSEMBLE = (
    "`Delta`: a streamed fragment with `key` (the block it belongs to: `text`, `reasoning`, `tool_call:<n>`), "
    "`family`, and `assemble(parts) -> Artifact`, called once per block: fragments are collected and joined, "
    "never concatenated one by one."
)
PROVIDER_DATA = (
    "`provider_data`: opaque vendor data on text, reasoning and tool-call artifacts (signatures, redacted or "
    "encrypted reasoning, item ids), tagged with the provider and model that issued it; replayed unchanged, in "
    "order, to the same ones, or left out; never parsed elsewhere, never dropped by the store."
)
COUNTS = "unknown is `None`, zero is zero."

REQUIREMENTS = (
    deviates(
        "C001",
        "Every kind reports its fixed tag. The original has a kind reasoning_signature; here signatures are "
        "provider_data of what they sign.",
        design=PROVIDER_DATA,
    ),
    held("C002", "Only text_delta, reasoning_delta and tool_call_delta are deltas."),
    held("C003", "The three deltas name their block: text, reasoning, tool_call:<index>."),
    deviates(
        "C004",
        "Merging text deltas one by one makes a Text; here all fragments of a block are joined at once to the same.",
        design=ASSEMBLE,
    ),
    deviates("C005", "Merging reasoning deltas makes a Reasoning; here joined at once to the same.", design=ASSEMBLE),
    held("C006", "One tool-call delta makes a ToolCall with its id, name and arguments, and nothing to display."),
    deviates(
        "C007",
        "A later fragment without an id keeps the id and appends its name and arguments; here arguments are joined, "
        "and the first id and the first name that are not empty hold, since gateways repeat them.",
        design=ASSEMBLE,
    ),
    deviates(
        "C009",
        "Text, Reasoning and their deltas are exactly kind and content in JSON; here complete ones also have "
        "provider_data, null when there is none.",
        design=NULLS,
    ),
    deviates(
        "C010",
        "A ToolCall without display is exactly kind, id, name, arguments; here display and provider_data are null. "
        "Arguments stay a JSON string.",
        design=NULLS,
    ),
    held("C013", "A ToolCallDelta always has kind, id, name, arguments and index in JSON, index 0 included."),
    held("C014", "What a model gets of a tool call is its arguments, whatever is displayed."),
    held("C015", "A display hint that renders itself is what people see of a call."),
    held(
        "C017",
        "Other display hints: text as it is, 42 as 42, a map as compact JSON; none, or one that is not JSON, leaves "
        "the arguments.",
    ),
    held("C018", "A tool's value that renders itself for the model is what the result's content becomes."),
    held("C019", "What a model gets of a tool result is its content, whatever value made it."),
    held("C022", "A tool's value that renders itself for people is what people see of the result."),
    deviates(
        "C023",
        "A ToolResult that was not cut has no key truncation; here it is null, as are status and display.",
        design=NULLS,
    ),
    held("C024", "A ToolResult that was cut nests the facts of the cut: sizes, lines, style, hint."),
    deviates(
        "C025",
        "An empty Truncation shows 0 bytes and 0 lines and omits the rest; here the rest is null.",
        design=NULLS,
    ),
    held("C026", "Truncated: not without sizes, not at equal sizes, yes when one byte is missing."),
    deviates(
        "C027",
        "The cache counters are omitted at 0; here zero is written as zero and unknown as null.",
        design=COUNTS,
    ),
    held("C029", "A Usage with every field reads back equal."),
    held("C030", "Each stop reason is kind and reason in JSON and reads back equal."),
    deviates(
        "C031",
        "A reasoning signature of each vendor and sub-kind reads back equal; here as provider_data of its block.",
        design=PROVIDER_DATA,
    ),
    deviates(
        "C032",
        "An Image is kind and url; here also media_type, name, size_bytes, data and blob, null when unknown.",
        design=NULLS,
    ),
    held("K2", "Fragments fold by key; another family closes what is open, tool calls stay open side by side."),
    held("K12", "Content is the model's text and display is people's; both read back as they were."),
    held("K13", "What a model gets of a result is fixed when the tool ends; the value stays in the process."),
    held("K14", "A kind that nobody registered is kept with its bytes, sent to nobody and shown by its name."),
    held(
        "K22",
        "Text results are not quoted, so line limits bite; the recovery hint is filled in, and the cut is told in any "
        "case.",
    ),
    held("K24", "Artifacts are written flat and read flat or as {kind, data}."),
    held("K26", "A call's display never reaches a model."),
    held("L31", "Encoding never fails, whatever the strings hold."),
    held("L33", "A kind with a field that JSON calls context is refused when it is registered."),
    held("L36", "A delta that folds to nothing is seen and never recorded."),
    held("P17", "What is stored reads back equal, types included."),
    held("P18", "The built-in kinds and what the codec reads are the same set, each under its own tag."),
    held("P29", "Unknown reasoning tokens are not zero."),
    gap(
        "N18",
        "Map-shaped properties and enveloped artifacts of the original are accepted on reading.",
        reason="enveloped artifacts are (K24); properties only ever go out, nothing in ore reads them yet",
    ),
    held("N19", "A notice of a severity that nobody knows is an info."),
    held("N20", "An artifact class with a field called context is refused."),
    held("N22", "A delta without a fold rule never keeps a turn from being stored."),
    held("B04", "Two fragments of one position in one chunk are one call."),
    held("B08", "An empty text fragment before a tool call leaves no empty text behind."),
    held("B57", "Lone surrogates become U+FFFD, valid pairs stay, and nothing fails."),
    promise("D-null-fields", 3, "No field is left out of an artifact's JSON; optional ones are written as null."),
    promise("D-reserved-fields", 3, "No field may be called kind or context; registration refuses it."),
    promise("D-arguments-verbatim", 3, "Arguments that are no JSON object stay as they came."),
    promise("D-assemble-once", 3, "A block is assembled once, from all its fragments in order."),
    promise("D-third-party-kind", 3, "One class adds a kind: it streams, folds, stores, reloads and renders."),
    promise("D-codec-is-a-value", 3, "What one codec knows, another does not."),
    promise("D-unknown-kind", 3, "A kind that nobody registered is written back unchanged."),
    promise("D-error-statuses", 3, "Denied, cancelled and unknown results are errors."),
    promise("D-value-renderings", 3, "A value may say its model text, its human text and the session's status."),
    promise("D-provider-data", 3, "Vendor data comes back from JSON unchanged and in order."),
    promise("D-usage-sum", 3, "Usage adds up field by field; unknown only where both are unknown."),
    promise("D-control-artifacts", 3, "Notice and Restart steer the loop and are never stored."),
    promise("D-media-source", 3, "An image, file or audio has exactly one of url, data and blob."),
    promise("D-server-tool", 3, "What a vendor ran itself is kept for replay and has nothing to execute."),
    promise("D-blocks-close", 5, "A delta of another family or a complete artifact closes what is open."),
    promise("D-three-blocks", 5, "Text, reasoning, text gives three blocks in arrival order."),
    promise("D-restart-drops-all", 6, "A restart drops every block of the turn, closed ones too."),
    promise("D-half-calls", 4, "An interrupted answer keeps its text and its complete calls, and no half call."),
    promise("D-cut-limits", 7, "Output is bounded by 50,000 bytes and 2,000 lines unless told otherwise."),
    promise("D-cut-hint", 7, "A text that was cut says so, and how to get the rest."),
    promise("D-error-codes", 6, "Every failure has one class and one code, the class in snake case."),
    promise("D-finish", 5, "Work inside finish ends whole; a cancellation is raised only after it."),
)
