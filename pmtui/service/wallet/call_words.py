"""What a call says, in a sentence and in full, for the card: read from the bytes that are signed."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pmtui.domain.account.onboarding import is_unlimited
from pmtui.domain.account.wallet_steps import NamedContract
from pmtui.domain.account.wallet_transactions import Argument, DecodedCall
from pmtui.domain.formats import exact_dollars
from pmtui.domain.ids import Address, ConditionId
from pmtui.domain.money import Micros, group_micros
from pmtui.service.wallet.wallet_views import CallView

NameOf = Callable[[ConditionId], str]
"""A name by a condition id; empty while it is not known, else untrusted."""
MOST_NAMES = 3
"""Of the outcomes of a conversion; of the others their number is said."""


@dataclass(frozen=True, slots=True)
class MarketNames:
    """What markets are called."""

    title_of: NameOf
    """By itself."""
    outcome_of: NameOf
    """Among the outcomes of its event."""
    event_of: NameOf
    """Its event."""
    condition_of: Callable[[str, int], ConditionId | None]
    """The market of a question of a negative-risk event, by the event's id and the question's index."""


class CallWords:
    """Writes calls for the eye."""

    def __init__(self, contracts: tuple[NamedContract, ...], markets: MarketNames) -> None:
        self._names: Mapping[Address, str] = {each.address: each.name for each in contracts}
        self._markets = markets

    def view(self, call: DecodedCall) -> CallView:
        """Return a call as a front end shows it."""
        return CallView(
            target=call.target,
            contract=self.name(call.target),
            function=call.function,
            arguments=tuple((name, _in_full(value)) for name, value in call.arguments),
            words=self._sentence(call),
        )

    def name(self, address: Address) -> str:
        """Return a contract's name by our own table; its address where it has none."""
        return self._names.get(address, address)

    def _sentence(self, call: DecodedCall) -> str:
        values = dict(call.arguments)
        amount = values.get("amount")
        match call.function, amount:
            case ("approve", int()) | ("setApprovalForAll", _):
                text = self._approval(values)
            case "transfer", int():
                text = f"Send {_dollars(amount)} to {values['to']}"
            case "redeemPositions", _:
                text = f"Redeem all shares of {self._market(values)}"
            case "mergePositions", int():
                text = f"Merge {_shares(amount)} of each outcome of {self._market(values)} to cash"
            case "splitPosition", int():
                text = f"Split {_dollars(amount)} into both outcomes of {self._market(values)}"
            case "convertPositions", int():
                text = f"Convert {group_micros(Micros(amount))} No shares {self._questions(values)}"
            case _:
                text = f"Call {call.function} of {self.name(call.target)}"
        return text

    def _approval(self, values: Mapping[str, Argument]) -> str:
        amount = values.get("amount")
        who = self.name(Address(str(values.get("spender", values.get("operator")))))
        if not isinstance(amount, int):
            if values["approved"]:
                return f"Let {who} move all of your shares, now and later"
            return f"Let {who} move no shares any more"
        if not amount:
            return f"Let {who} move no cash any more"
        much = "without a limit" if is_unlimited(amount) else f"up to {_dollars(amount)}"
        return f"Let {who} move your cash, {much}"

    def _market(self, values: Mapping[str, Argument]) -> str:
        condition = ConditionId(str(values.get("conditionId", "")))
        return self._markets.title_of(condition) or f"market {condition}"

    def _questions(self, values: Mapping[str, Argument]) -> str:
        """Say which outcomes of which event, by what follows from the event's id and the bits alone."""
        chosen = _bits(values.get("indexSet"))
        event_id = str(values.get("negRiskMarketId", ""))
        conditions = [self._markets.condition_of(event_id, index) for index in chosen]
        names = [self._markets.outcome_of(each) for each in conditions if each is not None]
        if not names or len(names) != len(chosen) or not all(names):
            return f"of questions {', '.join(str(index + 1) for index in chosen)} of the event"
        first = next(each for each in conditions if each is not None)
        return f"of {join_names(names)} in {self._markets.event_of(first) or 'its event'}"


def _in_full(value: Argument) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _dollars(amount: int) -> str:
    return exact_dollars(Micros(amount))


def _shares(amount: int) -> str:
    return f"{group_micros(Micros(amount))} shares"


def join_names(names: Sequence[str]) -> str:
    """Return names as one says them, the last ones as a number where there are many."""
    shown = list(names[:MOST_NAMES])
    if len(names) > MOST_NAMES:
        shown[-1] = f"{len(names) - MOST_NAMES + 1} more"
    return " and ".join((", ".join(shown[:-1]), shown[-1])) if len(shown) > 1 else "".join(shown)


def _bits(chosen: Argument | None) -> list[int]:
    if not isinstance(chosen, int):
        return []
    return [bit for bit in range(chosen.bit_length()) if chosen >> bit & 1]
