"""Turns the event templates of `texts/*.toml` into drafts."""

import math
import random
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import resources
from typing import cast

from pmtui.sim.catalogue import dates
from pmtui.sim.catalogue.making.drafts import EventDraft, MarketDraft, Moment, SeriesDraft

SUBJECTS = (
    "politics",
    "economy",
    "crypto",
    "weather",
    "science",
    "technology",
    "culture",
    "world",
)
_NEG_RISK = frozenset({"one-of", "brackets"})
Fields = Mapping[str, object]


def text_file(name: str) -> dict[str, object]:
    """Read one of the packaged text files."""
    folder = resources.files("pmtui.sim.catalogue.making").joinpath("texts")
    return tomllib.loads(folder.joinpath(f"{name}.toml").read_text(encoding="utf-8"))


def words_of(table: Fields, key: str) -> list[str]:
    """Return a list of texts from a template file."""
    return [str(item) for item in cast("list[object]", table.get(key, []))]


class People:
    """Hands out names of people who do not exist, each once."""

    def __init__(self, rng: random.Random) -> None:
        words = text_file("words")
        names = [
            f"{given} {family}"
            for family in words_of(words, "family")
            for given in words_of(words, "given")
        ]
        rng.shuffle(names)
        self._names = names

    def take(self, count: int) -> list[str]:
        """Return names that nobody got before."""
        taken, self._names = self._names[:count], self._names[count:]
        return taken


@dataclass(frozen=True, slots=True)
class _Outlook:
    """One template with the fields of one repetition."""

    table: Fields
    fields: Fields
    ends: Moment
    period_s: int

    def write(self, key: str, **more: object) -> str:
        text = str(self.table.get(key, ""))
        starts = Moment(self.ends.seconds - 30 * dates.DAY_S)
        return text.format(**{**self.fields, "end": self.ends, "start": starts, **more})


def series_drafts() -> list[SeriesDraft]:
    """Return the series of every subject."""
    return [
        SeriesDraft(slug=row["slug"], title=row["title"], recurrence=row["recurrence"])
        for subject in SUBJECTS
        for row in cast("list[dict[str, str]]", text_file(subject).get("series", []))
    ]


def event_drafts(rng: random.Random, people: People) -> Iterator[EventDraft]:
    """Expand every template of every subject."""
    for subject in SUBJECTS:
        sheet = text_file(subject)
        for table in cast("list[dict[str, object]]", sheet["events"]):
            repetitions = cast("list[dict[str, object]]", table.get("for", [{}]))
            for index, fields in enumerate(repetitions):
                table_index = index * cast("int", table.get("spread_days", 0))
                yield _draft(sheet, _outlook(table, fields, later_days=table_index), rng, people)
                for back in range(cast("int", table.get("past", 0))):
                    outlook = _outlook(table, fields, later_days=0, periods_back=back + 1)
                    yield _draft(sheet, outlook, rng, people)


def _outlook(table: Fields, fields: Fields, *, later_days: int, periods_back: int = 0) -> _Outlook:
    days = cast("int", table["days"]) + later_days
    first_days = min(cast("list[int]", table["options"])) if table["kind"] == "dates" else days
    period_s = period_of(first_days)
    seconds = days * dates.DAY_S + cast("int", table.get("hour", 18)) * 3600
    if periods_back:
        # Ended before the anchor, so that it is over at any time of the period.
        seconds = seconds % period_s - periods_back * period_s
    return _Outlook(table, fields, Moment(seconds), period_s)


def period_of(days: int) -> int:
    """Return by how much an event moves at a time: never so far that it ends in the past."""
    for period_s in (dates.PERIOD_S, dates.WEEK_S):
        if days * dates.DAY_S >= period_s:
            return period_s
    return dates.DAY_S


