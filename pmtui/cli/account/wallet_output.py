"""The wallet as plain lines and as JSON, for shells: cards before a question, and how everything stands."""

import msgspec

from pmtui.domain.account.onboarding import LastAnswer, is_unlimited
from pmtui.domain.account.wallet_steps import ApprovalKind, Flow, FlowKind, Settlement
from pmtui.domain.formats import exact_dollars
from pmtui.domain.money import Micros, format_micros, group_micros
from pmtui.service.wallet.wallet_views import (
    ApprovalView,
    CallView,
    Simulation,
    TransactionView,
    WalletCard,
    WalletView,
)

Json = dict[str, object]


def card_lines(card: WalletCard) -> list[str]:
    """Return a card as lines: everything that is signed, and what comes of it."""
    lines = [card.title, f"  wallet    {card.wallet}", f"  signed by {card.owner}"]
    if card.nonce is not None and card.deadline is not None:
        lines.append(f"  counter   {card.nonce}, until {card.deadline:%Y-%m-%d %H:%M:%S} UTC")
    lines.append(f"  gas       paid by {card.gas}")
    for number, call in enumerate(card.calls, 1):
        lines += _call_lines(number, call)
    if card.message:
        lines += ["  text that is signed:", *(f"    {line}" for line in card.message.split("\n"))]
    lines += [f"  {_flow(flow)}" for flow in card.flows]
    if card.simulation is Simulation.REVERTS:
        lines.append(f"  the chain would revert it: {card.revert_reason}")
    elif card.calls:
        lines.append(f"  tried on the chain: {card.simulation.value}")
    if card.simulation is Simulation.MAY_REVERT:
        lines.append(f"  it may revert: tried alone, {card.revert_reason}")
    lines += [f"  note: {warning}" for warning in card.warnings]
    if card.digest:
        lines.append(f"  digest    {card.digest}")
    return lines


def status_lines(view: WalletView) -> list[str]:
    """Return how everything stands as lines."""
    if view.owner is None:
        return [view.reason]
    lines = [f"Key     {view.owner}", f"Wallet  {view.wallet or 'not known yet'}"]
    for step in view.steps:
        text = f"  {step.kind.value:<14}{step.state.value:<10}{step.result}"
        lines.append(f"{text} (needs {step.blocked_by})" if step.blocked_by else text.rstrip())
    lines.append("Approvals")
    for each in view.approvals:
        needed = "" if each.is_needed else " (optional)"
        lines.append(f"  {each.name + ', ' + each.approval.kind.value:<38}{_allowed(each)}{needed}")
    lines += _settlement_lines(view.settlements)
    for row in view.transactions:
        at = f"{row.created_at:%Y-%m-%d %H:%M:%S}"
        lines.append(f"{at}  {row.status.value:<10}{row.title} {row.reason}".rstrip())
    for differing in view.disagreements:
        said = "; ".join(f"{who} says {what}" for who, what in differing.views)
        lines.append(f"Disagreement on {differing.subject}: {said}")
    return lines


def status_json(view: WalletView, profile: str) -> bytes:
    """Return how everything stands as JSON; amounts are decimal texts in dollars and shares."""
    body: Json = {
        "profile": profile,
        "reason": view.reason,
        "owner": view.owner,
        "wallet": view.wallet,
        "deployed": view.is_deployed,
        "wallets": [
            {
                "form": each.form.value,
                "address": each.address,
                "pays": each.is_paying,
                "relayer": _answer(each.relayer),
                "chain": _answer(each.chain),
            }
            for each in view.wallets
        ],
        "cash": None if view.cash is None else format_micros(view.cash),
        "relayer_key": view.relayer_key,
        "builder_code": view.builder_code,
        "steps": [
            {
                "step": step.kind.value,
                "state": step.state.value,
                "result": step.result,
                "needs": step.blocked_by,
            }
            for step in view.steps
        ],
        "approvals": [_approval(each) for each in view.approvals],
        "markets": [_settlement(each) for each in view.settlements],
        "transactions": [_transaction(each) for each in view.transactions],
        "disagreements": [
            {"subject": each.subject, "views": dict(each.views), "believed": each.believed}
            for each in view.disagreements
        ],
    }
    return msgspec.json.format(msgspec.json.encode(body), indent=2)


