"""The geographic check's answer. It is shown as it is; no list of places is kept here."""

import msgspec

from pmtui.domain.answers import GeoAnswer
from pmtui.wire.bounds import LABEL, cut
from pmtui.wire.errors import WireError
from pmtui.wire.rows import read_one


class GeoRow(msgspec.Struct, gc=False):
    """`GET /api/geoblock` (WIRE_METADATA §8.1); the address it also states is not wanted."""

    blocked: bool | None = None
    country: str | None = None
    region: str | None = None


_GEO = msgspec.json.Decoder(GeoRow)


def decode_geo_answer(body: bytes) -> GeoAnswer:
    """Read the answer.

    Raises:
        WireError: it does not say whether we are blocked.
    """
    return read_one(body, _GEO, _to_answer)


def _to_answer(row: GeoRow) -> GeoAnswer:
    if row.blocked is None:
        raise WireError("blocked", "missing")
    return GeoAnswer(
        is_blocked=row.blocked, country=cut(row.country, LABEL), region=cut(row.region, LABEL)
    )
