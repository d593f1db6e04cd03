"""Turns a wallet step into its calls, and into the card that shows them.

The card shows each call in a sentence and in full, decoded from the bytes that are signed. A step without its
prerequisites is refused here, with the remedy; a revert predicted by the chain is shown on the card.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import assert_never

from pmtui.domain.account.onboarding import is_unlimited
from pmtui.domain.account.wallet_steps import (
    UNLIMITED_APPROVAL,
    Approval,
    ApprovalKind,
    Approve,
    BatchStep,
    ContractKind,
    Convert,
    Flow,
    Merge,
    NamedContract,
    Redeem,
    Revoke,
    Send,
    Settlement,
    Split,
    cash,
    convert_flows,
    merge_flows,
    redeem_flows,
    split_flows,
)
from pmtui.domain.account.wallet_transactions import Argument, ContractCall, DecodedCall
from pmtui.domain.formats import count, exact_dollars
from pmtui.domain.ids import Address, ConditionId
from pmtui.domain.money import Micros, group_micros
from pmtui.domain.orders.order import Rejected
from pmtui.service.ports import CallTable, Hosts, WalletAccess
from pmtui.service.wallet.settlements import Settlements
from pmtui.service.wallet.transactions import PreparedBatch
from pmtui.service.wallet.wallet_views import CallView, PreparedId, WalletCard

NameOf = Callable[[ConditionId], str]
"""A name by condition id; empty while unknown, else untrusted."""
MOST_NAMES = 3
"""Names of a conversion's outcomes; the others are only counted."""


@dataclass(frozen=True, slots=True)
class MarketNames:
    """Names of markets."""

    title_of: NameOf
    """The market's own title."""
    outcome_of: NameOf
    """Its name among the outcomes of its event."""
    event_of: NameOf
    """The title of its event."""
    condition_of: Callable[[str, int], ConditionId | None]
    """The market of a question in a negative-risk event, by the event's id and the question's index."""


class CallWords:
    """Describes calls for display."""

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
        """Return a contract's name from our own table; its address if it has none."""
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
        """Describe which outcomes of which event are converted, using only the event's id and the bits."""
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
    """Return names as a phrase, with a count in place of the last ones if there are many."""
    shown = list(names[:MOST_NAMES])
    if len(names) > MOST_NAMES:
        shown[-1] = f"{len(names) - MOST_NAMES + 1} more"
    return " and ".join((", ".join(shown[:-1]), shown[-1])) if len(shown) > 1 else "".join(shown)


def _bits(chosen: Argument | None) -> list[int]:
    if not isinstance(chosen, int):
        return []
    return [bit for bit in range(chosen.bit_length()) if chosen >> bit & 1]


GAS = "the relayer"
MOST_CALLS = 50
"""Calls in one batch."""
NOT_DEPLOYED = "The deposit wallet is not deployed yet: deploy it first"
NO_RELAYER_KEY = "There is no relayer key yet: make one first"


@dataclass(frozen=True, slots=True)
class Plan:
    """The calls of a step, before anything is fixed."""

    title: str
    calls: tuple[ContractCall, ...]
    flows: tuple[Flow, ...] = ()
    warnings: tuple[str, ...] = ()