def card_json(card: WalletCard) -> bytes:
    """Return a card as JSON."""
    body: Json = {
        "title": card.title,
        "owner": card.owner,
        "wallet": card.wallet,
        "nonce": card.nonce,
        "deadline": card.deadline,
        "digest": card.digest,
        "gas": card.gas,
        "message": card.message,
        "calls": [
            {
                "target": call.target,
                "contract": call.contract,
                "function": call.function,
                "arguments": dict(call.arguments),
                "words": call.words,
            }
            for call in card.calls
        ],
        "flows": [
            {"kind": flow.kind.value, "amount": format_micros(flow.amount), "what": flow.label}
            for flow in card.flows
        ],
        "simulation": card.simulation.value,
        "revert_reason": card.revert_reason,
        "warnings": card.warnings,
    }
    return msgspec.json.format(msgspec.json.encode(body), indent=2)


def _call_lines(number: int, call: CallView) -> list[str]:
    lines = [f"  {number}. {call.words}", f"     {call.function} of {call.contract} {call.target}"]
    return lines + [f"       {name} = {value}" for name, value in call.arguments]


def _flow(flow: Flow) -> str:
    sign = "−" if flow.amount < 0 else "+"
    amount = group_micros(Micros(abs(flow.amount)))
    if flow.kind is FlowKind.CASH:
        return f"{sign} {exact_dollars(Micros(abs(flow.amount)))}"
    return f"{sign} {amount} shares of {flow.label or 'the other outcome'}"


def _allowed(each: ApprovalView) -> str:
    amount = each.allowed.value
    if amount is None:
        return "not known"
    if not amount:
        return "no"
    if each.approval.kind is ApprovalKind.SHARES:
        return "all"
    return "unlimited" if is_unlimited(amount) else f"up to {exact_dollars(Micros(amount))}"


def _settlement_lines(settlements: tuple[Settlement, ...]) -> list[str]:
    lines = []
    for each in settlements:
        if each.is_resolved:
            text = f"redeem  {exact_dollars(each.redeems)}"
        elif each.mergeable:
            text = f"merge   up to {group_micros(each.mergeable)} of each"
        else:
            continue
        lines.append(f"{text}  {each.title}  {each.condition_id}")
    return lines


def _answer(told: LastAnswer[bool]) -> Json:
    return {"value": told.value, "as_of": told.as_of, "problem": told.problem}


def _approval(each: ApprovalView) -> Json:
    amount = each.allowed.value
    return {
        "name": each.name,
        "contract": each.approval.contract,
        "kind": each.approval.kind.value,
        "purpose": each.purpose,
        "needed": each.is_needed,
        # Beyond 64 bits, which most readers of JSON do not have.
        "allowed": None if amount is None else str(amount),
    }


def _settlement(each: Settlement) -> Json:
    return {
        "condition_id": each.condition_id,
        "title": each.title,
        "resolved": each.is_resolved,
        "redeems": format_micros(each.redeems),
        "mergeable": format_micros(each.mergeable),
        "convertible": format_micros(each.convertible),
        "outcomes": [
            {
                "token_id": outcome.token_id,
                "label": outcome.label,
                "size": format_micros(outcome.size),
                "standing": outcome.standing.value,
            }
            for outcome in each.outcomes
        ],
    }


def _transaction(each: TransactionView) -> Json:
    return {
        "title": each.title,
        "status": each.status.value,
        "state": each.relayer_state,
        "id": each.transaction_id,
        "hash": each.hash,
        "nonce": each.nonce,
        "created_at": each.created_at,
        "changed_at": each.changed_at,
        "reason": each.reason,
        "calls": [call.words for call in each.calls],
        "ours": each.is_ours,
    }
