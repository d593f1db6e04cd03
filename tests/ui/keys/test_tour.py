"""The tour: every step can be done, in the order it is told, with the user's own keys."""

from dataclasses import replace
from functools import partial

import pytest

from pmtui.ui.facts import key_of
from pmtui.ui.keys.action_table import ACTIONS
from pmtui.ui.keys.actions import DEFAULT_KEYMAP, Keymap
from pmtui.ui.keys.tour import STEPS, Tour, TourFacts

WAY = (
    TourFacts("markets", is_searching=True),
    TourFacts("market"),
    TourFacts("market", has_cursor=True),
    TourFacts("market", has_cursor=True, has_ticket=True),
    TourFacts("market", has_cursor=True, has_ticket=True, placed=1),
    TourFacts("portfolio", placed=1),
    TourFacts("watchlist", placed=1),
    TourFacts("log", placed=1),
    TourFacts("help", placed=1),
)


def said(tour: Tour, keymap: Keymap = DEFAULT_KEYMAP, width: int = 79) -> str:
    return tour.line(lambda action_id: key_of(keymap, action_id), width)


def test_each_thing_done_leads_to_the_next_step() -> None:
    tour = Tour()
    for number, facts in enumerate(WAY, start=1):
        assert said(tour).startswith(f"Tour {number}/{len(STEPS)}  ")
        tour.learn(replace(facts))
    assert tour.is_over
    assert said(tour) == ""


def test_the_first_step_says_how_to_leave_and_wide_screens_always_do() -> None:
    tour = Tour()
    assert said(tour).endswith("  T ends it.")
    for facts in WAY:
        assert said(tour, width=119).endswith("  T ends it.")
        assert len(said(tour)) <= 79
        tour.learn(facts)


def test_nothing_done_changes_nothing() -> None:
    tour = Tour()
    tour.learn(TourFacts("markets"))
    assert said(tour).startswith("Tour 1/")


def test_a_step_that_is_so_already_is_not_asked_for() -> None:
    tour = Tour()
    tour.learn(TourFacts("markets", is_searching=True))
    tour.learn(TourFacts("market", has_cursor=True))
    assert said(tour).startswith("Tour 4/")


def test_what_was_done_without_is_not_asked_for() -> None:
    tour = Tour()
    tour.learn(TourFacts("market"))
    assert said(tour).startswith("Tour 3/")
    tour.learn(TourFacts("market", has_ticket=True))
    assert said(tour).startswith("Tour 5/")


def test_looking_elsewhere_is_no_order() -> None:
    tour = Tour()
    tour.learn(TourFacts("portfolio"))
    assert said(tour).startswith("Tour 1/")


@pytest.mark.parametrize("number", range(len(STEPS)))
def test_a_step_fits_the_smallest_screen_and_names_keys_that_exist(number: int) -> None:
    tour = Tour()
    for facts in WAY[:number]:
        tour.learn(facts)
    line = said(tour)
    assert "{" not in line
    assert len(line) <= 79


def test_the_users_own_keys_are_named() -> None:
    keymap = Keymap({"global.search": ("f3",)})
    assert "Press f3 and" in said(Tour(), keymap)


def _note(asked: list[str], action_id: str) -> str:
    asked.append(action_id)
    return "k"


def test_the_actions_it_names_are_in_the_table() -> None:
    ids = {action.id for action in ACTIONS}
    asked: list[str] = []
    tour = Tour()
    for facts in WAY:
        tour.line(partial(_note, asked), 119)
        tour.learn(facts)
    assert set(asked) <= ids
    assert asked
