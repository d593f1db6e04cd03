import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.ui.plain import (
    Align,
    cell_width,
    ellipsize_distinctly,
    ellipsize_notice,
    ellipsize_words,
    fit,
    fit_names,
    plain,
    shorten_groups,
)

HOSTILE = st.text(
    st.one_of(
        st.characters(codec=None),
        st.sampled_from("\x1b[31m\x9b\x07\u202e\u2066\u200b\u200d\ufeff\ud800\u0301市😀\n\t\u2028"),
    ),
    max_size=40,
)


@given(HOSTILE)
def test_nothing_that_moves_hides_or_turns_text_survives(text: str) -> None:
    clean = plain(text)
    assert not {unicodedata.category(c) for c in clean} & {"Cc", "Cf", "Cs", "Zl", "Zp"}
    assert "  " not in clean
    assert clean == clean.strip(" ")


@given(HOSTILE)
def test_cleaning_twice_changes_nothing(text: str) -> None:
    assert plain(plain(text)) == plain(text)


@given(HOSTILE, st.integers(0, 30), st.sampled_from(Align))
def test_fitted_text_has_exactly_the_width_asked_for(text: str, width: int, align: Align) -> None:
    fitted = fit(text, width, align)
    assert cell_width(fitted) == width
    assert not {unicodedata.category(c) for c in fitted} & {"Cc", "Cf", "Cs"}


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;owned\x07title", "title"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x9b31mred", "red"),
        ("a\x1b(Bb", "ab"),
        ("unfinished \x1b[", "unfinished"),
        ("two\nlines\r\n\ttab", "two lines tab"),
        ("abc\u202egpj.exe", "abcgpj.exe"),
        ("zero\u200bwidth\u2060", "zerowidth"),
        ("\ud83d", "\ufffd"),
        ("Trump [R] vs [D] [/]", "Trump [R] vs [D] [/]"),
        ("caf\u00e9 e\u0301", "caf\u00e9 e\u0301"),
        ("z\u0301\u0301\u0301\u0301a", "z\u0301\u0301a"),
        ("\u0301start", "start"),
        ("a\u3164\u3164b", "a b"),
        ("\u2764\ufe0f heart", "\u2764 heart"),
    ],
)
def test_a_hostile_text_becomes_a_harmless_line(text: str, clean: str) -> None:
    assert plain(text) == clean


def test_a_crop_ends_in_an_ellipsis() -> None:
    assert plain("a long title", 6) == "a lon…"
    assert plain("市場市場", 4) == "市 …"
    assert plain("fits", 4) == "fits"
    assert plain("gone", 0) == ""


def test_alignment_keeps_spaces_that_are_layout() -> None:
    assert fit("a  b", 6) == "a  b  "
    assert fit("ab", 5, Align.RIGHT) == "   ab"
    assert fit("ab", 5, Align.CENTER) == " ab  "


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("Bitcoin: up or down, November 21, 16:15–16:30 UTC", "Bitcoin: up or…16:15–16:30 UTC"),
        ("Bitcoin Up or Down - November 21, 3:45PM-4:00PM ET", "Bitcoin Up or…3:45PM-4:00PM ET"),
        ("Bitcoin Up or Down - November 21, 3PM ET", "Bitcoin Up or Down - No…3PM ET"),
        ("Who will lead Ghana after the 2027 election?", "Who will lead Ghana after the…"),
    ],
)
def test_a_title_that_is_cut_keeps_the_time_it_ends_with(title: str, shown: str) -> None:
    assert plain(title, 30) == shown
    assert fit(title, 30) == shown


def test_where_a_time_would_take_all_the_room_its_start_is_kept_and_then_none_of_it() -> None:
    title = "Bitcoin: up or down, November 21, 16:15–16:30 UTC"
    assert plain(title, 20) == "Bitcoin: up or…16:15"
    assert plain(title, 14) == "Bitcoin:…16:15"
    assert plain(title, 13) == "Bitcoin: up …"


