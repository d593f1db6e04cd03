"""The account screen's lines: every step and every rule in force, with its result.

Pure, and holds no secrets: only addresses and the first digits of an id.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from types import MappingProxyType

from pmtui.domain.account.keys import KeyKind
from pmtui.domain.account.onboarding import (
    Onboarding,
    SetupState,
    SetupStep,
    StepStatus,
    is_unlimited,
    step_statuses,
)
from pmtui.domain.formats import shorten_id
from pmtui.domain.money import Micros
from pmtui.domain.orders.heartbeat import BeatState, HeartbeatView
from pmtui.service.views import Mode, StatusView
from pmtui.service.wallet.wallet_views import NO_WALLET, WalletView
from pmtui.ui.account.account_line import AccountLine
from pmtui.ui.account.account_words import (
    ALLOWANCES,
    FORMS,
    KEY_KINDS,
    PAPER_MEANINGS,
    SIGNATURES,
    WORDS,
    Rule,
    Words,
)
from pmtui.ui.account.wallet_lines import with_wallet
from pmtui.ui.format import format_money, write_moment
from pmtui.ui.plain import plain

ASKED = "not loaded yet"
PAPER_SPENT = "Play money is given once, when the paper account is made; what it held is spent."
PAYS_ITSELF = "the key pays by itself: no contract"
_Result = tuple[str, str]
"""A short text, and a full one where there is more to show."""
_BEATS = {
    BeatState.STARTING: (SetupState.NOT_KNOWN, "sent, none accepted yet"),
    BeatState.BEATING: (SetupState.DONE, "accepted"),
    BeatState.LATE: (SetupState.NOT_DONE, "LATE: one failed"),
    BeatState.LOST: (SetupState.NOT_DONE, "LOST: the venue cancels every order of the key"),
}


def account_lines(
    facts: Onboarding, status: StatusView, wallet: WalletView = NO_WALLET
) -> tuple[AccountLine, ...]:
    """Return all lines: the steps with what can be done about them, then the rules in force."""
    steps = [
        replace(_step(stand, facts), number=number)
        for number, stand in enumerate(step_statuses(facts), 1)
    ]
    lines = (
        *steps,
        _signing(facts),
        _rule(Rule.BUILDER, SetupState.NOT_NEEDED, "none: orders credit nobody"),
        _limits(facts),
        _entry(status),
        _heartbeat(status.heartbeat),
        _rule(Rule.TRANSACTIONS, SetupState.NOT_KNOWN, "not asked: no deposit wallet here"),
    )
    return with_wallet(lines, wallet)


def _step(stand: StepStatus, facts: Onboarding) -> AccountLine:
    words = _words(stand, facts)
    result, full = _RESULTS[stand.step](stand, facts)
    return AccountLine(
        key=stand.name,
        words=words,
        state=stand.state,
        result=result,
        full=full or result,
        as_of=stand.as_of,
        problem=plain(stand.problem, 160),
        asked_at=stand.asked_at,
        to_do=_to_do(stand, facts, words),
        copied=_copied(stand, facts),
        is_needed=stand.is_needed,
    )


def _words(stand: StepStatus, facts: Onboarding) -> Words:
    words = ALLOWANCES[stand.spender.purpose] if stand.spender else WORDS[stand.step]
    is_paper = facts.identity is not None and facts.identity.kind is KeyKind.PAPER
    if is_paper and stand.step in PAPER_MEANINGS:
        return words._replace(meaning=PAPER_MEANINGS[stand.step])
    return words


def _place(_: StepStatus, facts: Onboarding) -> _Result:
    location = facts.place.value
    if location is None:
        return ASKED, ""
    place = plain(" ".join(filter(None, (location.country, location.region))), 20) or "somewhere"
    text = "BLOCKED by the venue" if location.is_blocked else "not blocked"
    return f"{place}: {text}", ""


def _key(_: StepStatus, facts: Onboarding) -> _Result:
    identity = facts.identity
    if identity is None:
        return (plain(facts.key_problem, 80) or "being loaded"), ""
    kind = KEY_KINDS[identity.kind]
    return f"{shorten_id(identity.signer)} {kind}", f"{identity.signer} ({kind})"


def _wallet(_: StepStatus, facts: Onboarding) -> _Result:
    wallet = facts.wallet
    if wallet is not None:
        form, how = FORMS[wallet.form]
        return f"{shorten_id(wallet.address)} {form}", f"{wallet.address}, {form}: {how}"
    candidates = facts.identity.wallets if facts.identity is not None else ()
    either = " or ".join(each.address for each in candidates)
    return _unknown(facts), f"one of two deposit wallets: {either}" if either else ""


def _deployed(stand: StepStatus, facts: Onboarding) -> _Result:
    if stand.state is SetupState.NOT_NEEDED:
        return PAYS_ITSELF, ""
    is_deployed = facts.deployed_answer.value
    if is_deployed is None:
        return _unknown(facts), ""
    if not is_deployed and facts.code.value:
        return "not seen by the relayer; deployed on chain", ""
    return ("deployed, says the relayer" if is_deployed else "not deployed, says the relayer"), ""


def _code(stand: StepStatus, facts: Onboarding) -> _Result:
    if stand.state is SetupState.NOT_NEEDED:
        return PAYS_ITSELF, ""
    if facts.code.value is not None:
        return ("contract at the address" if facts.code.value else "no contract there"), ""
    if facts.identity is not None and facts.code_unasked:
        return f"not asked: {facts.code_unasked}", ""
    return _unknown(facts, wants_wallet=True), ""


def _credentials(_: StepStatus, facts: Onboarding) -> _Result:
    key = facts.trading_key
    if key is None:
        return _unknown(facts), ""
    shown = f"id {plain(key.shown, 9)}"
    at = write_moment(key.obtained_at)
    return f"present, {shown}", f"present, {shown}, created or fetched {at}"


def _allowance(stand: StepStatus, facts: Onboarding) -> _Result:
    assert stand.spender is not None
    if stand.amount is None:
        text = (
            "none listed by the trading host"
            if facts.balance.value is not None
            else _unknown(facts)
        )
        return text, f"{text}; the contract is {stand.spender.address}"
    if is_unlimited(stand.amount):
        text = "unlimited"
    else:
        text = format_money(Micros(stand.amount)) if stand.amount else "none"
    # An older host does not name the contract of its one allowance.
    address = plain(stand.spender.address, 42) or "an unnamed contract"
    return f"{text} to {shorten_id(address)}", f"{text} to {address}"


def _standing(_: StepStatus, facts: Onboarding) -> _Result:
    value = facts.closed_only.value
    if value is None:
        return _unknown(facts), ""
    return ("close-only" if value else "may open positions"), ""


def _relayer_key(_: StepStatus, __: Onboarding) -> _Result:
    return "none", ""


def _balance(_: StepStatus, facts: Onboarding) -> _Result:
    balance = facts.balance.value
    return (_unknown(facts) if balance is None else format_money(balance.balance)), ""


_RESULTS: Mapping[SetupStep, Callable[[StepStatus, Onboarding], _Result]] = MappingProxyType(
    {
        SetupStep.PLACE: _place,
        SetupStep.KEY: _key,
        SetupStep.WALLET: _wallet,
        SetupStep.DEPLOYED: _deployed,
        SetupStep.CODE: _code,
        SetupStep.CREDENTIALS: _credentials,
        SetupStep.STANDING: _standing,
        SetupStep.RELAYER_KEY: _relayer_key,
        SetupStep.ALLOWANCE: _allowance,
        SetupStep.BALANCE: _balance,
    }
)


def _unknown(facts: Onboarding, *, wants_wallet: bool = False) -> str:
    if facts.identity is None and facts.key_problem:
        return "needs a key first"
    if wants_wallet and facts.wallet is None:
        return "the wallet is not known yet"
    if facts.identity is not None and facts.trading_key is None and facts.account_problem:
        return "the account is not open"
    return ASKED


def _to_do(stand: StepStatus, facts: Onboarding, words: Words) -> str:
    if stand.step is SetupStep.KEY and stand.state is SetupState.NOT_DONE:
        return describe_remedy(facts)
    if facts.identity is None or stand.state is not SetupState.NOT_DONE:
        return (
            words.missing
            if stand.step is SetupStep.PLACE and stand.state is SetupState.NOT_DONE
            else ""
        )
    if stand.step is SetupStep.BALANCE and facts.identity.kind is KeyKind.PAPER:
        return PAPER_SPENT
    return words.missing


def describe_remedy_briefly(facts: Onboarding) -> str:
    """Return the same remedy in one line for a small screen."""
    if facts.other_remedy:
        return f"`{facts.remedy}` makes a key; `import` takes yours."
    return describe_remedy(facts)


def describe_remedy(facts: Onboarding) -> str:
    """Return which command adds the missing key."""
    command = facts.remedy
    if not command:
        return "Start this profile again once that is over." if facts.key_problem else ""
    if facts.other_remedy:
        return f"Leave, and run `{command}`; `{facts.other_remedy}` takes a key you have."
    return f"Leave, and run `{command}`: it asks for the passphrase."


def _copied(stand: StepStatus, facts: Onboarding) -> tuple[str, str]:
    wallet = facts.wallet
    match stand.step:
        case SetupStep.KEY:
            if facts.identity is None:
                return ("command", facts.remedy) if facts.remedy else ("", "")
            return "address", facts.identity.signer
        case SetupStep.WALLET | SetupStep.DEPLOYED | SetupStep.CODE | SetupStep.BALANCE:
            return ("address", wallet.address) if wallet is not None else ("", "")
        case SetupStep.ALLOWANCE:
            return ("address", stand.spender.address) if stand.spender else ("", "")
        case _:
            return "", ""


def _rule(
    rule: Rule, state: SetupState, result: str, *, as_of: datetime | None = None
) -> AccountLine:
    return AccountLine(rule.value, WORDS[rule], state, result, result, as_of)


def _signing(facts: Onboarding) -> AccountLine:
    if facts.identity is None:
        return _rule(Rule.SIGNING, SetupState.NOT_KNOWN, _unknown(facts))
    kind = facts.identity.signature_type
    return _rule(Rule.SIGNING, SetupState.DONE, f"type {kind.number}, {SIGNATURES[kind]}")


def _limits(facts: Onboarding) -> AccountLine:
    limits = facts.limits
    named = (
        ("order", limits.order), ("market", limits.market), ("all", limits.total),
        ("day's loss", limits.daily_loss),
    )  # fmt: skip
    text = ", ".join(f"{name} {format_money(limit)}" for name, limit in named if limit is not None)
    state = SetupState.DONE if text else SetupState.NOT_NEEDED
    return _rule(Rule.LIMITS, state, text or "none set")


def _entry(status: StatusView) -> AccountLine:
    if status.mode is Mode.READ_ONLY:
        reason = plain(status.mode_reason, 80) or "no key"
        return _rule(Rule.ENTRY, SetupState.NOT_DONE, f"READ-ONLY: {reason}")
    if status.kill_lock:
        reason = plain(status.kill_lock, 120)
        return _rule(Rule.ENTRY, SetupState.NOT_DONE, reason)
    return _rule(Rule.ENTRY, SetupState.DONE, "open")


def _heartbeat(view: HeartbeatView) -> AccountLine:
    if view.state is BeatState.OFF:
        text = f"none sent (`heartbeat` is {view.policy.value})"
        return _rule(Rule.HEARTBEAT, SetupState.NOT_NEEDED, text)
    state, text = _BEATS[view.state]
    return _rule(Rule.HEARTBEAT, state, text, as_of=view.accepted_at)
