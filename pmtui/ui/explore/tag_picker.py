"""A card to choose one tag, or several, by typing a part of their names."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.getters import query_one
from textual.widgets import Input
from typing_extensions import override

from pmtui.service.surface import Subscription
from pmtui.service.topics import TagsTopic, Topic
from pmtui.service.views import TagsView
from pmtui.ui.cells import Cell, Column, Emphasis, Line, Row
from pmtui.ui.facts import explain_load, key_of
from pmtui.ui.frame import is_live
from pmtui.ui.keys.action_table import Context
from pmtui.ui.keys.actions import Keymap, bindings_for, footer_entries
from pmtui.ui.modal import Modal
from pmtui.ui.plain import plain
from pmtui.ui.surface import Surface
from pmtui.ui.theme.theme import Role
from pmtui.ui.widgets.line_table import LineTable
from pmtui.ui.widgets.search_input import SearchInput
from pmtui.ui.widgets.text_line import KeyLine, TextLine

ALL_TAGS = "-"
"""The key of the row for all tags; no slug is a single dash."""


@dataclass(frozen=True, slots=True)
class TagChoice:
    """The tags that filter a list."""

    tags: tuple[tuple[str, str], ...] = ()
    """Slugs and labels, both untrusted; an event must have all of these tags. Empty for every
    tag."""
    include_closed: bool = False

    @property
    def slugs(self) -> tuple[str, ...]:
        """The slugs; the first is fetched, the others filter what was fetched."""
        return tuple(slug for slug, _ in self.tags)

    @property
    def label(self) -> str:
        """Their names on one line, untrusted; empty for every tag."""
        return " + ".join(label or slug for slug, label in self.tags)


def paint_tag_rows(view: TagsView, text: str, *, chosen: Collection[str]) -> tuple[Row, ...]:
    """Return a row for each tag that matches the text, after the row for all tags."""
    wanted = text.strip().casefold()
    rows = {} if wanted else {ALL_TAGS: _row(ALL_TAGS, "all tags", "", is_chosen=not chosen)}
    for tag in view.tags:
        label = plain(tag.label)
        if tag.slug and (wanted in label.casefold() or wanted in tag.slug.casefold()):
            rows[tag.slug] = _row(tag.slug, label, tag.slug, is_chosen=tag.slug in chosen)
    return tuple(rows.values())


def explain_no_tags(view: TagsView) -> str:
    """Return why there is no tag to choose."""
    return explain_load(
        view.load, none="No tag matches.", failed="Could not load the tags.",
        loading="Loading tags…",
    )  # fmt: skip


def paint_closed_choice(keymap: Keymap, *, include_closed: bool) -> Line:
    """Paint whether closed events are listed, and the key that changes that."""
    said = "shown" if include_closed else "hidden"
    return (
        Cell("Closed: ", Role.DIM),
        Cell(said),
        Cell(f" ({key_of(keymap, 'picker.toggle_closed')})", Role.KEY),
    )


def _row(key: str, label: str, slug: str, *, is_chosen: bool) -> Row:
    mark = Cell("●" if is_chosen else "", Role.KEY)
    return Row(key, (mark, Cell(label), Cell(plain(slug), Role.DIM)))


COLUMNS = (Column("mark", "", 1), Column("label", "Tag", 20, grow=1), Column("slug", "", 16))


class TagPicker(Modal[TagChoice]):
    """Type to search, enter to choose, a key to mark several, escape to change nothing."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_for(Context.PICKER)
    WIDTH: ClassVar[int] = 56
    DEFAULT_CSS = """
    TagPicker > .frame { height: 70%; min-height: 12; }
    TagPicker #field { height: 1; }
    TagPicker #prompt { width: 2; }
    TagPicker LineTable { background: $panel; }
    """

    table = query_one("#tags", LineTable)
    closed = query_one("#closed", TextLine)

    def __init__(self, surface: Surface, choice: TagChoice) -> None:
        """Start with the current choice."""
        super().__init__()
        self._surface = surface
        self._choice = choice
        self._text = ""
        self._include_closed = choice.include_closed
        self._marked: tuple[str, ...] = ()
        self._subscription: Subscription | None = None

    @override
    def compose(self) -> ComposeResult:
        options = self._surface.options
        with Vertical(id="card", classes="frame"):
            title = (Cell("Filter by tag", Role.HEADING, Emphasis.BOLD),)
            yield TextLine(title)
            with Horizontal(id="field"):
                yield TextLine((Cell("/ ", Role.KEY),), id="prompt")
                yield SearchInput(lambda: self.table, placeholder="type to narrow", id="text")
            nothing = explain_no_tags(self._surface.queries.tags())
            yield LineTable(COLUMNS, empty=nothing, show_header=False, id="tags")
            yield TextLine(id="closed")
            entries = (
                *(e for e in footer_entries(Context.SEARCH) if e.id == "search.open"),
                *footer_entries(Context.PICKER, keymap=options.keymap),
            )
            yield KeyLine(entries, options, width=self.inner)

    def on_mount(self) -> None:
        """Subscribe to the tags and show those known."""
        self._subscription = self._surface.subscriptions.subscribe([TagsTopic()], self._follow)
        self._show_tags()
        self._show_closed()
        _ = self.table.move_cursor_to(next(iter(self._choice.slugs), ALL_TAGS))
        self.query_one(SearchInput).focus()

    def on_unmount(self) -> None:
        """Unsubscribe."""
        if self._subscription is not None:
            self._subscription.close()

    def action_toggle_closed(self) -> None:
        """Include closed events, or exclude them."""
        self._include_closed = not self._include_closed
        self._show_closed()

    def action_close(self) -> None:
        """Close without a change."""
        _ = self.dismiss(self._choice)

    @on(Input.Changed, "#text")
    def narrow(self, message: Input.Changed) -> None:
        """Show only the tags that match the typed text."""
        self._text = message.value
        self._show_tags()
        if self.table.rows:
            _ = self.table.move_cursor_to(self.table.rows[0].key)

    def action_mark(self) -> None:
        """Mark the selected tag, to filter by several, or unmark it."""
        slug = self.table.cursor_key
        if slug is None or slug == ALL_TAGS:
            return
        if slug in self._marked:
            self._marked = tuple(each for each in self._marked if each != slug)
        else:
            self._marked = (*self._marked, slug)
        self._show_tags()
        self.table.action_move_down()

    def on_line_table_row_selected(self, message: LineTable.RowSelected) -> None:
        """Choose the marked tags, or the selected tag if none is marked."""
        labels = {tag.slug: tag.label for tag in self._surface.queries.tags().tags}
        slugs = self._marked or (() if message.key == ALL_TAGS else (message.key,))
        tags = tuple((slug, labels.get(slug, "")) for slug in slugs)
        _ = self.dismiss(TagChoice(tags, self._include_closed))

    def _follow(self, _: Topic) -> None:
        self.call_next(self._show_tags)

    def _show_tags(self) -> None:
        if not is_live(self):
            return
        view = self._surface.queries.tags()
        self.table.set_empty_text(explain_no_tags(view))
        chosen = self._marked or self._choice.slugs
        self.table.set_rows(paint_tag_rows(view, self._text, chosen=chosen))

    def _show_closed(self) -> None:
        self.closed.show(
            paint_closed_choice(self._surface.options.keymap, include_closed=self._include_closed)
        )