UNMATCHED = (
    "no orders found to match with FAK order. "
    "FAK orders are partially filled or killed if no match is found."
)


def test_a_sentence_that_had_just_begun_is_left_out() -> None:
    assert ellipsize_words(UNMATCHED, 46) == "no orders found to match with FAK order. …"
    assert ellipsize_words(UNMATCHED, 60) == "no orders found to match with FAK order. …"


def test_otherwise_it_is_cut_after_a_word() -> None:
    assert ellipsize_words(UNMATCHED, 90).endswith("partially filled or killed if no…")
    assert ellipsize_words("one two three four", 13) == "one two…"
    assert ellipsize_words("x" * 30, 10) == "xxxxxxxxx…"


def test_the_last_word_that_fits_stays() -> None:
    assert ellipsize_words("one two three four", 14) == "one two three…"
    assert ellipsize_words("one two three. four", 16) == "one two three. …"
    assert ellipsize_words("one two three. four", 15) == "one two three.…"


SERIES = "Bought 40 Up at 51¢ · Bitcoin: up or down, November 23, 16:40–16:45 UTC"


def test_the_time_of_a_series_is_not_cut_twice() -> None:
    for width in range(12, len(SERIES) + 1):
        cut = ellipsize_words(SERIES, width)
        assert cell_width(cut) <= width
        assert cut.count("…") <= 1


words = st.lists(st.text("abcdefgh", min_size=1, max_size=6), min_size=3, max_size=20)


@given(words, st.integers(14, 60))
def test_no_word_is_cut_and_none_is_left_out_that_fits(found: list[str], width: int) -> None:
    text = " ".join(found)
    cut = ellipsize_words(text, width)
    if cut != text:
        kept = cut.removesuffix("…")
        assert kept.split() == found[: len(kept.split())]
        following = found[len(kept.split())]
        assert len(kept) + 1 + len(following) + 1 > width


def test_a_title_gives_way_to_the_reason() -> None:
    text = f"Rejected: Buy 500 Yes at 54¢ · {'Will it rain in the north ' * 2}? ({UNMATCHED})"
    assert ellipsize_notice(text, 76) == (
        "Rejected: Buy 500 Yes at 54¢ (no orders found to match with FAK order. …"
    )
    short = "Rejected: Buy 500 Yes at 54¢ · Will it rain in the north of the land? (no)"
    assert (
        ellipsize_notice(short, 60)
        == "Rejected: Buy 500 Yes at 54¢ · Will it rain in the nor… (no)"
    )


@given(st.text(max_size=120), st.integers(4, 100))
def test_it_is_never_wider_than_its_room(text: str, width: int) -> None:
    for cut in (ellipsize_words, ellipsize_notice):
        assert cell_width(cut(text, width)) <= width


BANKS = (
    "Cut of 50 bps or more: What will the European Central Bank do to its rate?",
    "Cut of 50 bps or more: What will the Bank of Japan do to its rate?",
    "Cut of 50 bps or more: What will the Bank of England do to its rate?",
)


def test_names_that_begin_alike_show_what_is_their_own() -> None:
    short = ellipsize_distinctly(
        (*BANKS, "No change: What will the Bank of Japan do to its rate?"), 42
    )
    assert [short[name] for name in BANKS] == [
        "Cut of 50 bps…European Central Bank do to",
        "Cut of 50 bps…Bank of Japan do to its",
        "Cut of 50 bps…Bank of England do to its",
    ]
    # The only one of its kind is cut at its end, and what has room is not cut at all.
    assert set(short) == {*BANKS}
    assert not ellipsize_distinctly(BANKS, 80)


def test_windows_of_a_series_keep_day_and_time() -> None:
    windows = [f"Solana: up or down, November {day}, 23:40–23:45 UTC" for day in (23, 24)]
    short = ellipsize_distinctly(windows, 32)
    assert [short[each].rpartition("…")[2] for each in windows] == [
        "23, 23:40–23:45 UTC", "24, 23:40–23:45 UTC",
    ]  # fmt: skip


