"""Help: the keys of a screen, generated from the registry; the ladder's signs, and a glossary."""

from collections.abc import Sequence
from functools import partial
from itertools import groupby, zip_longest
from typing import ClassVar, NamedTuple

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.getters import query_one
from textual.widgets import Input
from typing_extensions import override

from pmtui.domain.formats import count
from pmtui.ui.cells import Cell, Column, Emphasis, Line, Row, line_width
from pmtui.ui.explore.paint_reading import wrap_text
from pmtui.ui.explore.reading import ReadingScreen
from pmtui.ui.frame import FrameScreen
from pmtui.ui.keys.action_table import Context
from pmtui.ui.keys.actions import HelpLine, bindings_for, help_lines
from pmtui.ui.ladder.paint_ladder import SIGNS
from pmtui.ui.plain import plain
from pmtui.ui.surface import Surface
from pmtui.ui.theme.theme import Role
from pmtui.ui.widgets.line_table import LineTable
from pmtui.ui.widgets.panel import Panel
from pmtui.ui.widgets.search_input import SearchInput
from pmtui.ui.widgets.text_line import TextLine

WORD_WIDTH = 18


class Term(NamedTuple):
    """A word and what it means here."""

    word: str
    meaning: str


GLOSSARY: tuple[Term, ...] = (
    Term("allowance", "How much of the wallet's dollars a contract may move: what an approval gave and "
         "nobody has taken back. The exchanges ask for all of it, once."),
    Term("API credentials", "Id, secret and passphrase by which the trading host knows an account. They "
         "sign requests; orders are signed by the key."),
    Term("approval", "A permission on the chain: the exchange may move your dollars or shares when "
         "an order of yours trades. Asked for once for each contract."),
    Term("armed", "Single keys place orders without a card. Disarms after idle time, on a lost "
         "connection and on the kill switch."),
    Term("ask", "Ask (offer): a price at which someone will sell. The best ask is the lowest one."),
    Term("bid", "A price at which someone will buy. The best bid is the highest one."),
    Term("break-even", "The price at which closing a position gains and loses nothing, taker fee "
         "included."),
    Term("builder code", "A code in an order that credits an app with it, which may add a fee of its "
         "own. Zeros credit nobody."),
    Term("cancel-only", "The venue takes cancels and no orders, usually around a restart."),
    Term("chunk", "A part of a long list of orders: what one request may name."),
    Term("close-only", "An account that may reduce what it holds and not add to it."),
    Term("collateral", "The dollars in the trading wallet. Every share is backed by them: a Yes and "
         "a No of one market are always worth one dollar together."),
    Term("crossed", "A book whose best bid is not below its best ask. It cannot be right, so it is "
         "marked and fetched again."),
    Term("dead man's switch", "The venue cancels every order of a key that sent a heartbeat once "
         "and then stops."),
    Term("delayed", "Some markets hold orders that would trade at once, for a fraction of a second or "
         "for seconds, so that makers can react to news."),
    Term("deposit wallet", "The contract that holds your money and shares. Your key signs for it and "
         "never holds anything itself."),
    Term("depth", "How many shares wait at a price or better."),
    Term("FAK", "Fill and kill: trade at once what there is up to the limit, cancel the rest."),
    Term("fill", "A part of an order that has traded."),
    Term("flatten", "Sell the net position of a market now, down to a limit shown first. Pairs stay."),
    Term("FOK", "Fill or kill: trade all of it at once, or nothing."),
    Term("GTC", "Good till cancelled: rests until it trades or you cancel it."),
    Term("GTD", "Good till date: like GTC, and the venue cancels it at a time you set."),
    Term("improve", "Rest a tick in front of the best price of one's own side."),
    Term("join", "Rest at the best price of one's own side, behind who is there."),
    Term("kill switch", "Cancels all orders, disarms, and locks trading until you unlock it."),
    Term("lossy", "A book that missed something: its hash does not match what the venue announced. "
         "It is fetched again."),
    Term("maker", "The side whose order rested. Makers pay no fee and may earn rewards."),
    Term("merge", "Turn a Yes and a No of one market back into a dollar. The engine does it by "
         "itself where two sellers meet."),
    Term("midpoint", "Half way between the best bid and the best ask; often read as the chance."),
    Term("mint", "Make a Yes and a No from a dollar: how a buyer of Yes and a buyer of No trade."),
    Term("neg-risk", "An event of which exactly one outcome wins. A No of one outcome is worth a Yes "
         "of all the others, so the Yes prices should add up to about a dollar."),
    Term("net position", "What is held of one outcome of a market beyond the other. The rest are pairs, "
         "a Yes and a No each: worth a dollar whatever happens, and turned into cash by a merge."),
    Term("outcome", "What a market asks about, Yes or No, or two names. One of them pays a dollar a "
         "share, the other nothing."),
    Term("overdue", "The stream is up and has not sent this book, as it ought to at once. What was "
         "fetched of it is shown and may be old."),
    Term("override", "Permit one order from a book that may be wrong; the journal keeps it."),
    Term("owner", "The address of your key. It signs for the paying wallet and need hold no money."),
    Term("paper", "The local venue: real servers, real books, play money, no account."),
    Term("paying wallet", "The address that an order names as its maker: it pays and receives. A deposit "
         "wallet for accounts made now; a proxy or a safe for older ones."),
    Term("post-only", "Reject the order if it would cross."),
    Term("price alert", "A sound and a notice, once, when the best bid has come up to a price or "
         "the best ask down to it. Works while pmtui or its service runs."),
    Term("queue", "Who was there first at a price trades first. How much is ahead of you is an "
         "estimate: the venue does not say. Of an order from before a restart it is blank for "
         "ten seconds: the first book may not hold all who stand before it."),
    Term("redeem", "Exchange the shares of a decided market for the dollars they are worth."),
    Term("relayer", "The venue's host that puts a wallet's transactions on the chain and pays for "
         "them. It has keys of its own, which cannot trade."),
    Term("resolution", "The decision which outcome was right, by the source the rules name."),
    Term("reward band", "How near to the midpoint an order must rest, and how large it must be, to "
         "earn liquidity rewards in a market."),
    Term("scoring", "An order that earns liquidity rewards right now."),
    Term("spread", "The gap between the best bid and the best ask."),
    Term("stale", "No update of a book for too long to trust it."),
    Term("star", "Keeps an event or a market on the watchlist, over restarts; nothing is traded."),
    Term("stop and target", "A stop, a target (take profit) or both for a position. Held by "
         "pmtui, not by the venue: active while pmtui or its service runs. Own bids that its sale "
         "would meet are cancelled first. Where a trade of it FAILS on chain the shares are "
         "back, and are protected again at once."),
    Term("taker", "The side whose order traded at once. Takers pay the fee."),
    Term("tick", "The step between two prices of a market: 1¢ in most, finer near 0 and 100."),
    Term("trade signs", "In the list of trades \u25c2 marks one of yours; where it is less than all of "
         "that trade, how much of it follows. The pane that keys go to begins with \u25a0."),
    Term("unknown", "Also unconfirmed: an order that was sent and not answered. It counts as working and is looked "
         "for by its id until found or ruled out."),
    Term("verified", "A book whose hash equals the one that the venue announced for it."),
)  # fmt: skip


