"""What `pmtui account` is asked of the wallet: arguments to steps, each checked before anything runs."""

import argparse
from collections.abc import Callable
from dataclasses import dataclass

from pmtui.cli.usage import SecretiveParser, descriptor
from pmtui.domain.account.wallet_steps import (
    UNLIMITED_APPROVAL,
    Approve,
    Convert,
    CreateCredentials,
    Deploy,
    Merge,
    MintRelayerKey,
    Redeem,
    Revoke,
    Send,
    Split,
    WalletStep,
)
from pmtui.domain.formats import parse_size
from pmtui.domain.ids import ConditionId
from pmtui.domain.money import Micros
from pmtui.service.wallet.wallet_views import ApprovalView, WalletView

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


@dataclass(frozen=True, slots=True)
class WalletRequest:
    """What was asked for."""

    action: str
    profile: str | None
    words: tuple[str, ...]
    is_all: bool
    amount: int | None
    """Of an approval; None for one without a limit."""
    is_dry: bool
    is_agreed: bool
    is_json: bool
    key_fd: int | None
    passphrase_fd: int | None


class StepError(ValueError):
    """Words that are no step, and why."""


class NothingToDoError(StepError):
    """The words are right, and what they ask for is so already."""


def read_request(action: str, arguments: list[str]) -> WalletRequest:
    """Read the arguments of an action; ends the program with 2 where they make no sense."""
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
    """Say what does not fit together; empty where all of it does."""
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
    """Return the step that was asked for.

    Raises:
        StepError: the words name no step.
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
    parser.add_argument("--profile", help="whose wallet")
    parser.add_argument("--all", action="store_true", help="redeem: everything that can be")
    parser.add_argument("--amount", metavar="DOLLARS", help="approve: no more than this")
    parser.add_argument(
        "--dry-run", action="store_true", help="show the decoded batch and its hash, send nothing"
    )
    parser.add_argument("--yes", action="store_true", help="do not ask")
    parser.add_argument("--json", action="store_true", help="status and --dry-run as JSON")
    parser.add_argument(
        "--key-fd",
        type=descriptor,
        metavar="N",
        help="relayer-key: take one that you have from a line of file descriptor N",
    )
    parser.add_argument(
        "--passphrase-fd",
        type=descriptor,
        metavar="N",
        help="read the keystore's passphrase from a line of file descriptor N",
    )
    return parser
