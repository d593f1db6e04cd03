"""The command line: parses the text typed after `:` into a command, or into a problem with its place.

    buy 100 yes 39.7 gtd 15m po stop 38 target 42
    sell 50% no 61        sell all        buy $25 yes market fak
    cancel all            cancel bids     cancel 39.7
    flatten               split 100             stop 38 target 42
    find rate decision                 39.7 or @39.7 (go there)
    portfolio, log, markets, watch     theme nord            alert 60

Any other text is a search. A command only fills in fields: the ticket's own rules check the order, and the same
card confirms it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from itertools import islice
from typing import NamedTuple

from pmtui.domain.conditionals.alerts import parse_condition
from pmtui.domain.formats import (
    exact_dollars,
    exact_shares,
    parse_cents,
    parse_size,
    with_cent_sign,
)
from pmtui.domain.markets.market import Side
from pmtui.domain.money import ONE, Micros
from pmtui.domain.orders.amounts import is_on_tick, price_ceil, price_floor
from pmtui.domain.orders.order import TimeInForce
from pmtui.domain.ticket.draft import UNTIL_CLOSE, OrderKind, SizeUnit, TicketDraft, parse_life

LONGEST = 200
"""Characters in a command."""
_WORD = re.compile(r"\S+")
_ALL = "all"
_WHOLE = "100"


class CancelTarget(Enum):
    """Which working orders a command cancels."""

    EVERYWHERE = "all"
    MARKET = "market"
    BIDS = "bids"
    ASKS = "asks"


@dataclass(frozen=True, slots=True)
class EnterOrder:
    """Open the ticket with these fields."""

    draft: TicketDraft


@dataclass(frozen=True, slots=True)
class CancelOrders:
    """Cancel working orders: of a scope, or at a price of the outcome shown."""

    scope: CancelTarget
    price: Micros | None = None
    """With `MARKET`: only those at this price."""


@dataclass(frozen=True, slots=True)
class FlattenPosition:
    """Sell the net position of the market on show."""

    outcome_index: int | None = None
    """The outcome that alone is sold; None for the one that more is held of."""


@dataclass(frozen=True, slots=True)
class ProtectPosition:
    """Open the form for a stop and a target on the position in the outcome shown."""

    stop: Micros | None
    target: Micros | None


@dataclass(frozen=True, slots=True)
class FindMarkets:
    """Search for markets."""

    text: str


class Screen(Enum):
    """The screens that a command can open, by word."""

    PORTFOLIO = "portfolio"
    MARKETS = "markets"
    WATCHLIST = "watchlist"
    LOG = "log"
    ACCOUNT = "account"
    STOPS = "stops"


@dataclass(frozen=True, slots=True)
class GoToScreen:
    """Open a screen."""

    screen: Screen


@dataclass(frozen=True, slots=True)
class ChooseTheme:
    """Change the theme."""

    name: str
    """Empty to choose from a list."""


@dataclass(frozen=True, slots=True)
class SetAlert:
    """Open the form for an alert on the current market."""

    price: Micros | None = None
    condition: str = ""
    """The condition that replaces a price, as typed."""


@dataclass(frozen=True, slots=True)
class SplitCash:
    """Split cash into shares of both outcomes of the market."""

    amount: Micros | None
    """Dollars; None to prompt for it."""


@dataclass(frozen=True, slots=True)
class GoToPrice:
    """Move the ladder's cursor to a price."""

    price: Micros


