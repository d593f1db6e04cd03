"""Rows that a client meets once in a thousand, put into the catalogue on purpose."""

import random
from collections.abc import Iterator

from pmtui.sim.catalogue import dates
from pmtui.sim.catalogue.gamma import in_string
from tests.catalogue.drafts import EventDraft, MarketDraft, Moment, mark

_OLD_S = -2_100 * dates.DAY_S
"""About as long before the anchor as the service's first order-less markets."""


def odd_drafts() -> Iterator[EventDraft]:
    """Return events whose rows are told apart by a patch over every field the shape gives."""
    yield _odd(
        "Will the lighthouse at Cape Morrow be lit again",
        "The order book of this market is switched off while the deed is in court.",
        {"enableOrderBook": False, "acceptingOrders": False, "bestBid": 0, "bestAsk": 1},
    )
    yield _odd(
        "Will the Tarn viaduct reopen to trains",
        "This market is listed, but its contract is not deployed yet.",
        {"clobTokenIds": None, "acceptingOrders": None, "pendingDeployment": True},
    )
    yield _odd(
        "Will the ferry to Skarholm run through the winter",
        "Orders are paused while a correction of the timetable is examined.",
        {"acceptingOrders": False, "umaResolutionStatus": "disputed"},
    )
    yield _odd(
        "Will the Ostrava carillon play a new tune",
        "Nobody has quoted this market so far.",
        {"bestBid": 0, "bestAsk": 1, "spread": 1, "liquidity": "0", "liquidityNum": 0},
    )
    yield _odd(
        "Will the   Quay Street market hall be sold ",
        "Blanks in the title are as the writer left them.",
        {"umaResolutionStatuses": '["proposed", "disputed"]'},
    )
    yield _odd(
        "Will [bold]Gate 7[/bold] of the old stadium be kept [see plan]",
        "Square brackets are part of the name under which the monument is listed.",
        {
            "mothballed": {"since": 2019, "by": ["council", None]},
            "x_layout": [1, {"a": []}],
            "scoreHint": "n/a",
        },
    )
    yield _odd(
        "Will the Ångström prize stay undecided – «non liquet» → ελληνικά, кириллица",
        "The title is given in every alphabet the prize committee writes in.",
        {"groupItemTitle": "Čas končí…"},
    )
    for tick, street in _ODD_TICKS:
        draft = _odd(
            f"Will {street} be closed to cars", "Prices of this market move in unusual steps.", {}
        )
        draft.tick = tick
        yield draft
    yield from _overdue()
    yield _closed_without_prices()


_ODD_TICKS = (
    (100_000, "Cooper's Row"),
    (5_000, "Mill Lane"),
    (2_500, "the Old Harbour Bridge"),
    (100, "Ropewalk"),
)


def _odd(title: str, remark: str, patch: dict[str, object]) -> EventDraft:
    ends = Moment(120 * dates.DAY_S)
    rules = (
        f'{remark}\n\nResolves to "Yes" if the local council confirms the event in the title by '
        f"{ends:long}.\n\nResolution source: minutes of the council."
    )
    return EventDraft(
        title=f"{title}?",
        rules=rules,
        source="Minutes of the council",
        tags=("Culture", "Local"),
        markets=[MarketDraft(question=f"{title}?", price=0.44)],
        ends=ends,
        period_s=dates.PERIOD_S,
        fees="geopolitics",
        volume=3.6,
        patch=patch,
    )


_REPORTS = (
    (
        "Wheat harvest report",
        "ministry of agriculture",
        "Will {} yields beat the five-year mean?",
        ("wheat", "barley", "rye", "oat", "maize"),
    ),
    (
        "Museum attendance survey",
        "association of museums",
        "Will the {} count more visitors?",
        ("Orchard Museum", "Maritime Hall", "Glass Pavilion", "Railway Depot"),
    ),
    (
        "Herring stock assessment",
        "fisheries council",
        "Will the {} stock be rated healthy?",
        ("North Channel", "Gullspit Bight", "Outer Banks"),
    ),
)


