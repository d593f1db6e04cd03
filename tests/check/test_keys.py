"""The document of keys: what the registry says, for every action and every place."""

from dataclasses import replace

import pytest

from pmtui.ui.keys.action_table import ACTIONS, Context
from tests.check.__main__ import main
from tests.check.keys import DOCUMENT, LEGEND, PLACES, legend_to_markdown, to_markdown


def test_the_document_says_what_the_registry_says() -> None:
    assert DOCUMENT.read_text() == to_markdown(ACTIONS), (
        "bring it up to date: python -m tests.check keys --write"
    )


def test_every_place_has_a_name() -> None:
    assert set(PLACES) == set(Context)


def test_another_key_is_another_row() -> None:
    first, *rest = ACTIONS
    other = replace(first, keys=("f12",))
    assert f"| `f12` | {first.help} | `{first.id}` |" in to_markdown((other, *rest))


def test_the_keys_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["keys"]) == 0
    assert "## The ladder" in capsys.readouterr().out


def test_the_page_of_signs_is_the_legend_of_the_ladder() -> None:
    assert LEGEND.read_text() == legend_to_markdown(), "run python -m tests.check keys --write"