class StepPlanner:
    """Turns steps into calls."""

    def __init__(self, settlements: Settlements) -> None:
        self._facts = settlements.facts
        self._settlements = settlements

    async def plan(
        self, step: BatchStep, hosts: Hosts, sent_to: Sequence[Address]
    ) -> Plan | Rejected:
        """Return the calls of a step, or why it is impossible.

        Args:
            step: the requested step.
            hosts: queried about unknown markets.
            sent_to: addresses that received cash before.
        """
        access = self._facts.access
        if access is None:
            return Rejected("This session has no wallet")
        table = access.table
        match step:
            case Approve():
                return self._approve(table, step)
            case Revoke():
                return self._revoke(table, step)
            case Redeem():
                return self._redeem(table, step)
            case Merge():
                return self._merge(table, step)
            case Split():
                return await self._split(table, step, hosts)
            case Convert():
                return await self._convert(table, step, hosts)
            case Send():
                return self._send(table, step, sent_to)
            case _ as never:
                assert_never(never)

    def _approve(self, table: CallTable, step: Approve) -> Plan | Rejected:
        names = {each.address: each for each in table.contracts}
        if problem := _why_no_approvals(table, step.approvals):
            return Rejected(problem)
        if step.amount <= 0 or step.amount > UNLIMITED_APPROVAL:
            return Rejected("Amount must be greater than zero", "amount")
        warnings = []
        for each in step.approvals:
            contract = names[each.contract]
            if each.kind is ApprovalKind.SHARES:
                continue
            if step.amount != UNLIMITED_APPROVAL and contract.kind is ContractKind.EXCHANGE:
                return Rejected(
                    f"The relayer takes only an unlimited approval for the {contract.name}",
                    "amount",
                )
        if any(
            each.kind is ApprovalKind.SHARES or step.amount == UNLIMITED_APPROVAL
            for each in step.approvals
        ):
            warnings.append("Approvals without a limit hold until they are revoked")
        calls = tuple(table.allow(each, step.amount) for each in step.approvals)
        return Plan(f"Approve {_names(table, step.approvals)}", calls, warnings=tuple(warnings))

    def _revoke(self, table: CallTable, step: Revoke) -> Plan | Rejected:
        if problem := _why_no_approvals(table, step.approvals):
            return Rejected(problem)
        calls = tuple(table.allow(each, 0) for each in step.approvals)
        needed = {approval for approval, is_needed in table.approvals if is_needed}
        warning = "Orders and redeeming may fail without it"
        return Plan(
            f"Revoke {_names(table, step.approvals)}",
            calls,
            warnings=(warning,) if needed & set(step.approvals) else (),
        )

    def _redeem(self, table: CallTable, step: Redeem) -> Plan | Rejected:
        conditions = step.conditions or tuple(
            each.condition_id for each in self._settlements.held() if each.is_resolved
        )
        if not conditions:
            return Rejected("Nothing that you hold can be redeemed")
        if len(conditions) > MOST_CALLS:
            conditions = conditions[:MOST_CALLS]
        found: list[Settlement] = []
        for condition_id in dict.fromkeys(conditions):
            market = self._settlements.proved(condition_id)
            if isinstance(market, Rejected):
                return market
            if not market.is_resolved:
                return Rejected(f"“{market.title}” is not resolved yet")
            found.append(market)
        for market in found:
            if problem := self._why_not_moved(table, market, ApprovalKind.SHARES):
                return Rejected(problem)
        calls = tuple(table.redeem(each.condition_id, neg_risk=each.neg_risk) for each in found)
        moved = tuple(flow for each in found for flow in redeem_flows(each))
        title = found[0].title if len(found) == 1 else count(len(found), "market")
        lost = [each for each in found if not each.redeems]
        nothing = "It pays nothing" if len(found) == 1 else f"{len(lost)} of them pay nothing"
        warnings = (nothing,) if lost else ()
        return Plan(f"Redeem {title}", calls, moved, warnings)

    def _merge(self, table: CallTable, step: Merge) -> Plan | Rejected:
        market = self._settlements.proved(step.condition_id)
        if isinstance(market, Rejected):
            return market
        if market.is_resolved:
            return Rejected("This market is resolved: redeem its shares")
        if not 0 < step.amount <= market.mergeable:
            most = group_micros(market.mergeable)
            return Rejected(f"Merge up to {most} shares of each", "amount")
        if problem := self._why_not_moved(table, market, ApprovalKind.SHARES):
            return Rejected(problem)
        call = table.merge(market.condition_id, step.amount, neg_risk=market.neg_risk)
        return Plan(f"Merge {market.title}", (call,), merge_flows(market, step.amount))

    async def _split(self, table: CallTable, step: Split, hosts: Hosts) -> Plan | Rejected:
        if step.amount <= 0:
            return Rejected("Amount must be greater than zero", "amount")
        market = await self._settlements.find(step.condition_id, hosts)
        if isinstance(market, Rejected):
            return market
        if problem := self._why_not_moved(table, market, ApprovalKind.CASH, least=step.amount):
            return Rejected(problem)
        call = table.split(market.condition_id, step.amount, neg_risk=market.neg_risk)
        moved = split_flows(market.outcomes, step.amount, market.title)
        return Plan(f"Split into {market.title}", (call,), moved)

    async def _convert(self, table: CallTable, step: Convert, hosts: Hosts) -> Plan | Rejected:
        if step.amount <= 0:
            return Rejected("Amount must be greater than zero", "amount")
        plan = await self._settlements.plan_conversion(step.conditions, hosts)
        if isinstance(plan, Rejected):
            return plan
        held = {each.condition_id: each.convertible for each in self._settlements.held()}
        for market in plan.given:
            if held.get(market.condition_id, 0) < step.amount:
                return Rejected(f"You hold fewer No shares of “{market.title}”", "amount")
        if problem := self._why_not_moved(table, plan.given[0], ApprovalKind.SHARES):
            return Rejected(problem)
        call = table.convert(plan.neg_risk_id, plan.questions, step.amount)
        return Plan(
            f"Convert No of {join_names(plan.outcomes)} in {plan.event}",
            (call,),
            convert_flows(plan.given, plan.received, step.amount),
            ("The venue may keep a fee of what comes out",),
        )

    def _send(self, table: CallTable, step: Send, sent_to: Sequence[Address]) -> Plan | Rejected:
        recipient = table.to_address(step.recipient)
        if recipient is None:
            return Rejected("Not an address, or one with a mistyped letter", "recipient")
        if step.amount <= 0:
            return Rejected("Amount must be greater than zero", "amount")
        own = {each.address for each in table.contracts}
        if recipient in own or recipient == self._facts.paying or not int(recipient, 16):
            return Rejected("Cash sent to this address would be lost or come back", "recipient")
        warnings = ["What is sent cannot be called back"]
        if recipient not in sent_to:
            warnings.append("You have never sent to this address before: compare every letter")
        call = table.send(recipient, step.amount)
        title = f"Send {exact_dollars(step.amount)} to {recipient}"
        return Plan(title, (call,), (cash(-step.amount),), tuple(warnings))

    def _why_not_moved(
        self, table: CallTable, market: Settlement, kind: ApprovalKind, least: int = 1
    ) -> str:
        """Return which approval a market's adapter is missing; empty if none, or if it is not known."""
        adapter = table.adapter(neg_risk=market.neg_risk)
        answer = self._facts.allowed.get(Approval(adapter, kind))
        if answer is None or answer.value is None or answer.value >= least:
            return ""
        name = next(each.name for each in table.contracts if each.address == adapter)
        what = "cash" if kind is ApprovalKind.CASH else "shares"
        return f"The {name} may not move your {what}: approve it first"


