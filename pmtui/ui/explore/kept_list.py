"""How the list of events was arranged when the terminal was closed, and how it is to be kept."""

from datetime import timedelta

from pmtui.config.workplace import KeptList
from pmtui.domain.markets.listing import Arrangement, ListFilter, ListSort
from pmtui.domain.money import Micros
from pmtui.ui.explore.paint_tags import TagChoice

LONGEST_S = 400 * 86_400
"""A longer time narrows nothing that anybody would miss; a damaged file may name any."""


def kept_choice(kept: KeptList) -> TagChoice:
    """Return the tags that were chosen."""
    return TagChoice(tuple(zip(kept.tags, kept.labels, strict=False)), kept.include_closed)


def kept_arrangement(kept: KeptList) -> Arrangement:
    """Return order, filters and what was unfolded; an order that is unknown is the usual one."""
    usual = Arrangement()
    sort = next((each for each in ListSort if each.value == kept.sort), usual.sort)
    wanted = ListFilter(
        min_volume_24h=Micros(kept.min_volume_24h) if kept.min_volume_24h > 0 else None,
        max_spread=Micros(kept.max_spread) if kept.max_spread > 0 else None,
        ends_within=timedelta(seconds=kept.ends_within_s)
        if 0 < kept.ends_within_s <= LONGEST_S
        else None,
        is_mine=kept.is_mine,
        is_starred=kept.is_starred,
    )
    return Arrangement(sort, kept.is_reversed, wanted, frozenset(kept.unfolded))


def to_kept(arrangement: Arrangement, choice: TagChoice) -> KeptList:
    """Return what is to be remembered of a list."""
    wanted = arrangement.filter
    ends_within = wanted.ends_within or timedelta()
    return KeptList(
        sort=arrangement.sort.value,
        is_reversed=arrangement.is_reversed,
        tags=choice.slugs,
        labels=tuple(label for _, label in choice.tags),
        include_closed=choice.include_closed,
        min_volume_24h=wanted.min_volume_24h or 0,
        max_spread=wanted.max_spread or 0,
        ends_within_s=int(ends_within.total_seconds()),
        is_mine=wanted.is_mine,
        is_starred=wanted.is_starred,
        unfolded=tuple(sorted(arrangement.unfolded)),
    )