def test_a_time_that_still_fits_is_not_repeated_behind_a_cut() -> None:
    assert plain("Bitcoin: 04:10–04:15 UTC", 19) == "Bitcoin: 04:10…"
    assert plain("Bitcoin: up or down, 04:10–04:15 UTC", 19) == "Bitcoin: up o…04:10"


def test_a_name_is_cut_in_one_place() -> None:
    parties = [
        f"Largest party in the {land} parliament after the next election"
        for land in ("Portugal", "Denmark", "Chile")
    ]
    # Cropped at the end they differ already.
    assert not ellipsize_distinctly(parties, 36)
    short = ellipsize_distinctly(parties, 28)
    assert short[parties[0]] == "Largest…Portugal parliament"
    for width in range(12, 60):
        assert all(each.count("…") == 1 for each in ellipsize_distinctly(BANKS, width).values())


def test_names_that_differ_in_two_places_keep_both() -> None:
    markets = [
        f"Will Bitcoin be above ${price},000 at noon UTC on November {day}?"
        for price in (84, 100) for day in (28, 29)
    ]  # fmt: skip
    assert list(ellipsize_distinctly(markets, 37).values()) == [
        "Will Bitcoin…$84,000 at…November 28?", "Will Bitcoin…$84,000 at…November 29?",
        "Will Bitcoin…$100,000 at…November 28?", "Will Bitcoin…$100,000 at…November 29?",
    ]  # fmt: skip
    assert ellipsize_distinctly(markets, 27)[markets[0]] == "Will Bitc…$84,000 at…28?"
    # Without the date they differ already.
    assert not ellipsize_distinctly(markets[::2], 37)


def test_names_beside_each_other_are_cut_only_when_the_line_is_full() -> None:
    names = ["No change", "Cut of 25 bps", "Cut of 50 bps or more"]
    assert fit_names(names, 43, least=6) == names
    assert fit_names(names, 38, least=6) == ["No change", "Cut of 25 bps", "Cut of 50 bps o…"]
    assert fit_names(names, 8, least=8) == ["No chan…", "Cu…25", "Cu…50"]
    assert fit_names([], 8, least=8) == []


def test_short_ends_leave_more_than_half_of_the_line_to_the_beginning() -> None:
    windows = [f"Solana: up or down, November 23, 18:{m}–18:{m + 5} UTC" for m in (15, 25)]
    short = ellipsize_distinctly(windows, 44)
    assert short[windows[0]] == "Solana: up or down, November…18:15–18:20 UTC"
    assert cell_width(short[windows[0]]) == 44


def test_windows_of_several_series_are_named_by_what_differs() -> None:
    def window(coin: str, minute: int) -> str:
        return f"{coin}: up or down, November 23, 18:{minute}–18:{minute + 5} UTC"

    coins = [[window(coin, minute) for minute in (15, 20)] for coin in ("Solana", "Ether")]
    assert shorten_groups(coins)[window("Ether", 20)] == "Ether: 18:20–18:25 UTC"
    assert shorten_groups(coins[:1])[window("Solana", 15)] == "18:15–18:20 UTC"
    # What is alone may be a series of any name.
    lone = [*coins, ["Rain tomorrow"]]
    assert "Rain tomorrow" not in shorten_groups(lone)
    assert shorten_groups(lone)[window("Ether", 20)] == "Ether: 18:20–18:25 UTC"


@given(st.lists(st.text("ab …界", max_size=30), max_size=6), st.integers(4, 24))
def test_a_short_name_never_takes_more_than_its_room(texts: list[str], width: int) -> None:
    short = ellipsize_distinctly(texts, width)
    assert all(cell_width(each) <= width for each in short.values())
    assert all(cell_width(text) > width for text in short)
