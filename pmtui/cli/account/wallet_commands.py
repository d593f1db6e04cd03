"""`pmtui account status`, `deploy`, `approve` and the rest: the wallet's steps from a shell.

The service of the profile executes them, with the same cards, journal and checks as in the terminal: the
running service, or else one that runs only for the command. While a standalone terminal runs, there is no
service.
"""

import argparse
import asyncio
import sys
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import msgspec

from pmtui.cli.account.wallet_access import WalletKeyFiles
from pmtui.cli.account.wallet_service import WalletService, own_service, running_service
from pmtui.cli.keys.secret_input import NoSecret, read_secret
from pmtui.cli.keys.unlocking import (
    PAPER_KEY_FILE,
    find_session_key,
    keystore_path,
    paper_addresses,
    read_key_variable,
    read_keystore,
)
from pmtui.cli.output import ask, data_output, show, warn
from pmtui.cli.service.session_service import SessionService
from pmtui.cli.service.starting import end_idle_service
from pmtui.cli.session_process import InUseError, session_lock
from pmtui.cli.usage import UNAVAILABLE, SecretiveParser, refuse
from pmtui.cli.venue.paper import load_paper_key
from pmtui.config.paths import Paths, locate
from pmtui.config.settings import Settings, load_settings
from pmtui.config.toml_file import ConfigError
from pmtui.domain.account.keys import SignatureType
from pmtui.domain.account.onboarding import LastAnswer, is_unlimited
from pmtui.domain.account.wallet_steps import (
    UNLIMITED_APPROVAL,
    ApprovalKind,
    Approve,
    Convert,
    CreateCredentials,
    Deploy,
    Flow,
    FlowKind,
    Merge,
    MintRelayerKey,
    Redeem,
    Revoke,
    Send,
    Settlement,
    Split,
    WalletStep,
)
from pmtui.domain.formats import exact_dollars, parse_size
from pmtui.domain.ids import Address, ConditionId
from pmtui.domain.money import Micros, format_micros, group_micros
from pmtui.domain.orders.order import Rejected
from pmtui.link.local_socket import socket_path_of
from pmtui.link.messages import Refused
from pmtui.service.clock import SystemClock
from pmtui.service.topics import AccountTopic, StatusTopic, WalletTopic
from pmtui.service.views import Load, OwnList
from pmtui.service.wallet.wallet_views import (
    ApprovalView,
    CallView,
    Confirmed,
    Failed,
    NotKnown,
    Simulation,
    TransactionView,
    WalletCard,
    WalletView,
)
from pmtui.signing.keystore import keystore_address
from pmtui.signing.signer import Signer

PROG = "pmtui account"
WALLET_ACTIONS = (
    "status",
    "credentials",
    "relayer-key",
    "deploy",
    "approve",
    "revoke",
    "redeem",
    "merge",
    "split",
    "convert",
    "send",
)
_WORDS = {
    "approve": "contracts by name or address; everything that is missing where there are none",
    "revoke": "contracts by name or address",
    "redeem": "condition ids; or --all",
    "merge": "CONDITION AMOUNT",
    "split": "CONDITION AMOUNT",
    "convert": "AMOUNT CONDITION…: the markets whose No shares are given",
    "send": "ADDRESS AMOUNT",
}
EXIT_CODES = (
    "Exit codes: 0 done, or --dry-run printed it; 1 nothing happened: refused, reverted, not agreed to, or so already; "
    "2 wrong usage; 69 a host cannot be asked; 75 it is not known whether it happened."
)
NOTHING_HAPPENED = 1
NOT_KNOWN = 75
PATIENCE_S = 45.0
"""Seconds for hosts to answer what a step needs to know."""
_NEED_POSITIONS = frozenset({"status", "redeem", "merge", "convert"})


@dataclass(frozen=True, slots=True)
class WalletRequest:
    """The requested step."""

    action: str
    profile: str | None
    words: tuple[str, ...]
    is_all: bool
    amount: int | None
    """Amount of an approval; None for an unlimited one."""
    is_dry: bool
    is_agreed: bool
    is_json: bool
    key_fd: int | None
    passphrase_fd: int | None


class StepError(ValueError):
    """The words are not a valid step."""


class NothingToDoError(StepError):
    """The request is valid, but already fulfilled."""


