"""Where words that are too long end."""

from hypothesis import given
from hypothesis import strategies as st

from pmtui.ui.ellipsize import cut_notice, cut_words
from pmtui.ui.plain import cell_width

UNMATCHED = (
    "no orders found to match with FAK order. "
    "FAK orders are partially filled or killed if no match is found."
)


def test_a_sentence_that_had_just_begun_is_left_out() -> None:
    assert cut_words(UNMATCHED, 46) == "no orders found to match with FAK order. …"
    assert cut_words(UNMATCHED, 60) == "no orders found to match with FAK order. …"


def test_otherwise_it_is_cut_after_a_word() -> None:
    assert cut_words(UNMATCHED, 90).endswith("partially filled or killed if no…")
    assert cut_words("one two three four", 13) == "one two…"
    assert cut_words("x" * 30, 10) == "xxxxxxxxx…"


def test_the_last_word_that_fits_stays() -> None:
    assert cut_words("one two three four", 14) == "one two three…"
    assert cut_words("one two three. four", 16) == "one two three. …"
    assert cut_words("one two three. four", 15) == "one two three.…"


SERIES = "Bought 40 Up at 51¢ · Bitcoin: up or down, November 23, 16:40–16:45 UTC"


def test_the_time_of_a_series_is_not_cut_twice() -> None:
    for width in range(12, len(SERIES) + 1):
        cut = cut_words(SERIES, width)
        assert cell_width(cut) <= width
        assert cut.count("…") <= 1


words = st.lists(st.text("abcdefgh", min_size=1, max_size=6), min_size=3, max_size=20)


@given(words, st.integers(14, 60))
def test_no_word_is_cut_and_none_is_left_out_that_fits(found: list[str], width: int) -> None:
    text = " ".join(found)
    cut = cut_words(text, width)
    if cut != text:
        kept = cut.removesuffix("…")
        assert kept.split() == found[: len(kept.split())]
        following = found[len(kept.split())]
        assert len(kept) + 1 + len(following) + 1 > width


def test_a_title_gives_way_to_the_reason() -> None:
    text = f"Rejected: Buy 500 Yes at 54¢ · {'Will it rain in the north ' * 2}? ({UNMATCHED})"
    assert cut_notice(text, 76) == (
        "Rejected: Buy 500 Yes at 54¢ (no orders found to match with FAK order. …"
    )
    short = "Rejected: Buy 500 Yes at 54¢ · Will it rain in the north of the land? (no)"
    assert cut_notice(short, 60) == "Rejected: Buy 500 Yes at 54¢ · Will it rain in the nor… (no)"


@given(st.text(max_size=120), st.integers(4, 100))
def test_it_is_never_wider_than_its_room(text: str, width: int) -> None:
    for cut in (cut_words, cut_notice):
        assert cell_width(cut(text, width)) <= width
