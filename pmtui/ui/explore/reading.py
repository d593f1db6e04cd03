"""Screens to read from: rules, comments, holders. Nothing can be traded here.

Long texts of the venue are made harmless and broken into lines of a width.
"""

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.getters import query_one
from typing_extensions import override

from pmtui.domain.formats import count
from pmtui.domain.ids import ConditionId, EventId
from pmtui.domain.markets.market import Comment, Event, Holder, Market
from pmtui.service.topics import EventTopic, MarketTopic, Topic
from pmtui.service.views import EventView, Load, MarketView
from pmtui.ui.cells import Cell, Column, Emphasis, Row
from pmtui.ui.facts import unique_keys
from pmtui.ui.format import format_age, format_size_compact
from pmtui.ui.frame import FrameScreen
from pmtui.ui.keys.actions import FooterEntry
from pmtui.ui.plain import Align, cell_width, plain
from pmtui.ui.surface import Surface
from pmtui.ui.theme.theme import Role
from pmtui.ui.widgets.line_table import LineTable
from pmtui.ui.widgets.text_line import TextLine

MOST_LETTERS = 20_000
"""More than the longest rules seen; what is beyond it is said to be left out."""

HOLDER_COLUMNS = (
    Column("outcome", "Outcome", 12),
    Column("size", "Shares", 16, align=Align.RIGHT),
    Column("name", "Holder", 20, grow=1),
    Column("address", "Wallet", 42, priority=1),
)


def wrap_text(text: str, width: int) -> tuple[str, ...]:
    """Break a text of the venue into harmless lines of at most `width` cells.

    Its own line breaks stay; several empty lines become one.
    """
    lines: list[str] = []
    for paragraph in text[:MOST_LETTERS].splitlines():
        clean = plain(paragraph)
        if clean:
            lines += _wrap_paragraph(clean, max(1, width))
        elif lines and lines[-1]:
            lines.append("")
    if len(text) > MOST_LETTERS:
        left_out = len(text) - MOST_LETTERS
        lines += ["", f"{count(left_out, 'more letter')} not shown."]
    return tuple(lines)


def paint_rules(event: Event | None, market: Market | None, width: int) -> tuple[Cell, ...]:
    """Show the rules of the market at the cursor, then those of the event, and who decides.

    One cell for each line.
    """
    lines: list[Cell] = []
    if market is not None:
        lines += _section(market.question or market.title, market.description, width)
    if event is not None and (market is None or event.description != market.description):
        lines += _section(event.title, event.description, width)
    stated = [of.resolution_source for of in (market, event) if of is not None]
    return (*lines, *_sources(stated, width)) if stated else ()


def paint_comments(view: EventView, now: datetime, width: int) -> tuple[Cell, ...]:
    """Show comments as the venue orders them, answers set in; one cell for each line."""
    lines: list[Cell] = []
    for comment in view.comments:
        lines += _paint_comment(comment, now, width)
    return tuple(lines) or (Cell(_explain_no_comments(view), Role.DIM),)


def paint_holder_rows(view: MarketView) -> tuple[Row, ...]:
    """List the biggest holders, outcome by outcome as the venue states them."""
    keys = unique_keys([f"{h.token_id}:{h.address}" for h in view.holders])
    return tuple(
        Row(key, _holder_cells(holder, view.market))
        for key, holder in zip(keys, view.holders, strict=True)
    )


def explain_no_holders(view: MarketView) -> str:
    """Say why no holders are listed."""
    match view.load:
        case Load.READY:
            return " No holders listed."
        case Load.FAILED:
            return f" Could not load the holders: {plain(view.problem)}"
        case Load.EMPTY | Load.LOADING:
            return " Loading holders…"


def _wrap_paragraph(clean: str, width: int) -> list[str]:
    lines: list[str] = []
    line = ""
    for word in clean.split(" "):
        if line and cell_width(line) + 1 + cell_width(word) <= width:
            line = f"{line} {word}"
            continue
        if line:
            lines.append(line)
        line = word
        while cell_width(line) > width:
            head = _take(line, width)
            lines.append(head)
            line = line[len(head) :]
    return [*lines, line] if line else lines


# At least one letter, so that a letter wider than the line cannot stop the loop.
def _take(text: str, width: int) -> str:
    used = 0
    for index, letter in enumerate(text):
        used += cell_width(letter)
        if used > width and index:
            return text[:index]
    return text


def _section(title: str, text: str, width: int) -> list[Cell]:
    heads = [Cell(t, Role.HEADING, Emphasis.BOLD) for t in wrap_text(title, width)]
    body = wrap_text(text, width) or ("No rules are given.",)
    return [Cell(""), *heads, *(Cell(t) for t in body)]


def _sources(stated: Sequence[str], width: int) -> list[Cell]:
    # Market and event often say the same, or only one of them says anything.
    wrapped = dict.fromkeys(wrap_text(source, width) for source in stated)
    said = [line for lines in wrapped for line in lines] or ["none named besides the rules above"]
    return [Cell(""), Cell("Resolution source", Role.DIM), *(Cell(s, Role.KEY) for s in said)]


def _explain_no_comments(view: EventView) -> str:
    match view.load:
        case Load.READY:
            return "No comments yet."
        case Load.FAILED:
            return f"Could not load the comments: {plain(view.problem)}"
        case Load.EMPTY | Load.LOADING:
            return "Loading comments…"


