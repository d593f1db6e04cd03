"""The account's rows, headings and explanations, painted without a terminal."""

from dataclasses import replace
from datetime import timedelta

import pytest

from pmtui.domain.account.onboarding import LastAnswer, Onboarding
from pmtui.service.views import StatusView
from pmtui.ui.account.account_line import AccountLine
from pmtui.ui.account.onboarding_lines import account_lines
from pmtui.ui.account.paint_account import (
    ACCOUNT_COLUMNS,
    paint_account_details,
    paint_account_heading,
    paint_account_row,
    paint_account_way,
    paint_explanation,
)
from pmtui.ui.cells import Line, line_width
from pmtui.ui.keys.actions import DEFAULT_KEYMAP
from pmtui.ui.theme.theme import Role
from tests.ui.fake_surface import NOW, PAPER_STATUS, READ_ONLY_STATUS
from tests.ui.look import words
from tests.ui.onboarded import KEYLESS, NEWER, READY, SECONDS_AGO, allowing

FAILING = replace(
    READY,
    closed_only=LastAnswer(False, NOW - timedelta(seconds=78), "GET /x: timed out", SECONDS_AGO),
)


def lines(facts: Onboarding = READY) -> dict[str, AccountLine]:
    return {each.key: each for each in account_lines(facts, PAPER_STATUS)}


def heading(facts: Onboarding) -> str:
    name, value = paint_account_heading(
        account_lines(facts, PAPER_STATUS), PAPER_STATUS, width=80, is_asking=facts.is_asking
    )
    return words((*name, *value))


def way(facts: Onboarding, status: StatusView = PAPER_STATUS) -> str:
    found = account_lines(facts, status)
    return words(paint_account_way(facts, found, status, 80, keymap=DEFAULT_KEYMAP))


def texts(painted: tuple[Line, ...]) -> str:
    return "\n".join(words(line) for line in painted)


def test_a_row_says_its_state_by_sign_word_and_colour() -> None:
    facts = allowing(0, 1)
    shown = {key: paint_account_row(each, NOW, 38).cells for key, each in lines(facts).items()}
    assert shown["key"][1] == ("+ done", Role.NOTICE_GOOD, *shown["key"][1][2:])
    assert shown["relayer key"][1].text == "- not needed"
    missing = next(cells for key, cells in shown.items() if key.startswith("allowance 0xE1"))
    assert (missing[1].text, missing[1].role) == ("x not done", Role.NOTICE_BAD)
    assert shown["transactions"][1].text == "? not known"
    assert all(len(cells) == len(ACCOUNT_COLUMNS) for cells in shown.values())


def test_a_row_has_an_age_where_somebody_told_it() -> None:
    shown = lines()
    assert paint_account_row(shown["place"], NOW, 38).cells[-1].text == "now"
    assert paint_account_row(shown["credentials"], NOW, 38).cells[-1].text == "7m"
    assert paint_account_row(shown["limits"], NOW, 38).cells[-1].text == ""


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(0, "now"), (9, "now"), (10, "10s"), (39, "30s"), (60, "1m"), (7200, "2h")],
)
def test_ages_stand_still_for_ten_seconds(seconds: int, shown: str) -> None:
    facts = replace(READY, code=LastAnswer(True, NOW - timedelta(seconds=seconds)))
    assert paint_account_row(lines(facts)["code"], NOW, 38).cells[-1].text == shown


def test_a_failed_question_stands_beside_the_older_answer() -> None:
    cell = paint_account_row(lines(FAILING)["standing"], NOW, 38).cells[3]
    assert cell.text == "may open positions; failing: GET /x: timed out"
    assert cell.role is Role.STALE


@pytest.mark.parametrize(("room", "is_whole"), [(38, False), (60, True)])
def test_an_address_is_whole_where_it_fits(room: int, is_whole: bool) -> None:
    text = paint_account_row(lines()["wallet"], NOW, room).cells[3].text
    assert (NEWER.address in text) is is_whole


def test_the_heading_says_what_stands_in_the_way() -> None:
    assert "every step is done" in heading(READY)
    failing = heading(FAILING)
    assert "every step is done  1 could not be checked" in failing
    missing = heading(allowing(1, 0))
    assert "not done: Allow: neg-risk" in missing
    asking = replace(READY, is_asking=True, closed_only=LastAnswer())
    assert "not known: Standing" in heading(asking)
    assert "asking…" in heading(asking)


def test_the_second_line_says_what_to_do() -> None:
    shown = way(KEYLESS, READ_ONLY_STATUS)
    assert shown == " `pmtui account new --profile live` makes a key; `import` takes yours."
    assert "needs nothing of yours" in way(READY)
    assert "refused without it" in way(allowing(0, 0))
    locked = replace(PAPER_STATUS, kill_lock="Trading locked since noon")
    assert "locked since noon" in way(READY, locked)


def test_details_keep_to_their_room_with_the_address_first() -> None:
    for width in (20, 58, 78, 118):
        for each in lines(FAILING).values():
            painted = paint_account_details(each, width, 4)
            assert len(painted) <= 4
            assert all(line_width(line) <= width for line in painted)
    painted = paint_account_details(lines()["wallet"], 78, 4)
    assert NEWER.address in words(painted[0])


def test_an_explanation_says_everything_in_full() -> None:
    facts = allowing(0, 1)
    (missing,) = [each for key, each in lines(facts).items() if key.startswith("allowance 0xE1")]
    text = "\n".join(cell.text for cell in paint_explanation(missing, NOW, 60))
    for said in (
        "State", "not done, checked just now", "none to 0xE111180000", "What to do",
        "What is signed", "approve(this",
    ):  # fmt: skip
        assert said in text
    failed = paint_explanation(lines(FAILING)["standing"], NOW, 60)
    told = [cell.text for cell in failed]
    assert "done, checked 1m ago" in told
    assert told[told.index("Why it was not checked") + 1] == "GET /x: timed out (asked just now)"
    assert all(line_width((cell,)) <= 60 for cell in failed)


def test_words_of_the_venue_are_made_harmless() -> None:
    place = replace(READY, place=LastAnswer(None, None, "\x1b[31mred\x07 \u202etxet"))
    shown = lines(place)["place"]
    assert "\x1b" not in paint_account_row(shown, NOW, 38).cells[3].text
    assert "\u202e" not in texts(paint_account_details(shown, 78, 9))
