"""Checks this machine: settings, folders, disk, journal, session, and the key with its wallet."""

import os
import shutil
import sqlite3
import stat
import time
from collections.abc import Mapping
from contextlib import closing
from difflib import get_close_matches
from pathlib import Path

from pmtui.cli.doctor.findings import Figure, Finding, State, Subject
from pmtui.cli.hosts import find_paying_wallet
from pmtui.cli.keys.unlocking import (
    CLEARTEXT,
    PAPER_KEY_FILE,
    cleartext_addresses,
    keystore_path,
    read_key_variable,
    read_keystore,
    why_refused,
)
from pmtui.cli.service.shell_client import NoAnswer, find_status
from pmtui.cli.venue.paper import NEW_ACCOUNT, load_paper_key
from pmtui.clients.relayer import RelayerClient
from pmtui.config.paths import Paths, find_obstacle, why_untrusted
from pmtui.config.settings import Settings
from pmtui.config.terminal_settings import KEY_VARIABLE, PREFIX
from pmtui.config.toml_file import ConfigError
from pmtui.domain.account.keys import SignatureType
from pmtui.domain.account.onboarding import WalletForm
from pmtui.domain.answers import Failure
from pmtui.domain.formats import count
from pmtui.domain.health import RateBudget
from pmtui.domain.ids import Address
from pmtui.link.messages import Refused, ServiceStatus
from pmtui.service.journal.journal_rows import Damage, JournalProblem, read_lives
from pmtui.service.safety.kill_lock import read_killed
from pmtui.signing.keystore import KeystoreProblem, keystore_address
from pmtui.signing.signer import Signer
from pmtui.signing.wallet import derive_wallets
from pmtui.ui.keys.actions import read_keymap
from pmtui.ui.theme.theme_files import load_themes, why_no_theme

FULL_BYTES = 20 << 20
"""With less, the journal's next pages and the rotating logs (6 MB) may not fit."""
LITTLE_BYTES = 200 << 20
JOURNAL_DEADLINE_S = 20.0
SERVICE_WITHIN_S = 3.0
"""A service replies on its own machine within milliseconds, or hangs."""
_STEPS = 20_000
"""SQLite virtual machine steps between two checks of the time limit."""
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def check_settings(settings: Settings, paths: Paths) -> tuple[Finding, ...]:
    """Check what is read at startup: settings, keys and themes."""
    _, problems = read_keymap(settings.for_terminal().keys)
    themes, wrong_themes = load_themes(paths.config / "themes")
    path = paths.config_file
    where = str(path) if path.exists() else f"{path} is not there: defaults"
    if problems:
        text = f"{path}:{problems[0].line}: {problems[0].text}"
        return (_finding("settings", State.PROBLEM, text, "correct that line"),)
    if reason := why_no_theme(settings.theme, themes, wrong_themes):
        return (_finding("settings", State.PROBLEM, f"theme: {reason}", "name one that is there"),)
    if wrong_themes:
        text = f"theme: {wrong_themes[0]}"
        remedy = f"correct or remove that file in {paths.config / 'themes'}"
        return (_finding("settings", State.WARNING, text, remedy),)
    return (_finding("settings", State.OK, where, dialect=settings.dialect.value),)


def check_variables(environ: Mapping[str, str]) -> tuple[Finding, ...]:
    """Check for environment variables of ours that nothing reads: one mistyped has no effect."""
    known = {f"{PREFIX}{name.upper()}" for name in Settings.model_fields} | {"PMTUI_HOME"}
    stated = sorted(name for name in environ if name.upper().startswith(PREFIX))
    unknown = [name for name in stated if name.upper().partition("__")[0] not in known]
    found = []
    for name in unknown:
        near = get_close_matches(name.upper(), known, n=1)
        remedy = f"perhaps {near[0]} is meant" if near else "see `pmtui help settings`"
        found.append(_finding("variable", State.WARNING, f"{name} is no setting", remedy))
    return tuple(found)


