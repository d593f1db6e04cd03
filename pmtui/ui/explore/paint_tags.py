"""Tags as rows to choose from."""

from collections.abc import Collection
from dataclasses import dataclass

from pmtui.service.views import Load, TagsView
from pmtui.ui.cells import Cell, Line, Row
from pmtui.ui.facts import key_of
from pmtui.ui.keys.actions import Keymap
from pmtui.ui.plain import plain
from pmtui.ui.theme.theme import Role

ALL_TAGS = "-"
"""The row that stands for no tag at all; no slug is a lone dash."""


@dataclass(frozen=True, slots=True)
class TagChoice:
    """How a list is narrowed."""

    tags: tuple[tuple[str, str], ...] = ()
    """Slugs and labels, which are untrusted text; an event has to have all of them. None for every tag."""
    include_closed: bool = False

    @property
    def slugs(self) -> tuple[str, ...]:
        """The slugs; the first one is what is fetched, the others narrow what has come."""
        return tuple(slug for slug, _ in self.tags)

    @property
    def label(self) -> str:
        """Their names on one line, untrusted; empty for every tag."""
        return " + ".join(label or slug for slug, label in self.tags)


def paint_tag_rows(view: TagsView, text: str, *, chosen: Collection[str]) -> tuple[Row, ...]:
    """List the tags whose name or slug holds the text, after the row for all of them."""
    wanted = text.strip().casefold()
    rows = {} if wanted else {ALL_TAGS: _row(ALL_TAGS, "all tags", "", is_chosen=not chosen)}
    for tag in view.tags:
        label = plain(tag.label)
        if tag.slug and (wanted in label.casefold() or wanted in tag.slug.casefold()):
            rows[tag.slug] = _row(tag.slug, label, tag.slug, is_chosen=tag.slug in chosen)
    return tuple(rows.values())


def explain_no_tags(view: TagsView) -> str:
    """Say why there is no tag to choose."""
    match view.load:
        case Load.FAILED:
            return "Could not load the tags."
        case Load.READY:
            return "No tag matches."
        case Load.EMPTY | Load.LOADING:
            return "Loading tags…"


def paint_closed_choice(keymap: Keymap, *, include_closed: bool) -> Line:
    """Say whether closed events are listed, and which key changes that."""
    said = "shown" if include_closed else "hidden"
    return (
        Cell("Closed: ", Role.DIM),
        Cell(said),
        Cell(f" ({key_of(keymap, 'picker.toggle_closed')})", Role.KEY),
    )


def _row(key: str, label: str, slug: str, *, is_chosen: bool) -> Row:
    mark = Cell("●" if is_chosen else "", Role.KEY)
    return Row(key, (mark, Cell(label), Cell(plain(slug), Role.DIM)))
