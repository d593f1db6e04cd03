import gc
from collections.abc import Iterator
from contextvars import Context

import pytest
from textual.app import App

from pmtui.ui.terminal.calm_collection import (
    _KEPT_OUT_BY_PYTHON,
    CALM_S,
    PATIENCE_S,
    CalmCollection,
    CalmCollector,
)
from tests.ui.wait import until


class Session:
    """A clock set by hand, and how often everything was searched."""

    def __init__(self) -> None:
        self.at = 50.0
        self.searches = 0
        self.collector = CalmCollector(lambda: self.at, self.search)

    def search(self) -> None:
        self.searches += 1

    def look_after(self, seconds: float, *, is_worth_it: bool = True) -> bool:
        self.at += seconds
        return self.collector.look(is_worth_it=is_worth_it)


def test_nothing_is_searched_while_keys_are_pressed() -> None:
    session = Session()
    for _ in range(int(PATIENCE_S) - 1):
        session.collector.key_pressed()
        assert not session.look_after(1.0)
    assert not session.searches


def test_it_is_searched_when_nobody_presses_keys_and_there_is_something_to_find() -> None:
    session = Session()
    assert not session.look_after(CALM_S * 0.9)
    assert not session.look_after(CALM_S, is_worth_it=False)
    assert session.look_after(0)
    assert session.searches == 1


def test_somebody_who_never_rests_is_interrupted_at_long_intervals() -> None:
    session = Session()
    searched_at = []
    for second in range(int(PATIENCE_S * 3) + 1):
        session.collector.key_pressed()
        if session.look_after(1.0):
            searched_at.append(second)
    assert len(searched_at) == 3


class _App(CalmCollection, App[None]):
    pass


@pytest.fixture
def thresholds() -> Iterator[tuple[int, int, int]]:
    before = gc.get_threshold()
    yield before
    gc.set_threshold(*before)


async def test_a_program_that_keeps_nothing_out_of_the_search_is_left_alone(
    thresholds: tuple[int, int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gc, "get_freeze_count", lambda: _KEPT_OUT_BY_PYTHON)
    app = _App()
    async with app.run_test() as pilot:
        app.collect_when_calm()
        await pilot.press("x")
        assert gc.get_threshold() == thresholds


async def test_what_the_program_is_made_of_leaves_the_search_once(
    thresholds: tuple[int, int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    freezes: list[None] = []
    monkeypatch.setattr(gc, "get_freeze_count", lambda: _KEPT_OUT_BY_PYTHON + 1)
    monkeypatch.setattr(gc, "freeze", lambda: freezes.append(None))
    monkeypatch.setattr("pmtui.ui.terminal.calm_collection.CALM_S", 0.0)
    monkeypatch.setattr("pmtui.ui.terminal.calm_collection.LOOK_S", 0.001)
    app = _App()
    async with app.run_test() as pilot:
        # As the start of the program does: from a task that is not the app's.
        Context().run(app.collect_when_calm)
        await pilot.press("x")
        assert gc.get_threshold()[2] > thresholds[2]
        await until(pilot, lambda: freezes, "the first search")
        app._look_for_calm()
    assert len(freezes) == 1