def check_obstacle(folder: Path) -> tuple[Finding, ...]:
    """Check that no other file is in the place of a state directory."""
    obstacle = find_obstacle(folder)
    if obstacle is None:
        return ()
    text = f"{obstacle} is not a directory"
    return (_finding("folder", State.PROBLEM, text, "move it away, or set PMTUI_HOME"),)


def check_folder(folder: Path) -> tuple[Finding, ...]:
    """Check a profile's state directory and its free space."""
    if reason := why_untrusted(folder):
        text, _, remedy = reason.partition("; ")
        remedy = remedy or "give it to your own user, or set PMTUI_HOME"
        return (_finding("folder", State.PROBLEM, f"refused: {text}", remedy),)
    there = next(part for part in (folder, *folder.parents) if part.exists())
    try:
        usage = shutil.disk_usage(there)
    except OSError as error:
        text = f"{there}: {error.strerror or error}"
        return (_finding("disk", State.PROBLEM, text, "make the folder readable for yourself"),)
    if not os.access(there, os.W_OK):
        text = f"{there} cannot be written: no order can be journaled, so none is sent"
        return (_finding("disk", State.PROBLEM, text, "make it writable, or set PMTUI_HOME"),)
    free = usage.free
    text = f"{free / (1 << 30):,.1f} GB free for {folder}"
    state = State.OK
    remedy = ""
    if free < LITTLE_BYTES:
        state = State.PROBLEM if free < FULL_BYTES else State.WARNING
        text = f"{free / (1 << 20):,.0f} MB free for {folder}"
        remedy = "free some space: an order that cannot be journaled is not sent"
    return (_finding("disk", state, text, remedy, free_bytes=free),)


def check_journal(path: Path) -> tuple[Finding, ...]:
    """Check the whole journal: whether the file is intact, and which orders have no known end."""
    if not path.exists():
        return (_finding("journal", State.OK, "none yet: no order was ever sent from here"),)
    aside = f"keep a copy of {path}, then move it away; the venue is asked about open orders"
    if broken := _why_broken(path):
        return (_finding("journal", State.PROBLEM, broken, aside),)
    lives = read_lives(path)
    if isinstance(lives, JournalProblem):
        return (_finding("journal", State.PROBLEM, lives.text, aside),)
    damaged = sum(life.order.damage is not Damage.NONE for life in lives)
    waiting = sum(life.order.state is None for life in lives)
    size = path.stat().st_size
    if damaged:
        text = f"{count(damaged, 'order')} of {len(lives)} cannot be read whole"
        return (
            _finding("journal", State.WARNING, text, f"keep a copy of {path}", damaged=damaged),
        )
    text = f"sound: {count(len(lives), 'order')}, {waiting} without a known end"
    return (
        _finding("journal", State.OK, text, orders=len(lives), open_orders=waiting, bytes=size),
    )


def _why_broken(path: Path) -> str:
    deadline = time.monotonic() + JOURNAL_DEADLINE_S
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as file:
            file.set_progress_handler(lambda: time.monotonic() > deadline, _STEPS)
            (verdict,) = file.execute("PRAGMA quick_check(1)").fetchone()
    except (sqlite3.Error, OSError) as error:
        return f"it cannot be read: {error}"
    return "" if verdict == "ok" else f"the file is damaged: {verdict}"


async def check_session(
    folder: Path, socket_path: Path, *, is_locked: bool, within_s: float = SERVICE_WITHIN_S
) -> tuple[Finding, ...]:
    """Report whether a service or a terminal runs on the profile, and whether trading is locked.

    Args:
        folder: of the profile's state.
        socket_path: where its service listens, if there is one.
        is_locked: whether a session held the profile before the checks began.
        within_s: how long the service may take to reply.
    """
    standing = await find_status(socket_path, within_s=within_s)
    findings = [_service(standing, is_locked=is_locked)]
    if isinstance(standing, ServiceStatus) and standing.budgets:
        findings.append(_budgets(standing.budgets))
    killed = read_killed(folder)
    if killed is not None:
        since = f" since {killed.at}" if killed.at else ""
        text = f"trading is locked{since} by {killed.by}"
        findings.append(_finding("kill switch", State.WARNING, text, "pmtui release unlocks it"))
    return tuple(findings)