class TermsScreen(ReadingScreen):
    """Terms or signs, each with its meaning."""

    CONTEXTS: ClassVar[tuple[Context, ...]] = ()
    columns: ClassVar[tuple[Column, ...]] = (
        Column("word", "", WORD_WIDTH),
        Column("meaning", "", 10, grow=1),
    )

    def __init__(self, surface: Surface, name: str, noun: str, terms: Sequence[Term]) -> None:
        """Show terms.

        Args:
            surface: the service and the user's choices.
            name: the page's name.
            noun: what is listed.
            terms: in the order of the page.
        """
        super().__init__(surface)
        self._page_name, self._noun, self._terms = name, noun, terms

    @override
    def heading_words(self) -> tuple[str, str]:
        return self._page_name, count(len(self._terms), self._noun)

    @override
    def rows(self, width: int) -> tuple[Row, ...]:
        found = []
        for place, term in enumerate(self._terms):
            for number, line in enumerate(wrap_text(term.meaning, width - WORD_WIDTH - 2)):
                word = Cell("" if number else term.word, Role.KEY, Emphasis.BOLD)
                found.append(Row(f"{place}.{number}", (word, Cell(line))))
        return tuple(found)


COLUMNS = (
    Column("keys", "Key", 12),
    Column("label", "Does", 19, priority=1),
    Column("help", "What it means", 30, grow=1),
)

