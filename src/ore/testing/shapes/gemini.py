"""`check_gemini`: what Google's generateContent would refuse.

Fields and ranges by "Generating content", "GenerationConfig" and "Function
calling" of the Gemini API reference, `v1beta` (read 2026-11); pairing by the
errors that the vendor answers with.
"""

from collections.abc import Collection, Sequence
from typing import Final

from ore.testing.shapes.at import At, Body, reading
from ore.testing.shapes.gemini_contents import FUNCTION_NAME, check_contents, check_instruction
from ore.testing.shapes.schema import check_schema

__all__ = ["check_gemini"]

_FIELDS: Final = "cachedContent generationConfig labels safetySettings systemInstruction toolConfig tools"

_GENERATION: Final = (
    "candidateCount enableEnhancedCivicAnswers frequencyPenalty imageConfig logprobs maxOutputTokens mediaResolution "
    "presencePenalty responseJsonSchema responseLogprobs responseMimeType responseModalities responseSchema seed "
    "speechConfig stopSequences temperature thinkingConfig topK topP"
)

_TOOLS: Final = (
    "codeExecution computerUse fileSearch functionDeclarations googleMaps googleSearch googleSearchRetrieval urlContext"
)

_STOPS: Final = 5
_FUNCTIONS: Final = 512
_INT32: Final = 2**31


def check_gemini(body: Body, *, wants_signatures: bool = False, issued: Collection[str] | None = None) -> None:
    """Check a request against what Gemini insists on.

    User and model take turns, the user first and last. Behind the model's
    calls stands a response for each, as many and of the same names and ids,
    before anything else. Each part holds one thing, each side says what it may,
    signatures stand with the model's parts alone. Names of functions differ and
    begin with a letter or an underscore, no field is unknown, numbers are in
    their ranges, and options that exclude one another do.

    Args:
        body: The bytes, or what they decode to.
        wants_signatures: Whether the model, such as one of Gemini 3, refuses a
            step whose first call nobody signed.
        issued: The signatures that the model gave; others are refused. `None` takes any.

    Raises:
        ShapeError: The vendor would answer 400.
    """
    with reading(body) as at:
        fields = at.fields("contents", _FIELDS)
        check_contents(fields["contents"], wants_signatures=wants_signatures, issued=issued)
        if "systemInstruction" in fields:
            check_instruction(fields["systemInstruction"])
        names = _tools(fields["tools"]) if "tools" in fields else []
        if "toolConfig" in fields:
            _tool_config(fields["toolConfig"], names)
        if "generationConfig" in fields:
            _generation(fields["generationConfig"])


def _tools(at: At) -> Sequence[str]:
    """Check the tools; gives the names of the functions."""
    names: list[str] = []
    for tool in at.items(least=1):
        fields = tool.fields("", _TOOLS)
        if not fields:
            tool.refuse("a tool", "an object that names none")
        declared = fields.get("functionDeclarations")
        for function in declared.items(least=1, most=_FUNCTIONS) if declared is not None else ():
            name = _function(function)
            if name.text() in names:
                name.refuse("another name for each function", repr(name.value))
            names.append(name.text())
    return names


def _function(at: At) -> At:
    """Check a function; gives where its name stands."""
    fields = at.fields("name description", "behavior parameters parametersJsonSchema response responseJsonSchema")
    fields["name"].name(FUNCTION_NAME)
    fields["description"].text()
    if {"parameters", "parametersJsonSchema"} <= fields.keys():
        fields["parameters"].refuse("only one of parameters and parametersJsonSchema", "both")
    schema = fields.get("parametersJsonSchema")
    if schema is not None:
        check_schema(schema)
        if not {"properties", "$ref", "anyOf"} & schema.object().keys():
            schema.key("properties").refuse("properties, or no schema at all", "an object without any")
    return fields["name"]


def _tool_config(at: At, names: Sequence[str]) -> None:
    config = at.fields("", "functionCallingConfig retrievalConfig").get("functionCallingConfig")
    if config is None:
        return
    fields = config.fields("", "allowedFunctionNames mode")
    mode = fields["mode"].one_of("AUTO", "ANY", "NONE", "VALIDATED") if "mode" in fields else "AUTO"
    if mode in ("ANY", "VALIDATED") and not names:
        config.key("mode").refuse("functions to call", mode)
    if "allowedFunctionNames" in fields:
        if mode not in ("ANY", "VALIDATED"):
            fields["allowedFunctionNames"].refuse("the mode ANY or VALIDATED beside it", mode)
        for name in fields["allowedFunctionNames"].items(least=1):
            name.one_of(*names)


def _generation(at: At) -> None:
    fields = at.fields("", _GENERATION)
    for name, low, high in (
        ("temperature", 0, 2),
        ("topP", 0, 1),
        ("topK", 1, 1_000),
        ("frequencyPenalty", -2, 2),
        ("presencePenalty", -2, 2),
    ):
        if name in fields:
            fields[name].number(low, high)
    for name, least, most in (("candidateCount", 1, 8), ("maxOutputTokens", 1, None), ("seed", -_INT32, _INT32 - 1)):
        if name in fields:
            fields[name].integer(least, most)
    for stop in fields["stopSequences"].items(most=_STOPS) if "stopSequences" in fields else ():
        stop.text(least=1)
    if "thinkingConfig" in fields:
        _thinking(fields["thinkingConfig"])
    _output(fields)


def _thinking(at: At) -> None:
    fields = at.fields("", "includeThoughts thinkingBudget thinkingLevel")
    if "includeThoughts" in fields:
        fields["includeThoughts"].boolean()
    if "thinkingBudget" in fields:
        fields["thinkingBudget"].integer(-1, 32_768)
    if "thinkingLevel" in fields:
        fields["thinkingLevel"].one_of("MINIMAL", "LOW", "MEDIUM", "HIGH")
        if "thinkingBudget" in fields:
            at.refuse("only one of thinkingBudget and thinkingLevel", "both")


def _output(fields: dict[str, At]) -> None:
    """What the answer has to be."""
    kind = fields.get("responseMimeType")
    if kind is not None:
        kind.one_of("text/plain", "application/json", "text/x.enum")
    for modality in fields["responseModalities"].items(least=1) if "responseModalities" in fields else ():
        modality.one_of("TEXT", "IMAGE", "AUDIO")
    schemas = [name for name in ("responseSchema", "responseJsonSchema") if name in fields]
    if len(schemas) > 1:
        fields["responseSchema"].refuse("only one of responseSchema and responseJsonSchema", "both")
    if schemas and (kind is None or kind.value == "text/plain"):
        fields[schemas[0]].refuse("responseMimeType application/json beside it", "another, or none")
    if "responseJsonSchema" in fields:
        fields["responseJsonSchema"].object()