def _service(standing: ServiceStatus | Refused | NoAnswer | None, *, is_locked: bool) -> Finding:
    if isinstance(standing, NoAnswer):
        return _finding(
            "service", State.PROBLEM, standing.text, standing.remedy,
            running=True, pid=standing.pid or None,
        )  # fmt: skip
    if isinstance(standing, Refused):
        remedy = "pmtui stop ends it; the next terminal starts one of this version"
        return _finding("service", State.PROBLEM, standing.reason, remedy, running=True)
    if isinstance(standing, ServiceStatus):
        text = f"runs as process {standing.pid}, {count(standing.terminals, 'terminal')} attached"
        return _finding(
            "service", State.OK, text, running=True, pid=standing.pid, terminals=standing.terminals
        )
    if is_locked:
        return _finding(
            "service",
            State.OK,
            "none; a standalone terminal or another command uses the profile",
            running=True,
        )
    return _finding("service", State.OK, "none runs; a terminal starts one", running=False)


def _budgets(budgets: Mapping[str, tuple[int, int]]) -> Finding:
    """Report the remaining rate limits from the service; a new program cannot know them."""
    told = [RateBudget(name, left, allowed) for name, (left, allowed) in budgets.items()]
    text = ", ".join(f"{each.left:,} of {each.allowed:,} {each.name} left" for each in told)
    figures = {f"{each.name}_left": each.left for each in told}
    if any(each.is_nearly_spent for each in told):
        remedy = "send less for a minute; cancels have a limit of their own"
        return Finding(Subject.PROFILE, "rate budget", State.WARNING, text, remedy, figures)
    return Finding(Subject.PROFILE, "rate budget", State.OK, text, "", figures)


def _finding(name: str, state: State, text: str, remedy: str = "", **figures: Figure) -> Finding:
    return Finding(Subject.PROFILE, name, state, text, remedy, figures)


def check_key(settings: Settings, state: Path) -> tuple[Address | None, tuple[Finding, ...]]:
    """Check a profile's key; return its address if no passphrase is needed to know it."""
    if settings.is_paper:
        return _paper_key(settings, state)
    if settings.private_key is not None:
        return _variable(settings, state)
    path = keystore_path(state, settings.profile)
    making = f"pmtui account new --profile {settings.profile}, or import"
    if not path.exists():
        text = "none: the profile opens READ-ONLY"
        return None, (_key_finding("key", State.WARNING, text, making, kind="none"),)
    owner, finding = _keystore(path)
    return owner, (finding, *_cleartext(settings))


async def check_wallet(
    owner: Address | None, relayer: RelayerClient, signature_type: SignatureType
) -> tuple[Finding, ...]:
    """Ask the relayer for the wallet that pays for a key's orders."""
    if owner is None:
        return (_key_finding("wallet", State.SKIPPED, "no address to look for"),)
    wallet = await find_paying_wallet(relayer, derive_wallets(owner), signature_type)
    if isinstance(wallet, Failure):
        return (_unanswered(wallet),)
    if signature_type is SignatureType.EOA:
        return (_key_finding("wallet", State.OK, f"{wallet}, the key's own", wallet=wallet),)
    answer = await relayer.is_deployed(wallet, _FORMS[signature_type])
    if isinstance(answer, Failure):
        return (_unanswered(answer),)
    if answer:
        return (
            _key_finding("wallet", State.OK, f"{wallet}, deployed", wallet=wallet, deployed=True),
        )
    text = f"{wallet} is not deployed yet"
    remedy = "press a in the terminal: the account screen deploys it"
    return (_key_finding("wallet", State.WARNING, text, remedy, wallet=wallet, deployed=False),)


