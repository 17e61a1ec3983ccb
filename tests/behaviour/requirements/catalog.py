"""What is known of models, what an inference cost, and what a change of model means."""

from behaviour._requirements import held, promise

_COMMAND = "contract.md section 2"
_ISSUE = "issue 5, catalog"

REQUIREMENTS = (
    held(
        "B105",
        "Cached tokens are charged once and at their own price; without one the price of the prompt holds for them.",
    ),
    held("D-cost-exact", "A cost is exact: tiers, cache writes, thinking inside the completion.", source=_ISSUE),
    promise("D-cost-unknown", 3, "Where a count or a price is unknown so is the cost; zero is zero."),
    promise("D-cost-priced", 2, "Providers price a usage before they yield it; a cost that the vendor named stays."),
    held("D-catalog-data", "The figures are sorted, sane and sourced; what no source says is unknown.", source=_ISSUE),
    held("D-catalog-names", "A model is found by each of its names, behind gateways and by address.", source=_ISSUE),
    held("D-catalog-unknown", "Of what nobody lists nothing is known, and nothing is guessed.", source=_ISSUE),
    held("D-catalog-prices", "A price that begins on a day holds from that day on.", source=_ISSUE),
    held("D-catalog-search", "A search finds every word in provider and names.", source=_ISSUE),
    held(
        "D-catalog-refresh",
        "`make catalog` takes the figures from their packages, as text; what a source does not settle is left out.",
        source=_ISSUE,
    ),
    held("D-cli-models", "`ore models [TEXT]`, as JSON of the contract's shape too.", source=_COMMAND),
    held(
        "D-preflight",
        "Before a model is changed it is said what the new one cannot take and what will be done: media, thinking and "
        "signatures of others, tools, fields, window.",
        source=_ISSUE,
    ),
    held("D-preflight-unknown", "A model that nobody knows is used with a notice, never refused.", source=_ISSUE),
    held(
        "D-fitted",
        "Media that a model is known to refuse are lines of text in its view of a conversation; the ledger keeps them.",
        source=_ISSUE,
    ),
    held("D-catalog-lazy", "Importing reads no figures.", source=_ISSUE),
)
