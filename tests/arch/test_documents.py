"""The documents name files that are there: a map with a wrong way on it is worse than none."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import pmtui

PACKAGE = Path(pmtui.__file__).parent
ROOT = PACKAGE.parent
PAGES = tuple(sorted((PACKAGE / "docs").glob("*.md")))
DOCUMENTS = (ROOT / "README.md", PACKAGE / "ARCHITECTURE.md", *PAGES)
MOST_LINES = 120
"""Of the architecture: it says what the code cannot, and names do the work of a map."""
FROM_THE_CODE = frozenset({"wire.md"})
"""Pages that the code leads to."""
_LINK = re.compile(r"\]\(([^)#\s]+)[^)]*\)")
_QUOTED = re.compile(r"`([^`\s]+)`")
_FILE = re.compile(r"[\w.*/-]+/[\w.*-]+\.(?:py|md|toml|tcss|txt)|(?:[\w-]+/)+")
"""What stands in quotes and is a path: a file below a folder, or a folder with its slash."""
ELSEWHERE = frozenset({"state/PROFILE/keystore.json", "paper/venue.json", "themes/*.toml"})
"""On the user's machine, not in the checkout."""


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_link_leads_to_a_file(document: Path) -> None:
    links = [link for link in _LINK.findall(document.read_text()) if "://" not in link]
    assert [link for link in links if not (document.parent / link).exists()] == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_path_that_is_named_exists(document: Path) -> None:
    named = set(_paths(document.read_text())) - ELSEWHERE
    assert [path for path in sorted(named) if not _exists(path)] == []


def test_the_architecture_is_short_and_names_paths() -> None:
    text = (PACKAGE / "ARCHITECTURE.md").read_text()
    assert len(text.splitlines()) <= MOST_LINES
    assert len(set(_paths(text))) > 20


def test_the_architecture_says_what_each_file_beside_textuals_privates_buys() -> None:
    text = (PACKAGE / "ARCHITECTURE.md").read_text()
    rows = re.findall(r"^\| `(\w+)` \| \S.* \| \S.* \|$", text, re.MULTILINE)
    files = {path.stem for path in (PACKAGE / "ui/terminal").glob("*.py")} - {"__init__"}
    assert set(rows) >= files


def test_the_readme_leads_to_every_page() -> None:
    linked = set(_LINK.findall((ROOT / "README.md").read_text()))
    missing = {page.name for page in PAGES if f"pmtui/docs/{page.name}" not in linked}
    assert missing <= FROM_THE_CODE


def test_every_section_that_the_code_names_is_there() -> None:
    headings = re.findall(r"^## (.+)$", (PACKAGE / "docs/wire.md").read_text(), re.MULTILINE)
    anchors = {heading.lower().replace(" ", "-") for heading in headings}
    named = {
        anchor
        for module in PACKAGE.rglob("*.py")
        for anchors_of_one in re.findall(
            r"docs/wire\.md((?:#[a-z-]+(?: and )?)+)", module.read_text()
        )
        for anchor in re.findall(r"#([a-z-]+)", anchors_of_one)
    }
    assert len(named) > 15
    assert named <= anchors


def test_a_path_that_is_gone_is_seen() -> None:
    assert list(_paths("in `domain/nowhere.py`, `cli/gone*.py` and `sim/engine/`")) == [
        "domain/nowhere.py", "cli/gone*.py", "sim/engine/",
    ]  # fmt: skip
    assert [_exists(path) for path in ("domain/nowhere.py", "cli/gone*.py", "sim/engine/")] == [
        False, False, True,
    ]  # fmt: skip


def _paths(text: str) -> Iterator[str]:
    return (quoted for quoted in _QUOTED.findall(text) if _FILE.fullmatch(quoted))


def _exists(path: str) -> bool:
    """Whether a path is there, from the package or from the checkout; `*` stands for any."""
    return any(any(start.glob(path)) for start in (PACKAGE, ROOT))