def read_request(action: str, arguments: list[str]) -> WalletRequest:
    """Parse the arguments of an action; exit with 2 if they are invalid."""
    parser = _parser(action)
    options = parser.read(arguments)
    given = parser_problem(action, options)
    if given:
        parser.refuse(given)
    amount = None
    if options.amount is not None:
        amount = parse_size(options.amount)
        if amount is None or amount <= 0:
            parser.refuse("--amount takes dollars with at most six decimals")
    return WalletRequest(
        action=action,
        profile=options.profile,
        words=tuple(options.words),
        is_all=options.all,
        amount=amount,
        is_dry=options.dry_run,
        is_agreed=options.yes,
        is_json=options.json,
        key_fd=options.key_fd,
        passphrase_fd=options.passphrase_fd,
    )


def parser_problem(action: str, options: argparse.Namespace) -> str:
    """Return which arguments contradict each other, or "" if none do."""
    if options.words and action not in _WORDS:
        return f"`{action}` takes no words"
    if options.all and action != "redeem":
        return "--all belongs to `redeem`"
    if options.amount is not None and action != "approve":
        return "--amount belongs to `approve`"
    if options.key_fd is not None and action != "relayer-key":
        return "--key-fd belongs to `relayer-key`"
    return ""


def step_of(request: WalletRequest, view: WalletView) -> WalletStep:
    """Return the requested step.

    Raises:
        StepError: the words are not a valid step.
    """
    return _STEPS[request.action](request, view)


def _approve(request: WalletRequest, view: WalletView) -> WalletStep:
    if request.words:
        chosen = tuple(each.approval for each in _contracts(request.words, view))
    else:
        chosen = view.missing_approvals()
    if not chosen:
        raise NothingToDoError("nothing is missing: every approval that is needed is there")
    return Approve(chosen, UNLIMITED_APPROVAL if request.amount is None else request.amount)


def _revoke(request: WalletRequest, view: WalletView) -> WalletStep:
    if not request.words:
        raise StepError("name the contracts whose approvals are taken back")
    found = [each for each in _contracts(request.words, view) if each.is_allowed is not False]
    if not found:
        raise NothingToDoError("these contracts have no approval")
    return Revoke(tuple(each.approval for each in found))


def _redeem(request: WalletRequest, _: WalletView) -> WalletStep:
    if request.is_all == bool(request.words):
        raise StepError("name the condition ids, or --all")
    return Redeem(tuple(ConditionId(word.lower()) for word in request.words))


def _merge(request: WalletRequest, _: WalletView) -> WalletStep:
    condition, amount = _pair(request, "CONDITION AMOUNT")
    return Merge(ConditionId(condition.lower()), _amount(amount))


def _split(request: WalletRequest, _: WalletView) -> WalletStep:
    condition, amount = _pair(request, "CONDITION AMOUNT")
    return Split(ConditionId(condition.lower()), _amount(amount))


def _convert(request: WalletRequest, _: WalletView) -> WalletStep:
    if len(request.words) < 2:
        raise StepError("takes AMOUNT and the condition ids whose No shares are given")
    amount, *conditions = request.words
    return Convert(tuple(ConditionId(each.lower()) for each in conditions), _amount(amount))


def _send(request: WalletRequest, _: WalletView) -> WalletStep:
    recipient, amount = _pair(request, "ADDRESS AMOUNT")
    return Send(recipient, _amount(amount))


_STEPS: dict[str, Callable[[WalletRequest, WalletView], WalletStep]] = {
    "credentials": lambda _request, _view: CreateCredentials(),
    "relayer-key": lambda _request, _view: MintRelayerKey(),
    "deploy": lambda _request, _view: Deploy(),
    "approve": _approve,
    "revoke": _revoke,
    "redeem": _redeem,
    "merge": _merge,
    "split": _split,
    "convert": _convert,
    "send": _send,
}


def _pair(request: WalletRequest, what: str) -> tuple[str, str]:
    if len(request.words) != 2:
        raise StepError(f"takes {what}")
    first, second = request.words
    return first, second


def _amount(text: str) -> Micros:
    amount = parse_size(text)
    if amount is None or amount <= 0:
        raise StepError("an amount is more than 0, with at most six decimals")
    return amount


def _contracts(words: tuple[str, ...], view: WalletView) -> list[ApprovalView]:
    found: list[ApprovalView] = []
    for word in words:
        wanted = word.lower().replace("-", " ")
        named = [
            each
            for each in view.approvals
            if wanted in (each.name.lower().replace("-", " "), each.approval.contract.lower())
        ]
        if not named:
            names = ", ".join(dict.fromkeys(each.name for each in view.approvals))
            raise StepError(f"no such contract; there is {names}")
        found += [each for each in named if each not in found]
    return found