def _draft(sheet: Fields, outlook: _Outlook, rng: random.Random, people: People) -> EventDraft:
    table = outlook.table
    tags = [*words_of(sheet, "tags"), *words_of(table, "tags")]
    is_past = outlook.ends.seconds < 0
    markets = _markets(outlook, rng, people)
    if is_past:
        _settle(markets, rng, is_exclusive=table["kind"] in _NEG_RISK)
    return EventDraft(
        title=outlook.write("title"),
        rules=outlook.write("rules"),
        source=outlook.write("source"),
        tags=tuple(dict.fromkeys(tag.format(**outlook.fields) for tag in tags)),
        markets=markets,
        ends=outlook.ends,
        period_s=outlook.period_s,
        fees=str(table.get("fees", sheet["fees"])),
        neg_risk=table["kind"] in _NEG_RISK,
        series=str(table.get("series", "")),
        volume=cast("float", table["volume"]) + rng.gauss(0, 0.35),
        fine_tick=table.get("tick") == "fine",
        is_past=is_past,
    )


def _settle(markets: list[MarketDraft], rng: random.Random, *, is_exclusive: bool) -> None:
    if is_exclusive:
        index = rng.choices(range(len(markets)), [market.price for market in markets])[0]
        for place, market in enumerate(markets):
            market.winner = 0 if place == index else 1
        return
    luck = rng.random()
    for market in markets:
        market.winner = 0 if luck < market.price else 1


def _markets(outlook: _Outlook, rng: random.Random, people: People) -> list[MarketDraft]:
    table = outlook.table
    if table["kind"] == "single":
        price = min(max(cast("float", table["price"]) * rng.uniform(0.5, 1.7), 0.01), 0.97)
        return [MarketDraft(question=outlook.write("question"), price=price)]
    if table["kind"] == "dates":
        return _by_dates(outlook, rng)
    options = _options(outlook, people)
    prices = _prices(table, len(options), rng)
    return [
        MarketDraft(
            question=outlook.write("question", option=option),
            group=option[:1].upper() + option[1:],
            price=price,
            weight=0.15 + price,
        )
        for option, price in zip(options, prices, strict=True)
    ]


def _by_dates(outlook: _Outlook, rng: random.Random) -> list[MarketDraft]:
    days = cast("list[int]", outlook.table["options"])
    top = cast("float", outlook.table["price"]) * rng.uniform(0.5, 1.5)
    markets = []
    for count in days:
        moment = Moment(outlook.ends.seconds - (days[-1] - count) * dates.DAY_S)
        markets.append(
            MarketDraft(
                question=outlook.write("question", date=moment),
                group=f"{moment:short}",
                price=min(top * (count / days[-1]) ** 0.8, 0.97),
                ends=moment,
            )
        )
    return markets


def _options(outlook: _Outlook, people: People) -> list[str]:
    named = outlook.fields.get("options", outlook.table.get("options"))
    if isinstance(named, str):
        options = people.take(int(named.removeprefix("people:")))
    else:
        options = [str(item) for item in cast("list[object]", named)]
    return [*options, "Other"] if outlook.table.get("other") is True else options


def _prices(table: Fields, count: int, rng: random.Random) -> list[float]:
    match table["kind"]:
        case "thresholds":
            top = cast("float", table["price"])
            return [top * rng.uniform(0.42, 0.72) ** index for index in range(count)]
        case "each":
            return [rng.uniform(0.06, 0.9) for _ in range(count)]
        case "brackets":
            middle = rng.uniform(0.5, count - 1.5)
            return exclusive_prices(
                [math.exp(-((index - middle) ** 2) / 1.6) for index in range(count)], rng
            )
        case _:
            return exclusive_prices([math.exp(rng.gauss(0, 1.5)) for _ in range(count)], rng)


def exclusive_prices(weights: list[float], rng: random.Random) -> list[float]:
    """Return prices of outcomes of which one wins: their sum is one, or a little more."""
    total = math.fsum(weights) / rng.uniform(0.995, 1.025)
    return [max(weight / total, 0.002) for weight in weights]