def card_of_batch(
    step: BatchStep, plan: Plan, prepared: PreparedBatch, *, access: WalletAccess, words: CallWords
) -> WalletCard:  # fmt: skip
    """Return the card of a batch; its calls are decoded from the bytes."""
    return WalletCard(
        prepared_id=PreparedId(prepared.digest),
        step=step,
        title=plan.title,
        owner=access.signer.owner,
        wallet=prepared.batch.wallet,
        gas=GAS,
        calls=tuple(map(words.view, prepared.meaning)),
        nonce=prepared.batch.nonce,
        deadline=datetime.fromtimestamp(prepared.batch.deadline_s, UTC),
        digest=prepared.digest,
        flows=plan.flows,
        simulation=prepared.simulation,
        revert_reason=prepared.warning,
        warnings=plan.warnings,
    )


def least_cash(plan: Plan) -> Micros:
    """Return the cash that a plan takes out of the wallet."""
    moved = sum(each.amount for each in plan.flows if each.kind.value == "cash")
    return Micros(max(-moved, 0))


def _why_no_approvals(table: CallTable, wanted: Sequence[Approval]) -> str:
    offered = {approval for approval, _ in table.approvals}
    if not wanted:
        return "Name at least one contract"
    if not set(wanted) <= offered or len(set(wanted)) != len(wanted):
        return "Only contracts of the venue's own list can be approved, each once"
    return ""


def _names(table: CallTable, approvals: Sequence[Approval]) -> str:
    names = {each.address: each.name for each in table.contracts}
    if len(approvals) > 1:
        return count(len(approvals), "contract")
    return f"{names[approvals[0].contract]} ({approvals[0].kind.value})"
