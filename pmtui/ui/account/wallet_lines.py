"""The account lines for a deposit wallet: what each step is, does and undoes.

Pure: the service reports the state of each step and prepares what is signed.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from pmtui.domain.account.keys import NO_BUILDER, BuilderKey
from pmtui.domain.account.onboarding import SetupState, SetupStep, is_unlimited
from pmtui.domain.account.wallet_steps import (
    ApprovalKind,
    Approve,
    MintBuilderKey,
    MintRelayerKey,
    Revoke,
    RevokeBuilderKey,
)
from pmtui.domain.account.wallet_transactions import TransactionStatus
from pmtui.domain.formats import count, shorten_id
from pmtui.domain.money import Micros
from pmtui.service.views import Load
from pmtui.service.wallet.wallet_views import (
    ApprovalView,
    StepKind,
    StepState,
    ViewsDiffer,
    WalletStepView,
    WalletView,
)
from pmtui.ui.account.account_line import AccountLine
from pmtui.ui.account.account_words import Rule, Words
from pmtui.ui.format import format_money
from pmtui.ui.plain import plain

_STATES = {
    StepState.DONE: SetupState.DONE,
    StepState.TO_DO: SetupState.NOT_DONE,
    StepState.RUNNING: SetupState.NOT_KNOWN,
    StepState.FAILED: SetupState.NOT_DONE,
    StepState.UNKNOWN: SetupState.NOT_KNOWN,
    StepState.OPTIONAL: SetupState.NOT_NEEDED,
}
_ORDER = tuple(
    step.value
    for step in (
        SetupStep.PLACE, SetupStep.KEY, SetupStep.CREDENTIALS, SetupStep.RELAYER_KEY, SetupStep.WALLET, SetupStep.DEPLOYED,
        SetupStep.CODE, SetupStep.ALLOWANCE, SetupStep.BALANCE, SetupStep.STANDING,
    )
)  # fmt: skip
"""The order of the steps (docs/wire.md#onboarding): a key comes before the steps that need it."""
_LONGEST = 160
_SHOWN_OF_KEY = 8
NOT_FOR_TRADING = "Trading does not need it; redeeming, approving and sending do."
ALL_APPROVED = "all that is needed"
NOT_SEEN = "not seen by the relayer; deployed on chain"
LOG_IN = "Trading needs a login: your key signs it, and it moves no money."
APPROVALS = "approvals"
"""The prefix of every approval line's key."""
_SIGNING = {
    ApprovalKind.CASH: "approve(this contract, an amount) on the dollar's own contract (pUSD), in "
    "a batch that your key signs for the wallet.",
    ApprovalKind.SHARES: "setApprovalForAll(this contract) on the contract that keeps all outcome "
    "shares, in a batch that your key signs for the wallet.",
}


def with_wallet(lines: Sequence[AccountLine], view: WalletView) -> tuple[AccountLine, ...]:
    """Return the account lines, completed from the wallet's state and with their actions.

    Returns the lines unchanged when no wallet can be used.
    """
    if view.load not in (Load.READY, Load.LOADING) or view.reason:
        return tuple(lines)
    changed: list[AccountLine] = []
    are_approvals_in = False
    for line in sorted(lines, key=_place_of):
        if line.key.startswith(SetupStep.ALLOWANCE.value):
            if not are_approvals_in and view.approvals:
                changed += _approvals(view)
                are_approvals_in = True
            if not view.approvals:
                changed.append(line)
            continue
        changed.append(_changed(line, view))
        if line.key == SetupStep.CODE.value:
            changed += [_disagreement(each) for each in view.disagreements]
        if line.key == Rule.BUILDER.value:
            changed += [_builder_key(key) for key in view.builder_keys]
    return _numbered(changed)


def _place_of(line: AccountLine) -> int:
    """Return the sort position of a line: keys first, then the wallet and its approvals."""
    name = SetupStep.ALLOWANCE.value if line.key.startswith(SetupStep.ALLOWANCE.value) else line.key
    return _ORDER.index(name) if name in _ORDER else len(_ORDER)


def _changed(line: AccountLine, view: WalletView) -> AccountLine:  # noqa: PLR0911 - a line each
    match line.key:
        case SetupStep.PLACE.value:
            return replace(line, refreshes=True)
        case SetupStep.CREDENTIALS.value:
            step = view.step(StepKind.CREDENTIALS)
            return line if step is None else _credentials(line, step)
        case SetupStep.RELAYER_KEY.value:
            return _relayer_key(line, view)
        case SetupStep.DEPLOYED.value:
            return _deployed(line, view)
        case SetupStep.CODE.value:
            return _code(line, view)
        case SetupStep.BALANCE.value:
            return replace(line, refreshes=True)
        case Rule.BUILDER.value:
            return _builder(line, view)
        case Rule.TRANSACTIONS.value:
            return _transactions(line, view)
        case _:
            return line


def _with_step(line: AccountLine, step: WalletStepView, *, label: str) -> AccountLine:
    state = _STATES[step.state]
    result = plain(step.result, _LONGEST)
    is_failed = step.state is StepState.FAILED
    is_said = step.state is not StepState.DONE and bool(result)
    blocked = f"Needs {plain(step.blocked_by, 60)} first." if step.blocked_by else ""
    return replace(
        line,
        state=state,
        is_running=step.state is StepState.RUNNING,
        result=(f"failed: {result}" if is_failed else result) if is_said else line.result,
        full=(f"failed: {result}" if is_failed else result) if is_said else line.full,
        as_of=step.as_of or line.as_of,
        does=None if step.blocked_by else step.step,
        label=label,
        to_do=blocked,
        transaction=step.transaction,
    )


def _deployed(line: AccountLine, view: WalletView) -> AccountLine:
    """Return the line with a pending deployment, else with the relayer's report on the wallet."""
    step = view.step(StepKind.DEPLOY)
    if step is None:
        return line
    done = _with_step(line, step, label="Deploy")
    if step.transaction is not None and step.state is not StepState.DONE:
        return done
    paying = next((each for each in view.wallets if each.is_paying), None)
    if paying is None or paying.relayer.value is None:
        return done
    result = "deployed, says the relayer" if paying.relayer.value else NOT_SEEN
    if not paying.is_deployed:
        result = "not deployed, says the relayer"
    return replace(done, result=result, full=result, as_of=paying.relayer.as_of)


def _code(line: AccountLine, view: WalletView) -> AccountLine:
    paying = next((each for each in view.wallets if each.is_paying), None)
    if paying is None or paying.chain.value is None:
        return line
    is_there = paying.chain.value
    result = "contract at the address" if is_there else "no contract there"
    states = {True: SetupState.DONE, False: SetupState.NOT_DONE}
    return replace(
        line, state=states[is_there], result=result, full=result, as_of=paying.chain.as_of,
        problem=plain(paying.chain.problem, _LONGEST), asked_at=paying.chain.asked_at,
    )  # fmt: skip


def _credentials(line: AccountLine, step: WalletStepView) -> AccountLine:
    done = _with_step(line, step, label="Log in")
    if step.state is StepState.TO_DO:
        done = replace(done, result="none yet", full="none yet", to_do=LOG_IN)
    return done


def _relayer_key(line: AccountLine, view: WalletView) -> AccountLine:
    step = view.step(StepKind.RELAYER_KEY)
    if step is None:
        return line
    words = line.words._replace(missing="Deploying, approving and redeeming wait for it.")
    done = _with_step(replace(line, words=words), step, label="Make a key")
    result = f"present, id {plain(view.relayer_key, 12)}" if view.relayer_key else "none yet"
    done = replace(done, result=result, full=result, does=done.does or MintRelayerKey())
    if view.relayer_key:
        return done
    if view.is_deployed and not view.missing_approvals():
        # Trading works without a relayer key; actions that go through the relayer ask for it.
        return replace(done, state=SetupState.NOT_NEEDED, to_do=NOT_FOR_TRADING)
    return replace(done, to_do=words.missing, is_needed=True)


def _approvals(view: WalletView) -> Iterable[AccountLine]:
    step = view.step(StepKind.APPROVE)
    blocked = step.blocked_by if step is not None else ""
    yield _missing(view, step)
    for each in view.approvals:
        yield _approval(each, blocked)


def _missing(view: WalletView, step: WalletStepView | None) -> AccountLine:
    missing = view.missing_approvals()
    words = Words(
        "Approvals",
        "What the venue's contracts may move of the wallet. Without these orders are refused, and "
        "shares cannot be redeemed or merged.",
        "One batch that your key signs for the wallet, with a call for each contract below.",
    )
    result = f"{count(len(missing), 'is', 'are')} missing" if missing else ALL_APPROVED
    line = AccountLine(APPROVALS, words, SetupState.NOT_DONE, result, result)
    if step is None:
        return line
    if step.state is StepState.UNKNOWN and step.transaction is None and not missing:
        result = "not told yet"
    done = _with_step(line, step, label="Approve all")
    return replace(done, result=result if not done.is_running else done.result, is_needed=True)


def _approval(shown: ApprovalView, blocked: str) -> AccountLine:
    approval, allowed = shown.approval, shown.allowed
    is_cash = approval.kind is ApprovalKind.CASH
    words = Words(
        "Approve cash" if is_cash else "Approve shares",
        f"{plain(shown.name)}: {plain(shown.purpose)}. It may move "
        f"{'pUSD up to an amount' if is_cash else 'every outcome share'} of the wallet.",
        _SIGNING[approval.kind],
    )
    is_allowed = shown.is_allowed
    state = SetupState.NOT_NEEDED
    if shown.is_needed or is_allowed:
        states = {True: SetupState.DONE, False: SetupState.NOT_DONE}
        state = states.get(bool(is_allowed), state)
    if is_allowed is None:
        state = SetupState.NOT_KNOWN
    result = _describe_allowed(shown)
    return AccountLine(
        key=f"{APPROVALS} {approval.kind.value} {approval.contract}",
        words=words,
        state=state,
        result=f"{result}: {plain(shown.name)} {shorten_id(approval.contract)}",
        full=f"{result}: {plain(shown.name)} {approval.contract}",
        as_of=allowed.as_of,
        problem=plain(allowed.problem, _LONGEST),
        asked_at=allowed.asked_at,
        to_do=f"Needs {plain(blocked, 60)} first." if blocked and not is_allowed else "",
        copied=("address", approval.contract),
        does=None if blocked else Approve((approval,)),
        undoes=Revoke((approval,)) if is_allowed else None,
        label="Approve",
        exact=shown if is_cash and not blocked else None,
        is_needed=shown.is_needed,
    )


def _describe_allowed(shown: ApprovalView) -> str:
    amount = shown.allowed.value
    if amount is None:
        return "not told yet"
    if shown.approval.kind is ApprovalKind.SHARES:
        return "all shares" if amount else "none"
    if is_unlimited(amount):
        return "unlimited"
    return format_money(Micros(amount)) if amount else "none"


def _disagreement(difference: ViewsDiffer) -> AccountLine:
    subject = plain(difference.subject, 60)
    views = "; ".join(f"{plain(who, 40)} says {plain(what, 60)}" for who, what in difference.views)
    believed = f"{plain(difference.believed, 40)} is believed"
    words = Words(
        "Hosts disagree",
        "They cannot all be right. One may lag behind the other: a difference that stays is a reason "
        "to sign nothing.",
    )
    text = f"{subject}: {views}; {believed}"
    return AccountLine(
        f"differs {subject}", words, SetupState.NOT_KNOWN, text, text, refreshes=True
    )


def _builder(line: AccountLine, view: WalletView) -> AccountLine:
    is_set = view.builder_code != NO_BUILDER
    result = f"every order names {view.builder_code}" if is_set else "none: orders credit nobody"
    state = SetupState.DONE if is_set else SetupState.NOT_NEEDED
    return replace(
        line, state=state, result=result, full=result, does=MintBuilderKey(), label="Make a key",
        words=line.words._replace(
            meaning="A code in the order that credits an app, which may add a fee of its own. The "
            "setting builder_code names it; zeros credit nobody. The keys below belong to it.",
        ),
    )  # fmt: skip


def _builder_key(key: BuilderKey) -> AccountLine:
    shown = plain(key.key, _SHOWN_OF_KEY)
    words = Words(
        "Builder key",
        "A key that an app uses to claim the orders that name its builder code.",
        "A signed request with the API credentials revokes it.",
    )
    if key.is_revoked:
        text = f"id {shown}, revoked"
        return AccountLine(f"builder {key.key}", words, SetupState.NOT_NEEDED, text, text)
    return AccountLine(
        f"builder {key.key}", words, SetupState.DONE, f"id {shown}", f"id {shown}",
        undoes=RevokeBuilderKey(key.key),
    )  # fmt: skip


def _transactions(line: AccountLine, view: WalletView) -> AccountLine:
    waiting = [t for t in view.transactions if not t.status.is_over]
    done = sum(t.status is TransactionStatus.CONFIRMED for t in view.transactions)
    result = f"{count(len(view.transactions), 'transaction')}, {done} confirmed"
    if waiting:
        result = f"{plain(waiting[0].title, 60)}: {waiting[0].status.value}"
    if not view.transactions:
        result = "none yet"
    at: datetime | None = view.transactions[0].changed_at if view.transactions else None
    words = line.words._replace(
        title="Transactions",
        meaning="What the relayer carried out for the wallet. The portfolio has a tab with all of "
        "them, their calls and their hashes.",
    )
    return replace(
        line, words=words, result=result, full=result, as_of=at,
        state=SetupState.NOT_KNOWN if waiting else SetupState.DONE,
        is_running=bool(waiting), shows_transactions=True,
    )  # fmt: skip


def _numbered(lines: Iterable[AccountLine]) -> tuple[AccountLine, ...]:
    """Renumber the steps: each approval counts as one."""
    rules = {rule.value for rule in Rule}
    number, counted = 0, []
    for line in lines:
        is_step = line.key not in rules and not line.key.startswith(("builder ", "differs "))
        number += is_step
        counted.append(replace(line, number=number if is_step else 0))
    return tuple(counted)