def _parser(action: str) -> SecretiveParser:
    parser = SecretiveParser(
        prog=f"{PROG} {action}",
        description="The deposit wallet of a profile. What is signed is shown before, and asked about.",
        epilog=EXIT_CODES,
    )
    parser.add_argument("words", nargs="*", metavar="WORD", help=_WORDS.get(action, "none"))
    parser.add_profile("whose wallet")
    parser.add_argument("--all", action="store_true", help="redeem: everything that can be")
    parser.add_argument("--amount", metavar="DOLLARS", help="approve: no more than this")
    parser.add_argument(
        "--dry-run", action="store_true", help="show the decoded batch and its hash, send nothing"
    )
    parser.add_argument("--yes", action="store_true", help="do not ask")
    parser.add_argument("--json", action="store_true", help="status and --dry-run as JSON")
    parser.add_descriptor(
        "--key-fd", "relayer-key: take one that you have from a line of file descriptor N"
    )
    parser.add_descriptor(
        "--passphrase-fd", "read the keystore's passphrase from a line of file descriptor N"
    )
    return parser


def run_wallet(action: str, arguments: list[str]) -> int:
    """Run one of the wallet's commands; return the exit code."""
    request = read_request(action, arguments)
    prog = f"{PROG} {action}"
    try:
        settings = load_settings({"profile": request.profile})
        paths = locate()
        if request.key_fd is not None:
            return _keep_relayer_key(request, settings, paths)
        state = paths.state / settings.profile
        socket_path = socket_path_of(paths.runtime, settings.profile)
        end_idle_service(state, socket_path)
        if (code := asyncio.run(_run_through_service(socket_path, request, settings))) is not None:
            return code
        key = find_session_key(
            settings, paths.state, passphrase_fd=request.passphrase_fd, is_for_session=True
        )
        if settings.is_paper and (state / PAPER_KEY_FILE).exists():
            # An unusable key is reported now, not after waiting for the session in vain.
            load_paper_key(state)
        if not settings.is_paper and key.secret is None:
            return refuse(f"there is no key: {key.remedy or key.reason}", prog=prog)
        if settings.signature_type is not SignatureType.DEPOSIT_WALLET:
            return refuse("only deposit wallets (signature type 3) can be used", prog=prog)
        with ExitStack() as stack:
            stack.enter_context(session_lock(state))
            session = SessionService(
                settings, paths, key, clock=SystemClock(), sends_heartbeats=False
            )
            return asyncio.run(_run_with_own_service(request, settings.profile, session))
    except InUseError as error:
        return refuse(str(error), prog=prog, code=NOTHING_HAPPENED)
    except ConfigError as error:
        return refuse(str(error), prog=prog)
    except KeyboardInterrupt:
        warn("", "Not waited for any longer; `pmtui account status` says how it ends.")
        return NOT_KNOWN


def _show_status(view: WalletView, request: WalletRequest, profile: str) -> int:
    _write(status_json(view, profile)) if request.is_json else show(*status_lines(view))
    return 0 if view.load is Load.READY else UNAVAILABLE


def _keep_relayer_key(request: WalletRequest, settings: Settings, paths: Paths) -> int:
    prog = f"{PROG} {request.action}"
    owner = _owner(settings, paths)
    if owner is None:
        return refuse("there is no account yet whose key it could be", prog=prog)
    given = read_secret(request.key_fd or 0)
    if isinstance(given, NoSecret):
        return refuse(given.text, prog=prog)
    files = WalletKeyFiles(paths.state / settings.profile)
    try:
        kept = files.keep_relayer_key(given.reveal_text().strip(), owner)
    except ValueError as error:
        return refuse(str(error), prog=prog)
    except OSError as error:
        return refuse(f"it cannot be kept: {error.strerror or error}", prog=prog, code=UNAVAILABLE)
    show(f"Relayer key {kept.shown} of {owner} is kept.")
    return 0


def _owner(settings: Settings, paths: Paths) -> Address | None:
    """Return the owner of the account, without opening it."""
    if settings.is_paper:
        return paper_addresses(paths.state).get(settings.profile)
    if settings.private_key is not None:
        secret = read_key_variable(settings.private_key)
        return None if isinstance(secret, str) else Signer(secret).address
    path = keystore_path(paths.state, settings.profile)
    text = read_keystore(path) if path.exists() else None
    return keystore_address(text) if isinstance(text, str) else None


async def _run_through_service(
    socket_path: Path, request: WalletRequest, settings: Settings
) -> int | None:
    """Execute through the running service; return the exit code, or None if none runs."""
    async with running_service(socket_path, settings) as service:
        match service:
            case None:
                return None
            case Refused():
                prog = f"{PROG} {request.action}"
                return refuse(service.reason, prog=prog, code=NOTHING_HAPPENED)
            case _:
                return await _run(request, settings.profile, service)