def _overdue() -> Iterator[EventDraft]:
    for number, (report, office, question, items) in enumerate(_REPORTS):
        ends = Moment((-9 - 2 * number) * dates.DAY_S)
        yield EventDraft(
            title=f"{report} of {ends:month}",
            rules=f"Resolves by the first edition of the report. The report is late, and the "
            f"market stays open until it appears.\n\nResolution source: the {office}.",
            source=office.capitalize(),
            tags=("Economy", "Reports"),
            markets=[
                MarketDraft(question=question.format(item), group=item, price=0.63 - 0.09 * place)
                for place, item in enumerate(items)
            ],
            ends=ends,
            period_s=dates.PERIOD_S,
            fees="finance",
            volume=4.3,
        )


def _closed_without_prices() -> EventDraft:
    ends = Moment(-4 * dates.DAY_S)
    return EventDraft(
        title="Which bid wins the Northern Tunnel contract?",
        rules="Resolves to the consortium named in the award notice.\n\n"
        "Resolution source: the procurement register.",
        source="Procurement register",
        tags=("Tech", "Companies"),
        markets=[
            MarketDraft(question=f"Will {name} win the Northern Tunnel contract?", price=price)
            for name, price in (("Boreal Works", 0.5), ("Strand & Söhne", 0.3), ("Tundra JV", 0.2))
        ],
        ends=ends,
        period_s=dates.DAY_S,
        fees="finance",
        volume=4.6,
        neg_risk=True,
        patch={"closed": True, "acceptingOrders": False, "umaResolutionStatus": "proposed"},
    )


_LEGACY = (
    ("Which of three tenors opens the Old Opera gala", ("Bass clef", "Treble clef", "Neither")),
    ("Colour of the first tram of the new line", ("Green", "Red", "Yellow")),
    ("Will the observatory dome be repainted", ("Yes", "No")),
)


def legacy_events(rng: random.Random) -> list[dict[str, object]]:
    """Return rows in the form of 2020: three outcomes, no order book, no ids of today."""
    events = []
    for number, (title, outcomes) in enumerate(_LEGACY):
        starts = _OLD_S + number * 11 * dates.DAY_S
        slug = title.lower().replace(" ", "-")
        events.append(
            {
                "id": str(2_100 + number),
                "ticker": slug,
                "slug": slug,
                "title": f"{title}?",
                "active": True,
                "closed": True,
                "archived": number == 1,
                "volume": round(rng.uniform(900, 4_000), 2),
                "startDate": mark(starts, "iso"),
                "endDate": mark(starts + 30 * dates.DAY_S, "iso"),
                "createdAt": mark(starts, "stamp"),
                "markets": [_legacy_market(rng, number, f"{title}?", slug, outcomes)],
            }
        )
    return events


def _legacy_market(
    rng: random.Random, number: int, title: str, slug: str, outcomes: tuple[str, ...]
) -> dict[str, object]:
    starts = _OLD_S + number * 11 * dates.DAY_S
    prices = ("0", "0") if len(outcomes) == 2 else ("0.9999981", "0.0000012", "0.0000007")
    return {
        "id": str(12 + number),
        "question": title,
        "slug": slug,
        "conditionId": "",
        "category": "Culture",
        "outcomes": in_string(outcomes),
        "outcomePrices": in_string(prices),
        "volume": f"{rng.uniform(900, 4_000):.2f}",
        "liquidity": "0",
        "active": True,
        "closed": True,
        "marketMakerAddress": f"0x{rng.getrandbits(160):040x}",
        "fpmmLive": True,
        "marketType": "normal",
        "createdBy": 1,
        "updatedBy": 15,
        "startDate": mark(starts, "iso"),
        "endDate": mark(starts + 30 * dates.DAY_S, "day"),
        "createdAt": mark(starts, "stamp"),
        "closedTime": mark(starts + 31 * dates.DAY_S, "spacems"),
    }
