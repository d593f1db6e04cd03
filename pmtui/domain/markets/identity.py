"""Whether the tokens to be signed belong to the market shown, checked against every source.

Two hosts describe a market, and the ids of its tokens can be derived from its condition id. An order
names only a token: with a wrong one, it buys something else. So every source has to agree before anything
is prepared. Not covered: the text of the question, and a condition id that belongs to another question.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from pmtui.domain.formats import shorten_id
from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.markets.market import Market, MarketTerms

TRADING_HOST = "the trading host"
METADATA_HOST = "the metadata host"
CONDITION = "the condition id itself"

_POSITION_BITS = ((1 << 64) - 1) << 40
_MOST_DIGITS = 78
_SHOWN = 24


class Fact(StrEnum):
    """What the sources disagree about."""

    CONDITION = "condition id"
    NEG_RISK = "kind of market"
    TOKENS = "tokens"
    OUTCOMES = "outcomes"


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Sources that contradict each other about a market."""

    fact: Fact
    views: tuple[tuple[str, str], ...]
    """What each source says."""

    @property
    def sentence(self) -> str:
        """Return the disagreement in one line."""
        views = "; ".join(f"{who} says {what}" for who, what in self.views)
        return f"Not signed: the hosts disagree on the {self.fact.value}: {views}"


def is_position_id(token_id: TokenId) -> bool:
    """Whether a token belongs to the newer protocol, whose ids are not derived from the condition id.

    Bits 40 to 103 are zero (docs/wire.md#amounts).
    """
    is_number = token_id.isascii() and token_id.isdecimal() and len(token_id) <= _MOST_DIGITS
    return is_number and int(token_id) & _POSITION_BITS == 0


def find_disagreement(
    condition_id: ConditionId,
    market: Market,
    terms: MarketTerms,
    *,
    derived: Sequence[TokenId] | None,
) -> Disagreement | None:
    """Compare everything known about a market; return None if all sources agree.

    Args:
        condition_id: of the market to trade.
        market: from the metadata host; its tokens may be missing.
        terms: from the trading host; these are what gets signed.
        derived: the tokens of both outcomes, computed from the condition id and the kind of market that
            the trading host states; empty if the condition id is invalid, None if they cannot be computed
            for this chain.
    """
    named = [(TRADING_HOST, terms.condition_id), (METADATA_HOST, market.condition_id or "")]
    if any(name.lower() != condition_id.lower() for _, name in named):
        return _disagree(Fact.CONDITION, *((who, name or "none") for who, name in named))
    if market.neg_risk != terms.neg_risk:
        return _disagree(
            Fact.NEG_RISK,
            (TRADING_HOST, _kind(is_neg_risk=terms.neg_risk)),
            (METADATA_HOST, _kind(is_neg_risk=market.neg_risk)),
        )
    theirs = (TRADING_HOST, _list(terms.token_ids, terms.outcome_labels))
    ours = (METADATA_HOST, _list(market.token_ids, [o.label for o in market.outcomes]))
    is_derivable = derived is not None and not all(map(is_position_id, terms.token_ids))
    if market.token_ids and market.token_ids != terms.token_ids:
        return _disagree(Fact.TOKENS, theirs, ours)
    if is_derivable and derived is not None and tuple(derived) != terms.token_ids:
        return _disagree(Fact.TOKENS, theirs, ours, (CONDITION, _list(derived, ())))
    if not is_derivable and not market.token_ids:
        return _disagree(Fact.TOKENS, theirs, ours)
    if len(set(terms.token_ids)) != len(terms.token_ids) or not _same_labels(market, terms):
        return _disagree(Fact.OUTCOMES, theirs, ours)
    return None


def _same_labels(market: Market, terms: MarketTerms) -> bool:
    labels = [_folded(outcome.label) for outcome in market.outcomes]
    return labels == [_folded(label) for label in terms.outcome_labels]


def _folded(label: str) -> str:
    return " ".join(label.casefold().split())


def _disagree(fact: Fact, *views: tuple[str, str]) -> Disagreement:
    return Disagreement(fact, views)


def _kind(*, is_neg_risk: bool) -> str:
    return "neg-risk" if is_neg_risk else "regular"


def _list(token_ids: Sequence[TokenId], labels: Sequence[str]) -> str:
    if not token_ids:
        return "none"
    names = [
        f"{labels[i][:_SHOWN]} is" if i < len(labels) else f"outcome {i + 1} is"
        for i in range(len(token_ids))
    ]
    return ", ".join(
        f"{name} {shorten_id(t)}" for name, t in zip(names, token_ids[:4], strict=False)
    )