async def _run_with_own_service(
    request: WalletRequest, profile: str, session: SessionService
) -> int:
    async with own_service(session) as service:
        return await _run(request, profile, service)


async def _run(request: WalletRequest, profile: str, service: WalletService) -> int:
    topics = (WalletTopic(), AccountTopic(), StatusTopic())
    subscription = service.subscriptions.subscribe(topics, lambda _: None)
    try:
        problem = await _until_known(service, request)
        if request.action == "status":
            code = _show_status(service.queries.wallet(), request, profile)
            return UNAVAILABLE if problem else code
        if problem:
            return refuse(problem, prog=f"{PROG} {request.action}", code=UNAVAILABLE)
        return await _execute_step(request, service)
    finally:
        subscription.close()


async def _execute_step(request: WalletRequest, service: WalletService) -> int:
    prog, view = f"{PROG} {request.action}", service.queries.wallet()
    if view.owner is None:
        # The service has not been unlocked.
        return refuse(view.reason, prog=prog, code=NOTHING_HAPPENED)
    try:
        step = step_of(request, view)
    except NothingToDoError as error:
        return refuse(str(error), prog=prog, code=NOTHING_HAPPENED)
    except StepError as error:
        return refuse(str(error), prog=prog)
    card = await service.commands.prepare_wallet(step)
    if isinstance(card, Rejected):
        return refuse(card.reason, prog=prog, code=NOTHING_HAPPENED)
    if request.is_dry:
        _write(card_json(card)) if request.is_json else show(*card_lines(card))
        return 0
    warn(*card_lines(card))
    if not request.is_agreed:
        if not sys.stdin.isatty():
            return refuse("nobody can be asked here: give --yes, or --dry-run", prog=prog)
        if ask("Do it? [y/N]").lower() not in ("y", "yes"):
            show("Nothing was sent.")
            return NOTHING_HAPPENED
    return await _submit(service, card, prog)


async def _submit(service: WalletService, card: WalletCard, prog: str) -> int:
    verdict = await service.commands.submit_wallet(card.prepared_id)
    match verdict:
        case Confirmed():
            show(f"Done: {verdict.text}", *([verdict.hash] if verdict.hash else []))
            return 0
        case Failed() | Rejected():
            return refuse(verdict.reason, prog=prog, code=NOTHING_HAPPENED)
        case NotKnown():
            text = f"{verdict.reason}; `pmtui account status` says how it ends"
            return refuse(text, prog=prog, code=NOT_KNOWN)


async def _until_known(service: WalletService, request: WalletRequest) -> str:
    """Wait for the facts that a step needs; return why they are unknown, or "" if they are known."""

    def is_known() -> bool:
        view, account = service.queries.wallet(), service.queries.account()
        if view.owner is None and view.reason:
            return True
        if view.load is not Load.READY:
            return False
        if request.action == "credentials":
            return True
        step = next((each for each in view.steps if each.step == CreateCredentials()), None)
        if step is not None and (step.state.value == "to do" or step.result):
            # The account waits for the trader, or cannot be opened.
            return True
        needs = request.action in _NEED_POSITIONS
        return account.load is Load.READY and not (needs and account.missing_in(OwnList.POSITIONS))

    changed = asyncio.Event()
    topics = (WalletTopic(), AccountTopic(), StatusTopic())
    subscription = service.subscriptions.subscribe(topics, lambda _: changed.set())
    try:
        async with asyncio.timeout(PATIENCE_S):
            while not is_known():
                changed.clear()
                await changed.wait()
    except TimeoutError:
        return service.queries.account().problem or "the hosts do not answer"
    finally:
        subscription.close()
    return ""


def _write(data: bytes) -> None:
    out = data_output()
    out.write(data.decode() + "\n")
    out.flush()


Json = dict[str, object]


def card_lines(card: WalletCard) -> list[str]:
    """Return a card as lines: everything that is signed, and its effects."""
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
    """Return the wallet's state as lines."""
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
        views = "; ".join(f"{who} says {what}" for who, what in differing.views)
        lines.append(f"Disagreement on {differing.subject}: {views}")
    return lines


def status_json(view: WalletView, profile: str) -> bytes:
    """Return the wallet's state as JSON; amounts are decimal texts in dollars and shares."""
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


def _answer(answer: LastAnswer[bool]) -> Json:
    return {"value": answer.value, "as_of": answer.as_of, "problem": answer.problem}


def _approval(each: ApprovalView) -> Json:
    amount = each.allowed.value
    return {
        "name": each.name,
        "contract": each.approval.contract,
        "kind": each.approval.kind.value,
        "purpose": each.purpose,
        "needed": each.is_needed,
        # Beyond 64 bits, which most JSON parsers do not support.
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
