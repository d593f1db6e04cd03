"""Markets in short: what a search shows of one, in less than a kilobyte instead of three or more.

A market as an object is thirty values, each an object of its own. Thousands of them are kept here as
the bytes of those values, without the prose, and made into objects again only to be shown.
"""

from dataclasses import fields
from typing import NamedTuple, get_type_hints

import msgspec

from pmtui.domain.ids import EventId
from pmtui.domain.markets.market import Market


class EventName(NamedTuple):
    """What a market in short leaves to its event, and shares with its siblings."""

    event_id: EventId
    title: str
    slug: str


_LEFT_OUT = frozenset(("description", "resolution_source", "event_id", "event_title", "event_slug"))
_TYPES = get_type_hints(Market)
_NAMES = tuple(f.name for f in fields(Market) if f.name not in _LEFT_OUT)
# Made from the fields, so that none can be forgotten here; in their order, without their names.
_Short = msgspec.defstruct(
    "_Short", [(name, _TYPES[name]) for name in _NAMES], array_like=True, gc=False
)
_ENCODER = msgspec.json.Encoder()
_DECODER = msgspec.json.Decoder(_Short)


def pack(market: Market) -> bytes:
    """Return a market in short."""
    return _ENCODER.encode([getattr(market, name) for name in _NAMES])


def unpack(packed: bytes, event: EventName) -> Market:
    """Return the market that was packed, without its prose and with its event's names."""
    short = _DECODER.decode(packed)
    return Market(
        **{name: getattr(short, name) for name in _NAMES},
        event_id=event.event_id,
        event_title=event.title,
        event_slug=event.slug,
    )
