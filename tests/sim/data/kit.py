"""Asks the analytics host of a small venue, and trades on it."""

from typing import Any

from pmtui.domain.markets.market import Side
from pmtui.sim.engine.terms import Payout
from pmtui.sim.run import RunningVenue
from tests.sim.kit import RAIN, RAIN_NO, Person


async def ask(person: Person, path: str, **query: str) -> Any:
    query = {"user": person.wallet, **query}
    response = await person.http.get(person.running.urls["data"] + path, params=query)
    assert response.status_code == 200, response.text
    return response.json()


async def trade(ann: Person, bob: Person) -> None:
    await ann.rest(Side.BUY, "0.40", "20")
    response = await bob.place(Side.BUY, "0.60", "20", token=RAIN_NO)
    assert response.json()["status"] == "matched"


def resolve(running: RunningVenue, payout: Payout) -> None:
    view = running.venue.trading(RAIN)
    assert view is not None
    condition_id = view.spec.condition_id
    running.venue.act(lambda x, now_ms: x.resolve(condition_id, payout, now_ms=now_ms))