Command = (
    EnterOrder | CancelOrders | FlattenPosition | ProtectPosition | SplitCash | FindMarkets
    | GoToPrice | GoToScreen | ChooseTheme | SetAlert
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class CommandProblem:
    """Why a text is not a command, and where the error is."""

    text: str
    start: int
    end: int
    """Index after the last character; equal to `start` if something is missing."""


class Candidate(NamedTuple):
    """A possible completion of a command's last word."""

    word: str
    meaning: str


class _Word(NamedTuple):
    text: str
    start: int
    end: int

    @property
    def folded(self) -> str:
        return self.text.casefold()


_VERBS = {
    "buy": "an order to buy",
    "sell": "an order to sell",
    "cancel": "working orders",
    "flatten": "sell the net position",
    "stop": "a stop for the position: stop 38",
    "target": "a target for the position: target 42",
    "split": "cash to both outcomes",
    "find": "search for markets",
}
_PLACES = {
    "portfolio": "positions, orders, fills",
    "markets": "the list of markets",
    "watchlist": "what is starred, and alerts",
    "log": "notices, orders, requests",
    "account": "wallet and keys",
    "stops": "stops and targets",
    "theme": "other colours: theme nord",
    "alert": "wait for a price: alert 60",
}
_SHORT = {
    "b": "buy", "s": "sell", "x": "cancel", "f": "flatten", "/": "find", "watch": "watchlist",
    "sl": "stop", "tp": "target", "p": "portfolio", "m": "markets", "w": "watchlist", "l": "log", "a": "account",
}  # fmt: skip
_OPTIONS = {
    "gtc": "until cancelled",
    "gtd": "until a time: gtd 15m",
    "fok": "all at once, or nothing",
    "fak": "what there is, the rest is killed",
    "po": "post-only: never takes",
    "stop": "a stop with the purchase: stop 38",
    "target": "a target with the purchase: target 42",
}
_SAME = {
    "ioc": "fak",
    "post": "po",
    "postonly": "po",
    "post-only": "po",
    "tp": "target",
    "sl": "stop",
}
_MARKET = ("market", "mkt")
_TIMES = {
    "gtc": TimeInForce.GTC,
    "gtd": TimeInForce.GTD,
    "fok": TimeInForce.FOK,
    "fak": TimeInForce.FAK,
}


def parse_command(
    text: str, outcomes: Sequence[str], *, outcome_index: int = 0, tick: Micros | None = None
) -> Command | CommandProblem:
    """Parse a command.

    Args:
        text: the typed text, without the colon.
        outcomes: the labels of the market's outcomes, as the venue wrote them; empty if no market is
            open.
        outcome_index: the outcome shown, used if the command names none.
        tick: of the ladder shown; None if there is none yet.
    """
    words = _words(text)
    if not words or len(text) > LONGEST:
        said = (
            f"Longer than {LONGEST} characters"
            if words
            else f"Enter a command: {', '.join(_VERBS)}"
        )
        return CommandProblem(said, min(LONGEST, len(text)) if words else 0, len(text))
    first, *rest = words
    verb = _SHORT.get(first.folded, first.folded)
    match verb:
        case "buy" | "sell":
            side = Side.BUY if verb == "buy" else Side.SELL
            return _Order(rest, outcomes, outcome_index, len(text)).read(side)
        case "cancel":
            return _read_cancel(rest, len(text))
        case "flatten" | "stop" | "target" | "split":
            return _read_position(verb, words, outcomes)
        case "find":
            found = " ".join(word.text for word in rest)
            missing = CommandProblem("Enter what to search for", len(text), len(text))
            return FindMarkets(found) if found else missing
        case _ if first.text.startswith("@") or parse_cents(first.text) is not None:
            return _read_go(words, tick, has_market=bool(outcomes))
        case _:
            is_place = verb in _PLACES
            return _read_place(verb, rest) if is_place else FindMarkets(" ".join(text.split()))


def complete(text: str, outcomes: Sequence[str]) -> tuple[Candidate, ...]:
    """Return the completions of the last word, or of the next one after a blank."""
    words = _words(text)
    is_new = not words or text[-1:].isspace()
    last = "" if is_new else words[-1].folded
    before = words if is_new else words[:-1]
    return tuple(each for each in _next_words(before, outcomes) if each.word.startswith(last))


def completed(text: str, candidate: Candidate) -> str:
    """Return a text with its last word completed, followed by a blank."""
    words = _words(text)
    kept = text if not words or text[-1:].isspace() else text[: words[-1].start]
    return f"{kept}{candidate.word} "


def describe_command(command: Command, outcomes: Sequence[str]) -> str:
    """Describe what a command would do, in the words of a card."""
    match command:
        case EnterOrder(draft):
            return _describe_order(draft, outcomes)
        case CancelOrders(scope, price):
            said = {
                CancelTarget.EVERYWHERE: "Cancel all working orders in every market",
                CancelTarget.MARKET: "Cancel your orders in this market",
                CancelTarget.BIDS: "Cancel your bids here",
                CancelTarget.ASKS: "Cancel your offers here",
            }[scope]
            return said if price is None else f"Cancel your orders at {with_cent_sign(price)}"
        case FlattenPosition() | ProtectPosition() | SplitCash():
            return _describe_position(command, outcomes)
        case FindMarkets(text):
            return f"Search for {text}"
        case GoToPrice(price):
            return f"Cursor to {with_cent_sign(price)}"
        case GoToScreen() | ChooseTheme() | SetAlert():
            return _describe_place(command)


def _describe_position(
    command: FlattenPosition | ProtectPosition | SplitCash, outcomes: Sequence[str]
) -> str:
    match command:
        case FlattenPosition(index):
            where = "" if index is None else f" in {outcomes[index]}"
            return f"Sell the net position{where}"
        case ProtectPosition(stop, target):
            ends = (("stop", stop), ("target", target))
            said = [f"{name} {with_cent_sign(price)}" for name, price in ends if price is not None]
            return f"{' and '.join(said).capitalize()} for the position"
        case SplitCash(amount):
            if amount is None:
                return "Split cash into both outcomes"
            return f"Split {exact_dollars(amount)} into {exact_shares(amount)} of each outcome"


def _describe_place(command: GoToScreen | ChooseTheme | SetAlert) -> str:
    match command:
        case GoToScreen(screen):
            return f"Go to {screen.value}"
        case ChooseTheme(name):
            return f"Theme {name}" if name else "Preview themes and choose one"
        case SetAlert(price, condition):
            if price is not None:
                return f"Set a price alert at {with_cent_sign(price)}"
            return f"Set an alert: {condition}" if condition else "Set a price alert"


def outcome_words(outcomes: Sequence[str]) -> tuple[str, ...]:
    """Return a word for each outcome: its label without blanks, or its number if that is ambiguous."""
    words = ["".join(label.split()).casefold() for label in outcomes]
    return tuple(
        word if word and words.count(word) == 1 and not _is_taken(word) else f"#{number}"
        for number, word in enumerate(words, 1)
    )


class _Order:
    """Parses the words after `buy` and `sell`: size, outcome, price and options."""

    def __init__(
        self, words: Sequence[_Word], outcomes: Sequence[str], outcome_index: int, end: int
    ) -> None:
        self._words = iter(words)
        self._outcomes = outcome_words(outcomes)
        self._index = outcome_index
        self._end = end
        self._has_outcome = False
        self._seen: set[str] = set()

    def read(self, side: Side) -> Command | CommandProblem:
        """Return the order, or the first error."""
        if not self._outcomes:
            return CommandProblem("Open a market first", 0, self._end)
        draft = TicketDraft(side, self._index)
        size = next(self._words, None)
        if size is None:
            return CommandProblem("Enter a size: 100, $50, 25% or all", self._end, self._end)
        sized = _with_size(draft, size)
        if isinstance(sized, CommandProblem):
            return sized
        draft = sized
        for word in self._words:
            after = self._take(draft, word)
            if isinstance(after, CommandProblem):
                return after
            draft = after
        draft = replace(draft, outcome_index=self._index)
        if draft.kind is OrderKind.LIMIT and not draft.price_text:
            if size.folded == _ALL and not self._seen:
                return FlattenPosition(self._index)
            return CommandProblem("Enter a price in cents, or market", self._end, self._end)
        return EnterOrder(draft)

    def _take(self, draft: TicketDraft, word: _Word) -> TicketDraft | CommandProblem:
        name = _SAME.get(word.folded, word.folded)
        if name in _OPTIONS:
            return self._option(draft, word, name)
        if name in _MARKET:
            if draft.price_text or draft.kind is OrderKind.MARKET:
                return _at(word, "A second price")
            self._seen.add(name)
            times = draft.time_in_force
            fitting = TimeInForce.FOK if times.rests else times
            return replace(draft, kind=OrderKind.MARKET, time_in_force=fitting)
        index = self._outcome(word)
        if index is not None:
            if self._has_outcome:
                return _at(word, "A second outcome")
            self._index, self._has_outcome = index, True
            return draft
        text = word.text.removeprefix("@")
        if parse_cents(text) is None:
            return _no_outcome(word, () if self._has_outcome else self._outcomes)
        if draft.price_text or draft.kind is OrderKind.MARKET:
            return _at(word, "A second price")
        return replace(draft, price_text=_bare(text))

    def _option(self, draft: TicketDraft, word: _Word, name: str) -> TicketDraft | CommandProblem:
        group = "time" if name in _TIMES else name
        if group in self._seen:
            return _at(word, f"Said twice: {word.text}")
        self._seen.add(group)
        if name == "po":
            return replace(draft, is_post_only=True)
        if name in ("stop", "target"):
            price = next(self._words, None)
            if price is None or parse_cents(price.text) is None:
                return _missing(price, f"Enter the {name} in cents", self._end)
            text = _bare(price.text)
            is_stop = name == "stop"
            return replace(draft, stop_text=text) if is_stop else replace(draft, target_text=text)
        draft = replace(draft, time_in_force=_TIMES[name])
        if name != "gtd":
            return draft
        life = next(self._words, None)
        if life is None or not (life.folded == UNTIL_CLOSE or parse_life(life.text)):
            return _missing(life, "Enter how long: 150s, 15m, 2h, 1d, close", self._end)
        return replace(draft, expiry_text=life.folded)

    def _outcome(self, word: _Word) -> int | None:
        """Return the outcome that a word names fully, or as the only one with that prefix."""
        if word.folded in self._outcomes:
            return self._outcomes.index(word.folded)
        begun = [n for n, name in enumerate(self._outcomes) if name.startswith(word.folded)]
        return begun[0] if len(begun) == 1 else None


def _with_size(draft: TicketDraft, word: _Word) -> TicketDraft | CommandProblem:
    if word.folded == _ALL:
        if draft.side is Side.BUY:
            return _at(word, "All of what? Enter a size, or 100% of your cash")
        return replace(draft, size_text=_WHOLE, size_unit=SizeUnit.PERCENT)
    size = parse_size(word.text)
    if size is None or size <= 0:
        return _at(word, f"Not a size: {word.text}; enter 100, $50, 25% or all")
    unit = SizeUnit.SHARES
    if word.text.startswith("$"):
        unit = SizeUnit.DOLLARS
    elif word.text.endswith("%"):
        unit = SizeUnit.PERCENT
    bare = word.text.removeprefix("$").removesuffix("%").replace(",", "")
    return replace(draft, size_text=bare, size_unit=unit)


def _read_cancel(words: Sequence[_Word], end: int) -> Command | CommandProblem:
    if not words:
        return CommandProblem("Cancel what? all, market, bids, asks or a price", end, end)
    word, *more = words
    if more:
        return _at(more[0], f"Not understood: {more[0].text}")
    known = {scope.value: scope for scope in CancelTarget} | {"offers": CancelTarget.ASKS}
    if word.folded in known:
        return CancelOrders(known[word.folded])
    price = parse_cents(word.text.removeprefix("@"))
    if price is None:
        return _at(word, "Cancel what? all, market, bids, asks or a price")
    return CancelOrders(CancelTarget.MARKET, price)


def _read_position(
    verb: str, words: Sequence[_Word], outcomes: Sequence[str]
) -> Command | CommandProblem:
    """Parse a command on the position in the outcome shown."""
    if verb == "flatten":
        return _read_flatten(words[1:], outcomes)
    if not outcomes:
        return CommandProblem("Open a market first", 0, 0)
    return _read_split(words[1:]) if verb == "split" else _read_protection(words)


def _read_protection(words: Sequence[_Word]) -> Command | CommandProblem:
    """Parse `stop 38 target 42`, or one of the two, in any order."""
    prices: dict[str, Micros] = {}
    rest = iter(words)
    for word in rest:
        name = _SAME.get(word.folded, word.folded)
        if name not in ("stop", "target"):
            return _at(word, f"Not understood: {word.text}")
        if name in prices:
            return _at(word, f"Said twice: {word.text}")
        given = next(rest, None)
        if given is None:
            return CommandProblem(f"Enter a price: {name} 38", word.end, word.end)
        price = parse_cents(given.text)
        if price is None:
            return _at(given, f"Not a price: {given.text}")
        prices[name] = price
    return ProtectPosition(prices.get("stop"), prices.get("target"))


def _read_split(words: Sequence[_Word]) -> Command | CommandProblem:
    if not words:
        return SplitCash(None)
    word, *more = words
    if more:
        return _at(more[0], f"Not understood: {more[0].text}")
    amount = None if word.text.endswith("%") else parse_size(word.text)
    if amount is None or amount <= 0:
        return _at(word, f"Not an amount of dollars: {word.text}")
    return SplitCash(amount)


def _read_flatten(words: Sequence[_Word], outcomes: Sequence[str]) -> Command | CommandProblem:
    if not outcomes:
        return CommandProblem("Open a market first", 0, 0)
    if not words:
        return FlattenPosition()
    names = outcome_words(outcomes)
    if words[0].folded not in names:
        return _no_outcome(words[0], names)
    if len(words) > 1:
        return _at(words[1], f"Not understood: {words[1].text}")
    return FlattenPosition(names.index(words[0].folded))


def _read_go(
    words: Sequence[_Word], tick: Micros | None, *, has_market: bool
) -> Command | CommandProblem:
    word, *more = words
    if not has_market or tick is None:
        return CommandProblem("The book is loading" if has_market else "Open a market first", 0, 0)
    if more:
        return _at(more[0], f"Not understood: {more[0].text}")
    low, high = with_cent_sign(tick), with_cent_sign(Micros(ONE - tick))
    price = parse_cents(word.text.removeprefix("@"))
    if price is None:
        return _at(word, f"Enter a price in cents, {low} to {high}")
    if not tick <= price <= ONE - tick:
        return _at(word, f"Prices go from {low} to {high}")
    if not is_on_tick(price, tick):
        below, above = (with_cent_sign(at(price, tick)) for at in (price_floor, price_ceil))
        return _at(word, f"Tick {low}: {below} or {above}")
    return GoToPrice(price)


def _read_alert(words: Sequence[_Word]) -> Command | CommandProblem:
    if not words:
        return SetAlert()
    if len(words) == 1 and (price := parse_cents(words[0].text.removeprefix("@"))) is not None:
        return SetAlert(price)
    condition = " ".join(word.text for word in words)
    problem = parse_condition(condition)
    if isinstance(problem, str):
        return CommandProblem(problem, words[0].start, words[-1].end)
    return SetAlert(condition=condition)


def _read_place(verb: str, words: Sequence[_Word]) -> Command | CommandProblem:
    if verb == "alert":
        return _read_alert(words)
    most = 1 if verb == "theme" else 0
    if len(words) > most:
        return _at(words[most], f"Not understood: {words[most].text}")
    if verb == "theme":
        return ChooseTheme(words[0].folded if words else "")
    return GoToScreen(Screen(verb))


def _next_words(before: Sequence[_Word], outcomes: Sequence[str]) -> tuple[Candidate, ...]:
    """Return the possible next words, the likeliest first."""
    if not before:
        return tuple(Candidate(*each) for each in (_VERBS | _PLACES).items())
    verb = _SHORT.get(before[0].folded, before[0].folded)
    names = tuple(
        Candidate(word, label)
        for word, label in zip(outcome_words(outcomes), outcomes, strict=True)
    )
    if verb == "flatten":
        return names if len(before) == 1 else ()
    if verb == "cancel":
        scopes = (Candidate(s.value, "") for s in CancelTarget)
        return tuple(scopes) if len(before) == 1 else ()
    if verb in ("stop", "target"):
        other = "target" if verb == "stop" else "stop"
        return (Candidate(other, _OPTIONS[other]),) if len(before) == 2 else ()
    if verb not in ("buy", "sell"):
        return ()
    if len(before) == 1:
        return (Candidate(_ALL, "the net position"),) if verb == "sell" else ()
    used = {_SAME.get(word.folded, word.folded) for word in islice(before, 2, None)}
    if {"stop", "target", "gtd"} & {_SAME.get(before[-1].folded, before[-1].folded)}:
        return ()
    has_time = bool(used & _TIMES.keys())
    options = tuple(
        Candidate(name, meaning)
        for name, meaning in _OPTIONS.items()
        if name not in used and not (has_time and name in _TIMES)
    )
    has_outcome = bool(used & {name.word for name in names})
    market = () if used & set(_MARKET) else (Candidate("market", "at the market, in dollars"),)
    return (*(() if has_outcome else names), *market, *options)


def _describe_order(draft: TicketDraft, outcomes: Sequence[str]) -> str:
    size = draft.size_text
    if draft.size_unit is SizeUnit.DOLLARS:
        size = f"${size}"
    elif draft.size_unit is SizeUnit.PERCENT:
        what = "cash" if draft.side is Side.BUY else "position"
        size = f"{size}% of {what}"
    price = "at the market" if draft.kind is OrderKind.MARKET else f"@ {draft.price_text}¢"
    facts = [f"{draft.side.value} {size} {outcomes[draft.outcome_index]} {price}"]
    life = f" {draft.expiry_text}" if draft.time_in_force is TimeInForce.GTD else ""
    facts.append(f"{draft.time_in_force.value}{life}")
    facts += ["post-only"] if draft.is_post_only else []
    facts += [f"stop {draft.stop_text}¢"] if draft.stop_text else []
    facts += [f"target {draft.target_text}¢"] if draft.target_text else []
    return " · ".join(facts)


def _words(text: str) -> tuple[_Word, ...]:
    return tuple(_Word(m.group(), m.start(), m.end()) for m in _WORD.finditer(text))


def _bare(text: str) -> str:
    return text.strip().rstrip("¢c").strip()


def _is_taken(word: str) -> bool:
    """Whether a word has another meaning in a command."""
    is_known = word in _OPTIONS or word in _SAME or word in _MARKET or word == _ALL
    return is_known or parse_cents(word) is not None or word.startswith("#")


def _at(word: _Word, text: str) -> CommandProblem:
    return CommandProblem(text, word.start, word.end)


def _no_outcome(word: _Word, outcomes: Sequence[str]) -> CommandProblem:
    """Refuse a word that may have been meant for an outcome; name those that there are."""
    named = f"; outcomes here: {', '.join(outcomes)}" if outcomes else ""
    return _at(word, f"Not understood: {word.text}{named}")


def _missing(word: _Word | None, text: str, end: int) -> CommandProblem:
    return CommandProblem(text, end, end) if word is None else _at(word, text)
