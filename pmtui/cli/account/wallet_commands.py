"""`pmtui account status`, `deploy`, `approve` and the rest: the wallet's steps from a shell.

The service of the profile runs for as long as the command takes, with the very cards, journal and checks of
the terminal; nothing of it can run beside a terminal of the same profile.
"""

import asyncio
import sys
from contextlib import ExitStack

from pmtui.cli.account.wallet_arguments import (
    PROG,
    NothingToDoError,
    StepError,
    WalletRequest,
    read_request,
    step_of,
)
from pmtui.cli.account.wallet_output import card_json, card_lines, status_json, status_lines
from pmtui.cli.keys.key_checks import (
    PAPER_KEY_FILE,
    keystore_path,
    paper_addresses,
    read_private_key,
)
from pmtui.cli.keys.passphrase import NoSecret, read_secret
from pmtui.cli.keys.unlocking import find_session_key, read_keystore
from pmtui.cli.output import ask, data_output, show, warn
from pmtui.cli.service.session_service import SessionService
from pmtui.cli.service.starting import end_idle_service
from pmtui.cli.session_lock import session_lock
from pmtui.cli.usage import UNAVAILABLE, refuse
from pmtui.cli.venue.paper import load_paper_key
from pmtui.cli.wallet.wallet_keys import WalletKeyFiles
from pmtui.config.paths import Paths, locate
from pmtui.config.settings import Settings, load_settings
from pmtui.config.toml_file import ConfigError
from pmtui.domain.account.keys import SignatureType
from pmtui.domain.account.wallet_steps import CreateCredentials
from pmtui.domain.ids import Address
from pmtui.domain.orders.order import Rejected
from pmtui.link.local_socket import socket_path
from pmtui.service.clock import SystemClock
from pmtui.service.data_service import DataService
from pmtui.service.topics import AccountTopic, StatusTopic, Topic, WalletTopic
from pmtui.service.views import Load, OwnList
from pmtui.service.wallet.wallet_views import Confirmed, Failed, NotKnown, WalletCard
from pmtui.signing.keystore import keystore_address
from pmtui.signing.secret import Secret
from pmtui.signing.signer import Signer

NOTHING_HAPPENED = 1
NOT_KNOWN = 75
PATIENCE_S = 45.0
"""For hosts to answer what a step needs to know."""
_NEED_POSITIONS = frozenset({"status", "redeem", "merge", "convert"})


def run_wallet(action: str, arguments: list[str]) -> int:
    """Run one of the wallet's commands; returns the exit code."""
    request = read_request(action, arguments)
    prog = f"{PROG} {action}"
    try:
        settings = load_settings({"profile": request.profile})
        paths = locate()
        if request.key_fd is not None:
            return _keep_relayer_key(request, settings, paths)
        state = paths.state / settings.profile
        end_idle_service(state, socket_path(paths.runtime, settings.profile))
        key = find_session_key(
            settings, paths.state, passphrase_fd=request.passphrase_fd, is_for_session=True
        )
        if settings.is_paper and (state / PAPER_KEY_FILE).exists():
            # One that cannot be used is said now, not after waiting for the session in vain.
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
            return asyncio.run(_run(request, settings.profile, session))
    except ConfigError as error:
        return refuse(str(error), prog=prog)
    except KeyboardInterrupt:
        warn("", "Not waited for any longer; `pmtui account status` says how it ends.")
        return NOT_KNOWN


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
    """Return whose account it is, without opening it."""
    if settings.is_paper:
        return paper_addresses(paths.state).get(settings.profile)
    if settings.private_key is not None:
        secret = read_private_key(Secret.from_text(settings.private_key.get_secret_value()))
        return None if isinstance(secret, str) else Signer(secret).address
    path = keystore_path(paths.state, settings.profile)
    text = read_keystore(path) if path.exists() else None
    return keystore_address(text) if isinstance(text, str) else None


async def _run(request: WalletRequest, profile: str, session: SessionService) -> int:
    async with session.venue, session.service.running() as service:
        topics: list[Topic] = [WalletTopic(), AccountTopic(), StatusTopic()]
        _ = service.hub.subscribe(topics, lambda _: None)
        problem = await _until_known(service, request)
        if request.action == "status":
            view = service.queries.wallet()
            _write(status_json(view, profile)) if request.is_json else show(*status_lines(view))
            return UNAVAILABLE if problem else 0
        if problem:
            return refuse(problem, prog=f"{PROG} {request.action}", code=UNAVAILABLE)
        return await _take(request, service)


async def _take(request: WalletRequest, service: DataService) -> int:
    prog = f"{PROG} {request.action}"
    try:
        step = step_of(request, service.queries.wallet())
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


async def _submit(service: DataService, card: WalletCard, prog: str) -> int:
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


async def _until_known(service: DataService, request: WalletRequest) -> str:
    """Wait for what a step needs to know; return why it is not known, empty where it is."""

    def is_known() -> bool:
        view, account = service.queries.wallet(), service.queries.account()
        if view.load is not Load.READY:
            return False
        if view.owner is None or request.action == "credentials":
            return True
        step = next((each for each in view.steps if each.step == CreateCredentials()), None)
        if step is not None and (step.state.value == "to do" or step.result):
            # The account waits for the trader, or cannot be opened.
            return True
        needs = request.action in _NEED_POSITIONS
        return account.load is Load.READY and not (needs and account.lack_of(OwnList.POSITIONS))

    changed = asyncio.Event()
    topics = (WalletTopic(), AccountTopic(), StatusTopic())
    subscription = service.hub.subscribe(topics, lambda _: changed.set())
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
