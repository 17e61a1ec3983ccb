"""What a tool is: schemas, names, the registry, toolsets, sandboxes, typed answers."""

from behaviour._requirements import held, promise

REQUIREMENTS = (
    held("C151", "Registering twice under one name keeps the second, one entry listed, in the place of the first."),
    held("C153", "No schema and an empty one are fine; all known keywords are accepted."),
    held("C155", "An empty name and a null function are refused."),
    held("C158", "Sandboxes: register, overwrite, look up in vain, a default set and none."),
    held("L19", "Tools come in the order in which they were registered, always."),
    held("L20", "An unknown sandbox is an error, never the absence of one."),
    held("L22", "The separator of names is legal on the wire, and one's own tools are looked up first."),
    held("P34", "A server's tool keeps all it came with; only its name changes."),
    held("B07", "Empty arguments are an empty object; a parameter that is missing then is named in the error."),
    held(
        "B65",
        "Optional, Union, Literal, Enum, IntEnum, dataclasses and descriptions have their schema, and values arrive as "
        "these types; *args and **kwargs are refused.",
    ),
    held("B67", "A flattened schema has no reference left, keeps what stood beside one, and nested objects validate."),
    held(
        "B68",
        "The strict form has no default and no oneOf, requires every property and closes every object; a null applies "
        "Python's default; the other form is unchanged.",
    ),
    held("B69", "The list of tools and their schemas are the same bytes, whatever came first and in every process."),
    held("B70", "Tools of any name get legal, distinct ones; calls reach the right tool; people see the original."),
    promise("D-tool-function", 7, "A plain function is a tool; its name, docstring and annotations make the schema."),
    promise("D-tool-context", 7, "A first parameter annotated ToolContext receives the context."),
    promise("D-tool-arguments", 7, "Arguments that do not fit are an error for the model, whatever it wrote."),
    promise("D-tool-lazy", 2, "Pydantic is imported on first use inside tool/schema, and nowhere else in core."),
)
