"""What is typed to protect a position, read into a plan: texts in, a plan or a sentence out."""

from dataclasses import dataclass

from pmtui.domain.conditionals.check import PlanField, PlanProblem
from pmtui.domain.conditionals.conditional import DEFAULT_GIVE_WAY, Attachment, ConditionalPlan
from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.money import Micros
from pmtui.domain.ticket.reading import format_cents, parse_cents, parse_size

ALL = "all"


@dataclass(frozen=True, slots=True)
class ConditionalDraft:
    """The entries, as they stand: prices in cents, an empty one is not wanted."""

    stop_text: str = ""
    take_profit_text: str = ""
    give_way_text: str = format_cents(DEFAULT_GIVE_WAY)
    """Cents below the stop that its sale may fill at."""
    trail_text: str = ""
    """Cents below the highest best bid that the stop follows; empty for one that stays put."""
    size_text: str = ALL
    """Shares, or the word for the whole position, whatever that is when it fires."""


def read_attachment(
    stop_text: str, target_text: str, *, tick: Micros
) -> Attachment | PlanProblem | None:
    """Return what is to come with a purchase, None for nothing, or which text cannot be read."""
    prices: list[Micros | None] = []
    for field, text in ((PlanField.STOP, stop_text), (PlanField.TAKE_PROFIT, target_text)):
        price = parse_cents(text) if text.strip() else None
        if text.strip() and price is None:
            return PlanProblem(field, "Enter cents")
        prices.append(price)
    stop, target = prices
    if stop is None and target is None:
        return None
    # Near the lowest price there is less room to give way.
    most = max(stop - tick, 0) if stop is not None else DEFAULT_GIVE_WAY
    return Attachment(stop, target, Micros(min(DEFAULT_GIVE_WAY, most)))


def read_conditional(
    draft: ConditionalDraft, *, condition_id: ConditionId, token_id: TokenId, held: Micros
) -> ConditionalPlan | PlanProblem:
    """Return the plan, or which entry cannot be read."""
    prices: list[Micros | None] = []
    for field, text in (
        (PlanField.STOP, draft.stop_text),
        (PlanField.TAKE_PROFIT, draft.take_profit_text),
        (PlanField.GIVE_WAY, draft.give_way_text),
        (PlanField.TRAIL, draft.trail_text),
    ):
        price = parse_cents(text) if text.strip() else None
        if text.strip() and price is None:
            return PlanProblem(field, "Enter cents")
        prices.append(price)
    size_text = draft.size_text.strip().lower()
    is_all = size_text == ALL
    size = held if is_all else parse_size(size_text) if size_text else Micros(0)
    if size is None:
        return PlanProblem(PlanField.SIZE, "Enter shares, or all")
    stop, take_profit, give_way, trail = prices
    return ConditionalPlan(
        condition_id,
        token_id,
        size,
        stop,
        take_profit,
        give_way or Micros(0),
        is_all=is_all,
        trail=trail,
    )
