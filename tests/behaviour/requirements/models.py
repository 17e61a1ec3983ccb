"""Which model, and how it shall answer."""

from behaviour._requirements import held, promise

REQUIREMENTS = (
    held("C077", "A spec of nothing has no opinion on anything."),
    held("C078", "Six thinking levels, exactly as spelled; everything else is refused."),
    held("C079", "The refusal of a level names those that there are."),
    held("K11", "Specs merge field by field; each metadata key counts alone; a wrong value is refused when it is set."),
    held("N14", "A thinking level alone in the metadata takes effect."),
    held("P28", "No opinion is the absence of a value; zero is one."),
    promise("D-spec-order", 6, "Defaults, agent, session, call: the later opinion wins."),
    promise("D-model-names", 6, "A name may say its provider, before the first colon or slash."),
)
