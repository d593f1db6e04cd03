"""People of the catalogue: profiles, what they wrote, teams and sports."""

import random
from collections.abc import Sequence
from typing import cast

from pmtui.sim.catalogue import dates
from tests.catalogue import shapes
from tests.catalogue.drafts import League, mark, text_file, words_of

_Rows = list[dict[str, object]]
_COLOURS = ("#1f6f8b", "#a63d40", "#5b8c5a", "#e9b872", "#6c4a8c", "#2f3e46", "#c8553d")


def profile_rows(rng: random.Random, count: int) -> _Rows:
    """Return pseudonymous profiles."""
    words = text_file("words")
    first, second = words_of(words, "handles_first"), words_of(words, "handles_second")
    handles = rng.sample([f"{one}-{two}" for one in first for two in second], count)
    rows: _Rows = []
    for number, handle in enumerate(handles):
        row: dict[str, object] = {
            "id": str(70_100 + 13 * number),
            "name": handle,
            "pseudonym": " ".join(part.capitalize() for part in handle.split("-")),
            "displayUsernamePublic": rng.random() < 0.9,
            "proxyWallet": shapes.made_up_address(f"profile:{handle}"),
            "createdAt": mark(-rng.randint(30 * dates.DAY_S, 1_200 * dates.DAY_S), "stamp"),
            "verifiedBadge": rng.random() < 0.05,
            "users": [{"id": str(9_000 + number), "creator": False, "mod": number % 29 == 0}],
        }
        bio = rng.choice(words_of(words, "bios"))
        if bio:
            row["bio"] = bio
        if rng.random() < 0.3:
            row["xUsername"] = handle.replace("-", "_")
        rows.append(row)
    return rows


def comment_rows(events: _Rows, series: _Rows, profiles: _Rows, rng: random.Random) -> _Rows:
    """Return comments under events and series, and count them in the rows they stand under."""
    writer = _Comments(profiles, rng)
    for event in events:
        volume = event.get("volume")
        if not isinstance(volume, float) or event.get("closed") is True:
            continue
        most = 14 if volume > 400_000 else 5 if volume > 30_000 else 2
        event["commentCount"] = writer.write("Event", event, rng.randint(0, most))
    for row in series:
        row["commentCount"] = writer.write("Series", row, rng.randint(2, 9))
    return writer.rows


class _Comments:
    def __init__(self, profiles: _Rows, rng: random.Random) -> None:
        words = text_file("words")
        self._comments = words_of(words, "comments")
        self._replies = words_of(words, "replies")
        self._profiles = profiles
        self._rng = rng
        self._next_id = 310_000
        self.rows: _Rows = []

    def write(self, kind: str, parent: dict[str, object], count: int) -> int:
        before = len(self.rows)
        for body in self._rng.sample(self._comments, count):
            age_s = self._rng.randint(900, 12 * dates.DAY_S)
            root = self._add(kind, parent, body, age_s=age_s)
            if self._rng.random() < 0.25:
                reply = self._add(
                    kind, parent, self._rng.choice(self._replies), age_s=age_s * 2 // 3
                )
                reply["parentCommentID"] = root["id"]
                reply["replyAddress"] = root["userAddress"]
        return len(self.rows) - before

    def _add(
        self, kind: str, parent: dict[str, object], body: str, *, age_s: int
    ) -> dict[str, object]:
        rng = self._rng
        profile = rng.choice(self._profiles)
        self._next_id += rng.randint(1, 40)
        wallet = cast("str", profile["proxyWallet"])
        shown = ("name", "pseudonym", "displayUsernamePublic", "bio", "proxyWallet")
        row: dict[str, object] = {
            "id": str(self._next_id),
            "body": body,
            "parentEntityType": kind,
            "parentEntityID": int(cast("str", parent["id"])),
            "userAddress": wallet,
            "createdAt": mark(-age_s, "stamp"),
            "profile": {key: profile[key] for key in shown if key in profile},
            "reactions": [],
            "reportCount": 0,
            "reactionCount": int(rng.expovariate(0.6)),
        }
        self.rows.append(row)
        return row


def team_rows(played: Sequence[League], rng: random.Random) -> _Rows:
    """Return the clubs of all leagues; team ids are integers on the wire."""
    rows: _Rows = []
    for league in played:
        for club in league.clubs:
            letters = "".join(word[0] for word in shapes.slug_of(club).split("-"))
            short = shapes.slug_of(club).replace("-", "")[:3] if len(letters) < 3 else letters[:3]
            rows.append(
                {
                    "id": 100_200 + 3 * len(rows),
                    "name": club,
                    "league": league.code,
                    "record": f"{rng.randint(0, 18)}-{rng.randint(0, 18)}",
                    "logo": f"https://images.example.org/pmtui/team-{shapes.slug_of(club)}.png",
                    "abbreviation": short,
                    "alias": club.split()[-1],
                    "providerId": 5_000 + len(rows),
                    "color": rng.choice(_COLOURS),
                    "ordering": "home",
                    "createdAt": mark(-rng.randint(100 * dates.DAY_S, 600 * dates.DAY_S), "stamp"),
                    "updatedAt": mark(-rng.randint(100, 90_000), "stamp"),
                }
            )
    return rows


def sport_rows(
    played: Sequence[League],
    tags: dict[str, dict[str, object]],
    series: dict[str, dict[str, object]],
) -> _Rows:
    """Return one row for each league, as `/sports` lists them."""
    return [
        {
            "id": 11 + number,
            "sport": league.code,
            "name": league.name,
            "image": f"https://images.example.org/pmtui/series-{league.code}.png",
            "resolution": f"https://results.example.org/{league.code}",
            "ordering": "home",
            "tags": ",".join(
                str(tags[label]["id"])
                for label in ("Sports", league.sport.capitalize(), league.name)
                if label in tags
            ),
            "series": str(series[league.code]["id"]),
            "createdAt": mark(-300 * dates.DAY_S, "stamp"),
            "updatedAt": mark(-3 * dates.DAY_S, "stamp"),
        }
        for number, league in enumerate(played)
    ]
