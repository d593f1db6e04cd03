from pmtui.ui.keys.actions import FooterEntry
from pmtui.ui.widgets.key_line import entry_at, paint_footer

ENTRIES = (
    FooterEntry("confirm.accept", "enter", "Send", is_dangerous=True),
    FooterEntry("confirm.decline", "esc", "Back", is_dangerous=False),
)


def at(text: str, inside: int = 0) -> str | None:
    line = paint_footer(ENTRIES, 40)
    words = "".join(cell.text for cell in line)
    found = entry_at(line, words.index(text) + inside, ENTRIES)
    return found.id if found is not None else None


def test_a_key_and_its_words_are_one_target() -> None:
    assert at("enter") == at("Send") == at("Send", 3) == "confirm.accept"
    assert at("esc") == at("Back", 3) == "confirm.decline"


def test_beside_and_between_there_is_nothing() -> None:
    line = paint_footer(ENTRIES, 40)
    assert entry_at(line, 0, ENTRIES) is None
    assert at("Send", 4) is None
    assert entry_at(line, 39, ENTRIES) is None
