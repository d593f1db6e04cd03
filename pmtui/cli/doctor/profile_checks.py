"""What lies on this machine: settings, folders, disk, journal, and whether a session runs."""

import shutil
import sqlite3
import time
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

from pmtui.cli.doctor.findings import Figure, Finding, State, Subject
from pmtui.cli.service.shell_line import Silent, find_standing
from pmtui.config.paths import Paths, find_obstacle, why_untrusted
from pmtui.config.settings import Settings
from pmtui.domain.formats import count
from pmtui.domain.health import RateBudget
from pmtui.link.messages import Refused, Standing
from pmtui.service.orders.journal_rows import Damage, JournalProblem, read_lives
from pmtui.service.safety.entry_lock import read_killed
from pmtui.ui.keys.keymap import read_keymap
from pmtui.ui.theme.theme_files import load_themes

FULL_BYTES = 20 << 20
"""Below it, the journal's next pages and the rotating logs (6 MB) may not fit."""
LITTLE_BYTES = 200 << 20
JOURNAL_DEADLINE_S = 20.0
SERVICE_WITHIN_S = 3.0
"""A service answers on its own machine within milliseconds, or hangs."""
_STEPS = 20_000
"""Of SQLite's machine between two looks at the clock."""


def check_settings(settings: Settings, paths: Paths) -> tuple[Finding, ...]:
    """Look at what was read at the start: keys and themes beside the settings themselves."""
    _, problems = read_keymap(settings.for_terminal().keys)
    _, wrong_themes = load_themes(paths.config / "themes")
    path = paths.config_file
    where = str(path) if path.exists() else f"{path} is not there: defaults"
    if problems:
        text = f"config.toml:{problems[0].line}: {problems[0].text}"
        return (_finding("settings", State.PROBLEM, text, f"correct that line of {path}"),)
    if wrong_themes:
        text = f"theme: {wrong_themes[0]}"
        remedy = f"correct or remove that file in {paths.config / 'themes'}"
        return (_finding("settings", State.WARNING, text, remedy),)
    return (_finding("settings", State.OK, where, dialect=settings.dialect.value),)


def check_obstacle(folder: Path) -> tuple[Finding, ...]:
    """Look whether something that is no directory stands where a state directory has to be."""
    obstacle = find_obstacle(folder)
    if obstacle is None:
        return ()
    text = f"{obstacle} is not a directory"
    return (_finding("folder", State.PROBLEM, text, "move it away, or set PMTUI_HOME"),)


def check_folder(folder: Path) -> tuple[Finding, ...]:
    """Look at a profile's state directory and at the room that is left for it."""
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
    """Read the whole journal: whether the file is sound, and what it waits for."""
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
    folder: Path, place: Path, *, is_locked: bool, within_s: float = SERVICE_WITHIN_S
) -> tuple[Finding, ...]:
    """Say whether a service or a terminal runs on the profile, and whether trading is locked.

    Args:
        folder: of the profile's state.
        place: where its service listens, if there is one.
        is_locked: whether a session held the profile before the checks began.
        within_s: how long the service may take to answer.
    """
    standing = await find_standing(place, within_s=within_s)
    findings = [_service(standing, is_locked=is_locked)]
    if isinstance(standing, Standing) and standing.budgets:
        findings.append(_budgets(standing.budgets))
    killed = read_killed(folder)
    if killed is not None:
        since = f" since {killed.at}" if killed.at else ""
        text = f"trading is locked{since} by {killed.by}"
        findings.append(_finding("kill switch", State.WARNING, text, "pmtui release unlocks it"))
    return tuple(findings)


def _service(standing: Standing | Refused | Silent | None, *, is_locked: bool) -> Finding:
    if isinstance(standing, Silent):
        return _finding(
            "service", State.PROBLEM, standing.text, standing.remedy,
            running=True, pid=standing.pid or None,
        )  # fmt: skip
    if isinstance(standing, Refused):
        remedy = "pmtui stop ends it; the next terminal starts one of this version"
        return _finding("service", State.PROBLEM, standing.reason, remedy, running=True)
    if isinstance(standing, Standing):
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
    """Say what the service has left of the trading host's limits, which a new program cannot know."""
    told = [RateBudget(name, left, allowed) for name, (left, allowed) in budgets.items()]
    text = ", ".join(f"{each.left:,} of {each.allowed:,} {each.name} left" for each in told)
    figures = {f"{each.name}_left": each.left for each in told}
    if any(each.is_nearly_spent for each in told):
        remedy = "send less for a minute; cancels have a limit of their own"
        return Finding(Subject.PROFILE, "rate budget", State.WARNING, text, remedy, figures)
    return Finding(Subject.PROFILE, "rate budget", State.OK, text, "", figures)


def _finding(name: str, state: State, text: str, remedy: str = "", **figures: Figure) -> Finding:
    return Finding(Subject.PROFILE, name, state, text, remedy, figures)
