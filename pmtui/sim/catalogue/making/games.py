"""Fixtures, their lines, and season titles, in leagues that do not exist."""

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

from pmtui.sim.catalogue import dates
from pmtui.sim.catalogue.making.drafts import EventDraft, Game, MarketDraft, Moment
from pmtui.sim.catalogue.making.templates import (
    Fields,
    People,
    exclusive_prices,
    text_file,
    words_of,
)

_HOUR_S = 3600


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
