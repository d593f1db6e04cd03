"""Writes the packaged catalogue: `python -m tests.catalogue.generate`.

One seed gives one file, byte for byte, so that a change of texts is a change one can read.
"""

import gzip
import random
from pathlib import Path

import msgspec

from pmtui.sim.catalogue import dates, load
from pmtui.sim.catalogue.load import PACKAGED_NAME
from tests.catalogue.drafts import (
    People,
    SeriesDraft,
    event_drafts,
    leagues,
    series_drafts,
    sport_drafts,
)
from tests.catalogue.oddities import legacy_events, odd_drafts
from tests.catalogue.people import (
    comment_rows,
    profile_rows,
    sport_rows,
    team_rows,
)
from tests.catalogue.shapes import EventShaper, Registry

SEED = 20_261_102
PACKAGED = Path(load.__file__).with_name(PACKAGED_NAME)


def catalogue_json(seed: int = SEED) -> bytes:
    """Return the whole catalogue as JSON, dates as marks."""
    rng = random.Random(seed)
    people = People(rng)
    registry = Registry()
    played = leagues(people)
    for draft in [*series_drafts(), *(_season_series(one.code, one.name) for one in played)]:
        registry.add_series(draft, rng)
    drafts = [*event_drafts(rng, people), *sport_drafts(played, rng, people), *odd_drafts()]
    rng.shuffle(drafts)
    shaper = EventShaper(rng, registry)
    events = [(draft.period_s, shaper.shape(draft)) for draft in drafts]
    events.extend((dates.PERIOD_S, row) for row in legacy_events(rng))
    profiles = profile_rows(rng, 64)
    series = list(registry.series.values())
    comments = comment_rows([row for _, row in events], series, profiles, rng)
    extras = {
        "tags": list(registry.tags.values()),
        "series": series,
        "comments": comments,
        "profiles": profiles,
        "teams": team_rows(played, rng),
        "sports": sport_rows(played, registry.tags, registry.series),
    }
    rows = [{"period_s": period_s, "row": row} for period_s, row in events]
    return msgspec.json.encode({"events": rows, "extras": extras})


def packed_catalogue() -> bytes:
    """Return the file as it is packaged."""
    return gzip.compress(catalogue_json(), compresslevel=9, mtime=0)


def _season_series(code: str, name: str) -> SeriesDraft:
    return SeriesDraft(slug=code, title=name, recurrence="weekly")


def main() -> None:
    """Rewrite the packaged file."""
    PACKAGED.write_bytes(packed_catalogue())


if __name__ == "__main__":
    main()