_LEAST = 30
_BESIDE = 39
"""The width of the other columns and of the gaps."""
_KEYS_BESIDE = 19
"""The same of a page beside others, which has no labels."""
_TWO_FROM, _THREE_FROM = 110, 170
"""The widths from which pages stand side by side."""
_PAGES = ("keys", "more", "most")


class HelpScreen(FrameScreen):
    """The keys of a screen, by context."""

    CONTEXTS: ClassVar[tuple[Context, ...]] = (Context.HELP,)
    BINDINGS: ClassVar[list[BindingType]] = bindings_for(Context.HELP)
    IDLE_KEYS: ClassVar[frozenset[str]] = frozenset({"global.open", "global.help"})
    DEFAULT_CSS = """
    HelpScreen #pages { height: 1fr; }
    HelpScreen Panel { width: 1fr; height: 100%; }
    HelpScreen #more-panel, HelpScreen #most-panel { display: none; }
    HelpScreen.-two #more-panel, HelpScreen.-three #most-panel { display: block; }
    HelpScreen #field { height: 1; display: none; }
    HelpScreen.-filtering #field { display: block; }
    HelpScreen #prompt { width: 3; }
    """

    table = query_one("#keys", LineTable)
    panel = query_one("#keys-panel", Panel)
    field = query_one("#filter", SearchInput)

    def __init__(self, surface: Surface, contexts: Sequence[Context], about: str) -> None:
        """Show the keys of these contexts."""
        super().__init__(surface)
        replay = () if surface.replay is None else (Context.REPLAY,)
        self._contexts = (*contexts, *replay, Context.GLOBAL)
        self._about = about

    @override
    def compose_body(self) -> ComposeResult:
        with Horizontal(id="field"):
            yield TextLine((Cell(" / ", Role.KEY),), id="prompt")
            yield SearchInput(lambda: self.table, placeholder="Type to narrow", id="filter")
        with Horizontal(id="pages"):
            for name in _PAGES:
                page = LineTable(COLUMNS, id=name, show_cursor=False)
                # The first one has the keys, and the others scroll with it.
                page.can_focus = name == _PAGES[0]
                look = "-table" if page.can_focus else "-table -split"
                yield Panel(page, id=f"{name}-panel", classes=look)

    @override
    def on_mount(self) -> None:
        # Textual also calls FrameScreen.on_mount.
        self.panel.show_title_in_width(partial(_title, self._about))
        for name in _PAGES[1:]:
            more = self.query_one(f"#{name}-panel", Panel)
            more.show_title_in_width(
                lambda _: ((Cell("HELP", Role.HEADING), Cell(", more keys", Role.DIM)), ())
            )
        self._explain()
        self.table.focus()

    @override
    def on_resize(self) -> None:  # type: ignore[override]  # Textual passes the event only where it is named
        """Wrap the texts to the new width."""
        self._explain()

    @on(LineTable.ViewChanged, "#keys")
    def scroll_together(self) -> None:
        """Show the same lines of every page."""
        for name in _PAGES[1:]:
            page = self.query_one(f"#{name}", LineTable)
            page.scroll_to(y=self.table.scroll_offset.y, animate=False)

    def _explain(self) -> None:
        """Show the keys in groups by subject, on as many pages as stand side by side."""
        pages = 1 + (self.size.width >= _TWO_FROM) + (self.size.width >= _THREE_FROM)
        self.set_class(pages > 1, "-two")
        self.set_class(pages > 2, "-three")
        beside = _KEYS_BESIDE if pages > 1 else _BESIDE
        room = max(_LEAST, self.size.width // pages - beside)
        found = help_lines(*self._contexts, keymap=self.surface.options.keymap)
        wanted = self.field.value.casefold().split()
        found = tuple(line for line in found if _is_about(line, wanted))
        groups = [
            _key_rows(list(lines), room)
            for _, lines in groupby(found, lambda line: (line.context, line.subject))
        ]
        if Context.LADDER in self._contexts and not wanted:
            groups.append(_sign_rows(room))
        for name, rows in zip_longest(_PAGES, _spread(groups, pages), fillvalue=()):
            page = self.query_one(f"#{name}", LineTable)
            page.columns.hide(("label",) if pages > 1 else ())
            page.set_rows(rows)

    def action_filter(self) -> None:
        """Open the filter field."""
        self.add_class("-filtering")
        self.set_focus(self.field)

    @on(Input.Changed)
    def follow_text(self) -> None:
        """Show only the keys that match the typed text."""
        self._explain()
        self.table.scroll_home(animate=False)

    @on(LineTable.RowSelected)
    def end_typing(self) -> None:
        """Return the focus to the table."""
        self.set_focus(self.table)

    def action_glossary(self) -> None:
        """Open the glossary."""
        _ = self.app.push_screen(TermsScreen(self.surface, "Glossary", "term", GLOSSARY))

    def action_signs(self) -> None:
        """Open the legend of the ladder."""
        legend = tuple(Term(*each) for each in SIGNS)
        _ = self.app.push_screen(TermsScreen(self.surface, "Signs on the ladder", "sign", legend))

    def action_close(self) -> None:
        """Close the help."""
        _ = self.dismiss()


def _title(about: str, width: int) -> tuple[Line, Line]:
    """Paint the page's name, and the description of the screen as far as it fits."""
    name = Cell("HELP", Role.HEADING)
    words = plain(about, max(width - line_width((name,)) - 2, 0))
    return (name, Cell("  "), Cell(words, Role.DIM)), ()


def _spread(groups: Sequence[Sequence[Row]], count: int) -> tuple[list[Row], ...]:
    """Spread groups over pages of about the same length, in their order."""
    pages: list[list[Row]] = [[] for _ in range(count)]
    left, number = sum(map(len, groups)), 0
    share = left / count
    for group in groups:
        if pages[number] and len(pages[number]) + len(group) / 2 > share and number + 1 < count:
            left -= len(pages[number])
            number += 1
            share = left / (count - number)
        # An empty line separates two groups.
        pages[number] += group[not pages[number] :]
    # Pages of one length scroll together to the end.
    longest = max(map(len, pages))
    for page in pages:
        page += [_empty_row(f"-end.{y}") for y in range(len(page), longest)]
    return tuple(pages)


def _key_rows(found: Sequence[HelpLine], room: int) -> list[Row]:
    """Return the keys of one subject under its name, after an empty line."""
    rows = _heading_rows(f"{found[0].context}.{found[0].subject}", found[0].subject)
    for place, line in enumerate(found):
        # Two keys may have the same label.
        name = f"{line.context}.{line.subject}.{place}"
        first, *more = wrap_text(line.help, room) or ("",)
        rows.append(Row(name, (Cell(line.keys, Role.KEY), Cell(line.label), Cell(first, Role.DIM))))
        rows += [
            Row(f"{name}.{number}", (Cell(""), Cell(""), Cell(text, Role.DIM)))
            for number, text in enumerate(more)
        ]
    return rows


def _empty_row(key: str) -> Row:
    return Row(key, (Cell(""),) * len(COLUMNS))


def _heading_rows(key: str, name: str) -> list[Row]:
    """Return an empty line and the heading of a group."""
    heading = (Cell(name, Role.HEADING, Emphasis.BOLD), Cell(""), Cell(""))
    return [_empty_row(f"-{key}.above"), Row(f"-{key}", heading)]


def _is_about(line: HelpLine, words: Sequence[str]) -> bool:
    """Return whether every word occurs in the line, or is one of its keys."""
    text = f"{line.context} {line.subject} {line.label} {line.help}".casefold()
    return all(word in text or word in line.keys.casefold().split() for word in words)


def _sign_rows(room: int) -> list[Row]:
    """Return a row for each sign on the ladder."""
    rows = _heading_rows("signs", "Signs")
    for number, (sign, meaning) in enumerate(SIGNS):
        for part, text in enumerate(wrap_text(meaning, room)):
            cells = (Cell("" if part else sign, Role.OWN_ORDER), Cell(""), Cell(text, Role.DIM))
            rows.append(Row(f"sign.{number}.{part}", cells))
    return rows
