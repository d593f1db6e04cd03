"""Slugs and chain ids of what the generator writes."""

import re
import unicodedata

from pmtui.domain.ids import ConditionId, TokenId
from pmtui.signing.contracts import POLYGON, condition_id, token_ids
from pmtui.signing.eip712 import keccak256

REGULAR_ORACLE = "0x65070BE91477460D8A7AeEb94ef92fe056C2f2A7"
NEG_RISK_RESOLVER = "0x2F5e3684cb1F318ec51b00Edba38d79Ac2c0aA9d"
"""Resolvers of regular and negative-risk markets; the first is also the oracle of its conditions."""
PROTOCOL = "v1"
"""By which a market settles. Newer rows name it, and the official library asks every row for it."""

_MARK = re.compile(r"\{\{(-?\d+)\|(\w+)\}\}")
_SLUG_FORMS = {"year": "year", "month": "monthslug", "monthname": "monthslug"}


def slug_of(text: str) -> str:
    """Return a slug; dates in the text stay marks."""
    parts = []
    place = 0
    for match in _MARK.finditer(text):
        parts.append(_plain_slug(text[place : match.start()]))
        parts.append(f"{{{{{match[1]}|{_SLUG_FORMS.get(match[2], 'slug')}}}}}")
        place = match.end()
    parts.append(_plain_slug(text[place:]))
    return "-".join(part for part in parts if part)


def _plain_slug(text: str) -> str:
    letters = unicodedata.normalize("NFKD", text.replace("ø", "o").replace("Ø", "O"))
    ascii_only = letters.encode("ascii", "ignore").decode().lower().replace("%", " percent")
    return re.sub(r"[^a-z0-9]+", "-", ascii_only.replace("'", "")).strip("-")


def made_up_hash(text: str) -> str:
    """Return 0x and 64 hex digits that belong to a text."""
    return "0x" + keccak256(text.encode()).hex()


def made_up_address(text: str) -> str:
    """Return 0x and 40 hex digits that belong to a text."""
    return "0x" + keccak256(text.encode())[-20:].hex()


def neg_risk_question(market_id: str, index: int) -> str:
    """Return the question id of one outcome: the event's market id ending in the index."""
    return f"{market_id[:-2]}{index:02x}"


def chain_ids(question_id: str, *, neg_risk: bool) -> tuple[ConditionId, tuple[TokenId, TokenId]]:
    """Return condition and token ids, by the contracts' own derivation."""
    oracle = POLYGON.neg_risk_adapter if neg_risk else REGULAR_ORACLE
    condition = condition_id(oracle, question_id)
    return condition, token_ids(condition, neg_risk=neg_risk)
