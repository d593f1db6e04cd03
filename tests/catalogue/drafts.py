"""Drafts of events, from the templates of `texts/*.toml` and from made-up fixtures."""

import math
import random
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib import resources
from typing import cast

from typing_extensions import override

from pmtui.sim.catalogue import dates

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
_HOUR_S = 3600


def mark(seconds: int, form: str) -> str:
    """Return the mark for a moment some seconds after the anchor, which `dates.fill` replaces."""
    return f"{{{{{seconds}|{form}}}}}"


@dataclass(frozen=True, slots=True)
class Moment:
    """A moment some seconds after the anchor; formats as the mark of a date."""

    seconds: int

    @override
    def __format__(self, form: str) -> str:
        return mark(self.seconds, form or "iso")


@dataclass(frozen=True, slots=True, kw_only=True)
class Game:
    """What the metadata host says about a fixture."""

    game_id: int
    league: str
    home: str
    away: str
    starts: Moment


@dataclass(slots=True, kw_only=True)
class MarketDraft:
    """One market."""

    question: str
    price: float
    """Chance of the first outcome."""
    group: str = ""
    rules: str = ""
    """When the event's own rules do not hold."""
    outcomes: tuple[str, str] = ("Yes", "No")
    ends: Moment | None = None
    """When the event's own end does not hold."""
    market_type: str = ""
    line: float | None = None
    weight: float = 1.0
    """Share of the event's volume, relative to its siblings."""
    winner: int | None = None
    """Index of the outcome that won; -1 for a 50/50 settlement."""


