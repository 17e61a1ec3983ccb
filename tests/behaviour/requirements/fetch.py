"""The tool `fetch`."""

from behaviour._requirements import held

REQUIREMENTS = (
    held(
        "D-fetch-addresses",
        "Only public addresses of http and https are asked, however they are written.",
        source="issue 6, must hold: metadata addresses",
    ),
    held("D-fetch-bombs", "No page and no packed body takes more than it may.", source="issue 6, must hold: bombs"),
    held("D-fetch-credentials", "Cookies, passwords and proxies are not used.", source="issue 6, build 1"),
    held("D-fetch-inert", "Control characters in pages do nothing.", source="issue 6, must hold: ANSI and NUL"),
    held(
        "D-fetch-limits",
        "Size and time of an answer have limits, and long ones come in parts.",
        source="issue 6, build 1",
    ),
    held("D-fetch-markdown", "HTML comes as Markdown, or as plain text with a notice.", source="issue 6, build 1"),
    held("D-fetch-pictures", "Pictures come as pictures, those that no vendor takes not.", source="issue 6, build 1"),
    held(
        "D-fetch-rebinding", "What was checked is what is asked, whatever a name says next.", source="issue 6, build 1"
    ),
    held("D-fetch-redirects", "Each redirect is checked as the first address was.", source="issue 6, build 1"),
)
