"""Every page shows files as they are, and each file is shown."""

import re
from pathlib import Path

import pytest

from docs.pages import DOCS, shown

PAGES = sorted(page for page in DOCS.rglob("*.md") if not page.is_relative_to(DOCS / "src"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(DOCS)))
def test_a_page_shows_its_programs_as_they_are(page: Path) -> None:
    for name, text in shown(page).items():
        assert (DOCS.parent / name).read_text() == text, name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(DOCS)))
def test_every_python_block_of_a_page_is_a_file_of_its_own(page: Path) -> None:
    assert len(re.findall("^```python", page.read_text(), re.MULTILINE)) == sum(
        name.endswith(".py") for name in shown(page)
    )


def test_every_program_is_shown_by_a_page() -> None:
    names = {name for page in PAGES for name in shown(page)}
    files = {str(path.relative_to(DOCS.parent)) for path in (DOCS / "src").rglob("*.py")}
    assert files <= names


ENTRANCES = [DOCS.parent / "llms.txt", *PAGES]


@pytest.mark.parametrize("page", ENTRANCES, ids=lambda page: str(page.relative_to(DOCS.parent)))
def test_a_link_leads_somewhere(page: Path) -> None:
    text = re.sub("```.*?```", "", page.read_text(), flags=re.DOTALL)
    links = [link for link in re.findall(r"\]\(([^)#\s]+)", text) if "://" not in link]
    assert [link for link in links if not (page.parent / link).exists()] == []