_FORMS = {
    SignatureType.PROXY: WalletForm.PROXY,
    SignatureType.SAFE: WalletForm.SAFE,
    SignatureType.DEPOSIT_WALLET: WalletForm.DEPOSIT,
}


def _unanswered(failure: Failure) -> Finding:
    return _key_finding("wallet", State.SKIPPED, f"the relayer did not say: {failure.text}")


def _paper_key(settings: Settings, state: Path) -> tuple[Address | None, tuple[Finding, ...]]:
    folder = state / settings.profile
    if not (folder / PAPER_KEY_FILE).exists():
        text = "the paper account is made when it is first used"
        return None, (_key_finding("key", State.OK, text, kind="paper"),)
    try:
        address = Signer(load_paper_key(folder)).address
    except (OSError, ConfigError) as error:
        text = str(error).removesuffix(f"; {NEW_ACCOUNT}")
        return None, (_key_finding("key", State.PROBLEM, text, NEW_ACCOUNT, kind="paper"),)
    text = f"{address}, of the paper account"
    return address, (_key_finding("key", State.OK, text, kind="paper", address=address),)


def _variable(settings: Settings, state: Path) -> tuple[Address | None, tuple[Finding, ...]]:
    assert settings.private_key is not None
    secret = read_key_variable(settings.private_key)
    if isinstance(secret, str):
        remedy = f"correct or unset {KEY_VARIABLE}"
        return None, (_key_finding("key", State.PROBLEM, secret, remedy, kind="environment"),)
    address = Signer(secret).address
    if reason := why_refused(secret, settings, state):
        return address, (_key_finding("key", State.PROBLEM, reason, f"unset {KEY_VARIABLE}"),)
    finding = _key_finding(
        "key", State.WARNING, f"{address}, from {KEY_VARIABLE}",
        "a keystore keeps the key encrypted: pmtui account import", kind="environment",
        address=address,
    )  # fmt: skip
    return address, (finding, *_cleartext(settings))


def _keystore(path: Path) -> tuple[Address | None, Finding]:
    try:
        text = read_keystore(path)
    except ConfigError as error:
        remedy = "see who could have written it; then chmod go-w"
        return None, _key_finding("key", State.PROBLEM, str(error), remedy, kind="keystore")
    except OSError as error:
        text = f"{path}: {error.strerror or error}"
        return None, _key_finding("key", State.PROBLEM, text, f"chmod 600 {path}", kind="keystore")
    if isinstance(text, KeystoreProblem):
        remedy = "put your copy of the keystore in its place"
        return None, _key_finding(
            "key", State.PROBLEM, f"{path}: {text.value}", remedy, kind="keystore"
        )
    owner = keystore_address(text)
    if stat.S_IMODE(path.stat().st_mode) & _OTHERS:
        words = f"{path} can be read or written by others"
        return owner, _key_finding(
            "key", State.WARNING, words, f"chmod 600 {path}", kind="keystore"
        )
    if owner is None:
        text = f"{path} does not say its address, so only its passphrase shows whether it is sound"
        remedy = "open it once: pmtui account show"
        return None, _key_finding("key", State.WARNING, text, remedy, kind="keystore")
    words = f"{owner}, keystore {path}"
    return owner, _key_finding("key", State.OK, words, kind="keystore", address=owner)


def _cleartext(settings: Settings) -> tuple[Finding, ...]:
    exposed = cleartext_addresses(settings)
    if not exposed:
        return ()
    text = f"{' and '.join(exposed)}: not encrypted, so the key is not used there"
    return (_key_finding("encryption", State.PROBLEM, text, CLEARTEXT.partition(";")[2].strip()),)


def _key_finding(
    name: str, state: State, text: str, remedy: str = "", **figures: Figure
) -> Finding:
    return Finding(Subject.ACCOUNT, name, state, text, remedy, figures)