@dataclass(slots=True, kw_only=True)
class EventDraft:
    """One event."""

    title: str
    rules: str
    source: str
    tags: tuple[str, ...]
    markets: list[MarketDraft]
    ends: Moment
    period_s: int
    fees: str
    neg_risk: bool = False
    series: str = ""
    volume: float = 4.5
    """Decimal logarithm of the dollars traded."""
    fine_tick: bool = False
    tick: int | None = None
    """Grid of every market in millionths, where it is an odd one."""
    game: Game | None = None
    is_past: bool = False
    patch: dict[str, object] = field(default_factory=dict)
    """Fields laid over every market row: how oddities are made."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesDraft:
    """A series that events name by slug."""

    slug: str
    title: str
    recurrence: str


Fields = Mapping[str, object]


def text_file(name: str) -> dict[str, object]:
    """Read one of the packaged text files."""
    folder = resources.files("tests.catalogue").joinpath("texts")
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


@dataclass(frozen=True, slots=True, kw_only=True)
class League:
    """A league and those who play in it."""

    code: str
    name: str
    sport: str
    kind: str
    total: float
    handicap: float
    games: int
    clubs: tuple[str, ...]


def leagues(people: People) -> list[League]:
    """Return the leagues; where single players meet, they get names here."""
    return [
        League(
            code=str(row["code"]),
            name=str(row["name"]),
            sport=str(row["sport"]),
            kind=str(row["kind"]),
            total=cast("float", row["total"]),
            handicap=cast("float", row.get("handicap", 1.5)),
            games=cast("int", row["games"]),
            clubs=tuple(words_of(row, "clubs") or people.take(cast("int", row["players"]))),
        )
        for row in cast("list[dict[str, object]]", text_file("sports")["leagues"])
    ]


def sport_drafts(played: list[League], rng: random.Random, people: People) -> Iterator[EventDraft]:
    """Return fixtures to come, fixtures played, and season titles."""
    texts = text_file("sports")
    writer = _FixtureWriter(cast("dict[str, str]", texts["rules"]), rng)
    for league in played:
        for number in range(league.games):
            yield from writer.fixture(league, number)
        if len(league.clubs) > 8 and league.sport != "tennis":
            yield writer.season(league)
    yield _tournament(cast("Fields", texts["tournament"]), rng, people)


class _FixtureWriter:
    def __init__(self, rules: dict[str, str], rng: random.Random) -> None:
        self._rules = rules
        self._rng = rng
        self._game_id = 60_000

    def fixture(self, league: League, number: int) -> Iterator[EventDraft]:
        """Write one fixture: the event of the result, and one of further lines where usual."""
        rng = self._rng
        home, away = rng.sample(league.clubs, 2)
        # The first two fixtures of a league are over, the next two are today or tomorrow.
        is_past = number < 2
        day = rng.randint(-6, -1) if is_past else 1 if number < 4 else rng.randint(8, 13)
        hour = rng.choice((13, 15, 17, 19, 20, 22))
        self._game_id += rng.randint(3, 40)
        game = Game(
            game_id=self._game_id,
            league=league.code,
            home=home,
            away=away,
            starts=Moment(day * dates.DAY_S + hour * _HOUR_S),
        )
        period_s = dates.DAY_S if number < 4 else dates.WEEK_S
        edge = rng.gauss(0.18 if league.sport != "tennis" else 0.0, 0.9)
        drafts = _Fixture(league, game, period_s, self._rules, rng, edge, is_past).drafts()
        for draft in drafts:
            if is_past:
                _settle_game(draft, rng, is_void=number == 1 and league.code == "vcs")
            yield draft

    def season(self, league: League) -> EventDraft:
        """Write who wins the league."""
        rng = self._rng
        ends = Moment(rng.randint(90, 200) * dates.DAY_S + 20 * _HOUR_S)
        weights = [math.exp(rng.gauss(0, 1.3)) for _ in league.clubs]
        return EventDraft(
            title=f"{league.name} champion",
            rules=self._rules["title"].format(league=league.name, end=ends),
            source=f"Final table of the {league.name}",
            tags=("Sports", league.sport.capitalize(), league.name),
            markets=[
                MarketDraft(
                    question=f"Will {club} win the {league.name}?",
                    group=club,
                    price=price,
                    weight=0.1 + price,
                )
                for club, price in zip(league.clubs, exclusive_prices(weights, rng), strict=True)
            ],
            ends=ends,
            period_s=dates.PERIOD_S,
            fees="sports",
            neg_risk=True,
            series=league.code,
            volume=5.4,
        )


@dataclass(frozen=True, slots=True)
class _Fixture:
    league: League
    game: Game
    period_s: int
    rules: dict[str, str]
    rng: random.Random
    edge: float
    """Strength of the home side over the away side, as a log of odds."""
    is_past: bool

    def drafts(self) -> list[EventDraft]:
        match self.league.kind:
            case "draws":
                more = [*self._spreads(), *self._totals(step=1.0, count=3)]
                return [
                    self._event(self._three_ways(), neg_risk=True, rules="draw", volume=5.2),
                    self._event(more, suffix=": more lines", volume=4.0),
                ]
            case "series":
                lines = self._totals(step=0.0, count=1) if self.league.sport == "tennis" else []
                return [self._event([self._moneyline(), *self._parts(), *lines], volume=4.4)]
            case _:
                step = max(1.0, round(self.league.total / 45))
                lines = [*self._spreads(), *self._totals(step=step, count=3)]
                return [self._event([self._moneyline(), *lines], volume=5.4)]

    def _event(
        self,
        markets: list[MarketDraft],
        *,
        volume: float,
        suffix: str = "",
        rules: str = "moneyline",
        neg_risk: bool = False,
    ) -> EventDraft:
        game = self.game
        return EventDraft(
            title=f"{game.home} vs. {game.away}{suffix}",
            rules=self._write(rules),
            source=f"Match report of the {self.league.name}",
            tags=("Sports", self.league.sport.capitalize(), self.league.name, "Games"),
            markets=markets,
            ends=Moment(game.starts.seconds + 3 * _HOUR_S),
            period_s=self.period_s,
            fees="sports",
            neg_risk=neg_risk,
            series=self.league.code,
            volume=volume + self.rng.gauss(0, 0.5),
            game=game,
            is_past=self.is_past,
        )

    def _write(self, key: str, **more: object) -> str:
        game = self.game
        return self.rules[key].format(
            league=self.league.name, home=game.home, away=game.away, start=game.starts, **more
        )

    def _home_chance(self, shift: float = 0.0) -> float:
        return min(max(1 / (1 + math.exp(-self.edge - shift)), 0.03), 0.97)

    def _moneyline(self) -> MarketDraft:
        game = self.game
        return MarketDraft(
            question=f"{game.home} vs. {game.away}",
            price=self._home_chance(),
            outcomes=(game.home, game.away),
            market_type="moneyline",
            weight=3.0,
        )

    def _three_ways(self) -> list[MarketDraft]:
        game = self.game
        draw = self.rng.uniform(0.2, 0.3)
        home = self._home_chance() * (1 - draw)
        sides = ((game.home, home), ("Draw", draw), (game.away, 1 - draw - home))
        return [
            MarketDraft(
                question=f"{game.home} and {game.away} to draw?"
                if name == "Draw"
                else f"{name} to win on {game.starts:day}?",
                group=name,
                price=price,
                market_type="moneyline",
            )
            for name, price in sides
        ]

    def _spreads(self) -> list[MarketDraft]:
        game = self.game
        favourite, underdog = (game.home, game.away) if self.edge >= 0 else (game.away, game.home)
        base = self.league.handicap
        return [
            MarketDraft(
                question=f"{favourite} by more than {margin:g}?",
                group=f"Spread -{margin:g}",
                rules=self._write(
                    "spread", favourite=favourite, underdog=underdog, margin=f"{margin:g}"
                ),
                price=min(max(chance + self.rng.uniform(-0.04, 0.04), 0.05), 0.95),
                outcomes=(favourite, underdog),
                market_type="spreads",
                line=-margin,
                weight=0.7,
            )
            for margin, chance in ((base, 0.5), (base + 1, 0.43))
        ]

    def _totals(self, *, step: float, count: int) -> list[MarketDraft]:
        game = self.game
        lines = [self.league.total + step * (index - count // 2) for index in range(count)]
        return [
            MarketDraft(
                question=f"{game.home} vs. {game.away}: over or under {line:g}",
                group=f"O/U {line:g}",
                rules=self._write("total", line=f"{line:g}"),
                price=min(
                    max(0.5 - 0.14 * (index - count // 2) + self.rng.gauss(0, 0.03), 0.04), 0.96
                ),
                outcomes=("Over", "Under"),
                market_type="totals",
                line=line,
                weight=0.6,
            )
            for index, line in enumerate(lines)
        ]

    def _parts(self) -> list[MarketDraft]:
        game = self.game
        name = "Set" if self.league.sport == "tennis" else "Map"
        return [
            MarketDraft(
                question=f"{game.home} vs. {game.away}: {name.lower()} {number}",
                group=f"{name} {number} winner",
                price=self._home_chance(self.rng.gauss(0, 0.2)),
                outcomes=(game.home, game.away),
                market_type="child_moneyline",
                weight=0.4,
            )
            for number in (1, 2)
        ]


def _settle_game(draft: EventDraft, rng: random.Random, *, is_void: bool) -> None:
    if draft.neg_risk:
        won = rng.choices(range(len(draft.markets)), [one.price for one in draft.markets])[0]
        for index, market in enumerate(draft.markets):
            market.winner = 0 if index == won else 1
        return
    for market in draft.markets:
        market.winner = -1 if is_void else int(rng.random() > market.price)


def _tournament(text: Fields, rng: random.Random, people: People) -> EventDraft:
    names = people.take(cast("int", text["players"]))
    prices = exclusive_prices([math.exp(rng.gauss(0, 1.2)) for _ in names], rng)
    ends = Moment(34 * dates.DAY_S + 22 * _HOUR_S)
    question = str(text["question"])
    return EventDraft(
        title=str(text["title"]),
        rules=str(text["rules"]).format(end=ends),
        source="Official leaderboard",
        tags=("Sports", "Golf"),
        markets=[
            MarketDraft(
                question=question.format(option=name), group=name, price=price, weight=0.05 + price
            )
            for name, price in zip(names, prices, strict=True)
        ],
        ends=ends,
        period_s=dates.PERIOD_S,
        fees="sports",
        neg_risk=True,
        volume=5.9,
        fine_tick=True,
    )
