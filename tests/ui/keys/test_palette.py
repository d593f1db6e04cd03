from hypothesis import given
from hypothesis import strategies as st
from textual.content import Content

from pmtui.ui.keys.palette import literal, match

MARKED_UP = (
    "[BTC] above 100k?", "[P=NP|Q]", "[$a @click=app.quit]", "[/b] [", "[[b]]", "\\[b]x[/b]", "a\\",
    "[1] [bold red]x[/]", "[link='x']y",
)  # fmt: skip


@given(st.text() | st.sampled_from(MARKED_UP))
def test_markup_made_of_a_text_shows_the_text(text: str) -> None:
    printable = "".join(c for c in text if c.isprintable())
    assert Content.from_markup(literal(printable)).plain == printable


@given(st.text(max_size=8), st.text(max_size=40))
def test_found_letters_are_those_of_the_query_in_their_order(query: str, text: str) -> None:
    found = match(query, text)
    if found is None:
        return
    assert 0 <= found.score <= 1
    assert list(found.offsets) == sorted(set(found.offsets))
    assert len(found.offsets) == len(query)
    for letter, offset in zip(query, found.offsets, strict=True):
        assert text[offset].lower()[:1] == letter.lower()[:1]


@given(st.text(max_size=20), st.text(max_size=20), st.text(max_size=20))
def test_a_part_of_a_text_is_found_in_it(before: str, query: str, after: str) -> None:
    found = match(query, before + query + after)
    assert found is not None
    assert found.score >= 0.9


def test_letters_that_stand_apart_are_found_and_count_less() -> None:
    together, apart = match("arm", "Arm single keys"), match("asg", "Arm single keys")
    assert together is not None
    assert apart is not None
    assert together.score > apart.score > 0
    assert match("xyz", "Arm single keys") is None


def test_a_title_of_one_letter_over_and_over_is_matched_at_once() -> None:
    """Every way to spell the query would be tried otherwise: hours, at this length."""
    title = "a " * 5_000
    assert match("aaaaaaaaaaaa", title) is not None
    assert match("aaaaaaaaaaab", title) is None