def _paint_comment(comment: Comment, now: datetime, width: int) -> list[Cell]:
    margin = "    " if comment.parent_id else ""
    head = margin + (plain(comment.author, 32) or "unnamed")
    if comment.created_at is not None:
        head += f"  {format_age((now - comment.created_at).total_seconds())} ago"
    if comment.reaction_count:
        head += f"  {count(comment.reaction_count, 'like')}"
    body = wrap_text(comment.body, width - len(margin))
    return [Cell(head, Role.KEY), *(Cell(margin + text) for text in body), Cell("")]


def _holder_cells(holder: Holder, market: Market | None) -> tuple[Cell, ...]:
    label = ""
    if market is not None and 0 <= holder.outcome_index < len(market.outcomes):
        label = market.outcomes[holder.outcome_index].label
    role = Role.BID if holder.outcome_index == 0 else Role.ASK
    return (
        Cell(plain(label), role),
        Cell(format_size_compact(holder.amount, width=16).strip()),
        Cell(plain(holder.name) or plain(holder.address)),
        Cell(plain(holder.address), Role.DIM),
    )


WIDEST = 100
"""Longer lines are hard to read."""


class ReadingScreen(FrameScreen):
    """A heading over lines that scroll."""

    columns: ClassVar[tuple[Column, ...]] = (Column("text", "", 10, grow=1),)
    has_cursor: ClassVar[bool] = False

    DEFAULT_CSS = """
    ReadingScreen LineTable { margin: 0 1; }
    """

    heading = query_one("#heading", TextLine)
    table = query_one("#text", LineTable)

    @abstractmethod
    def heading_words(self) -> tuple[str, str]:
        """Return what this is, and of what; both may be the venue's words."""

    @abstractmethod
    def rows(self, width: int) -> tuple[Row, ...]:
        """Return the lines for a width."""

    @override
    def compose_body(self) -> ComposeResult:
        yield TextLine(id="heading")
        yield LineTable(
            self.columns, show_header=self.has_cursor, show_cursor=self.has_cursor, id="text",
        )  # fmt: skip

    @override
    def on_mount(self) -> None:
        # Textual calls the frame's own handler too.
        self.table.focus()

    @override
    def footer_entries(self) -> tuple[FooterEntry, ...]:
        entries = super().footer_entries()
        back = tuple(e for e in entries if e.id == "global.back")
        return (*back, *(e for e in entries if e.id not in ("global.open", "global.back")))

    @override
    def show_topic(self, topic: Topic) -> None:
        if topic in self.topics():
            self.show_text()

    @override
    def on_resize(self, _: events.Resize) -> None:
        self.show_text()

    def show_text(self) -> None:
        """Show the text as it is now, in the width there is now."""
        kind, subject = self.heading_words()
        self.heading.show(
            (Cell(f" {kind}  ", Role.HEADING, Emphasis.BOLD), Cell(plain(subject), Role.DIM))
        )
        self.table.set_rows(self.rows(max(10, min(self.size.width - 4, WIDEST))))


class RulesScreen(ReadingScreen):
    """The rules a market resolves by, and where the answer comes from."""

    ABOUT: ClassVar[str] = "The rules a market resolves by, and where the answer comes from."

    def __init__(
        self, surface: Surface, event_id: EventId | None, condition_id: ConditionId | None
    ) -> None:
        """Show the rules of a market, of its event, or of both."""
        super().__init__(surface)
        self._event_id = event_id
        self._condition_id = condition_id

    @override
    def topics(self) -> Iterable[Topic]:
        return (EventTopic(self._event_id),) if self._event_id else ()

    @override
    def heading_words(self) -> tuple[str, str]:
        return "Rules and resolution", ""

    @override
    def rows(self, width: int) -> tuple[Row, ...]:
        queries = self.surface.queries
        event = queries.event(self._event_id).event if self._event_id else None
        market = queries.market(self._condition_id).market if self._condition_id else None
        return _as_rows(paint_rules(event, market, width))


class CommentsScreen(ReadingScreen):
    """What people say about an event."""

    ABOUT: ClassVar[str] = "What people say about an event."

    def __init__(self, surface: Surface, event_id: EventId) -> None:
        super().__init__(surface)
        self._event_id = event_id

    @override
    def topics(self) -> Iterable[Topic]:
        return (EventTopic(self._event_id),)

    @override
    def heading_words(self) -> tuple[str, str]:
        event = self.surface.queries.event(self._event_id).event
        return "Comments", event.title if event else ""

    @override
    def rows(self, width: int) -> tuple[Row, ...]:
        queries = self.surface.queries
        return _as_rows(paint_comments(queries.event(self._event_id), queries.now(), width))


class HoldersScreen(ReadingScreen):
    """Who holds most of a market."""

    ABOUT: ClassVar[str] = "Who holds most of a market."

    columns: ClassVar[tuple[Column, ...]] = HOLDER_COLUMNS
    has_cursor: ClassVar[bool] = True

    def __init__(self, surface: Surface, condition_id: ConditionId) -> None:
        super().__init__(surface)
        self._condition_id = condition_id

    @override
    def topics(self) -> Iterable[Topic]:
        return (MarketTopic(self._condition_id),)

    @override
    def heading_words(self) -> tuple[str, str]:
        market = self.surface.queries.market(self._condition_id).market
        return "Top holders", market.distinct_name if market else ""

    @override
    def rows(self, width: int) -> tuple[Row, ...]:
        view = self.surface.queries.market(self._condition_id)
        self.table.set_empty_text(explain_no_holders(view))
        return paint_holder_rows(view)


def _as_rows(lines: tuple[Cell, ...]) -> tuple[Row, ...]:
    return tuple(Row(str(number), (cell,)) for number, cell in enumerate(lines))
