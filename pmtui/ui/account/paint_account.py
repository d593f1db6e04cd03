"""Paints the account screen: a row for every line, the next step, and one line in full."""

from collections.abc import Sequence
from datetime import datetime

from pmtui.domain.account.keys import KeyKind
from pmtui.domain.account.onboarding import Onboarding, SetupState, next_step
from pmtui.service.views import StatusView
from pmtui.ui.account.account_line import AccountLine
from pmtui.ui.account.onboarding_lines import describe_remedy_briefly
from pmtui.ui.cells import Cell, Column, Emphasis, Line, Row
from pmtui.ui.explore.paint_reading import wrap_text
from pmtui.ui.facts import join_facts, key_of
from pmtui.ui.format import format_age
from pmtui.ui.keys.actions import Keymap
from pmtui.ui.plain import Align, cell_width, plain
from pmtui.ui.theme.theme import Role
from pmtui.ui.widgets.panel import fit_title

ACCOUNT_COLUMNS = (
    Column("number", "", 2, priority=2, align=Align.RIGHT),
    Column("state", "State", 12),
    Column("step", "Step", 18),
    Column("result", "What is known", 16, grow=1),
    Column("age", "Age", 5, priority=1, align=Align.RIGHT),
)
_AGE_STEP_S = 10
_RUNNING = ("…", Role.STALE)
BESIDE_RESULT = sum(column.width + 1 for column in ACCOUNT_COLUMNS if not column.grow) + 1
"""Cells that the other columns and the scroll bar take, gaps included."""
_SIGNS = {
    SetupState.DONE: ("+", Role.NOTICE_GOOD),
    SetupState.NOT_DONE: ("x", Role.NOTICE_BAD),
    SetupState.NOT_KNOWN: ("?", Role.STALE),
    SetupState.NOT_NEEDED: ("-", Role.DIM),
}


def paint_account_row(line: AccountLine, now: datetime, room: int) -> Row:
    """Paint a line; its state has a sign and a word, and a failed check stands beside the result.

    Args:
        line: what to show.
        now: for its age.
        room: cells for the result; an address is shown whole where it fits.
    """
    sign, role = _RUNNING if line.is_running else _SIGNS[line.state]
    word = "running" if line.is_running else line.state.value
    is_wanting = line.state in (SetupState.NOT_DONE, SetupState.NOT_KNOWN)
    text = line.with_whole_address
    text = text if cell_width(text) <= room else line.result
    result = Cell(text, role if is_wanting else Role.TEXT)
    if line.problem:
        result = Cell(f"{text}; failing: {line.problem}", Role.STALE)
    return Row(
        line.key,
        (
            Cell(f"{line.number}" if line.number else "", Role.DIM),
            Cell(f"{sign} {word}", role),
            Cell(line.words.title, Role.HEADING if line.number else Role.TEXT),
            result,
            Cell(_age(line.as_of, now), Role.STALE if line.problem else Role.DIM),
        ),
    )


def paint_account_heading(
    lines: Sequence[AccountLine], status: StatusView, *, is_asking: bool, width: int
) -> tuple[Line, Line]:
    """Paint the account's name, and at the right whether anything prevents trading."""
    following = next_step(lines)
    failing = sum(bool(each.problem) for each in lines if each.number)
    running = next((each for each in lines if each.is_running and each.number), None)
    if running is not None:
        way = Cell(f"running: {running.words.title}", Role.STALE, Emphasis.BOLD)
    elif following is None:
        way = Cell("every step is done", Role.VERIFIED, Emphasis.BOLD)
    else:
        role = Role.NOTICE_WARN if following.state is SetupState.NOT_DONE else Role.STALE
        way = Cell(f"{following.state.value}: {following.words.title}", role, Emphasis.BOLD)
    lost: Line = (Cell(f"{failing} could not be checked", Role.STALE),) if failing else ()
    asking: Line = (Cell("asking…", Role.DIM),) if is_asking else ()
    names = (Cell("ACCOUNT", Role.HEADING),), (Cell(plain(status.profile, 24), Role.DIM),)
    return fit_title(names, ((way,), lost, asking), width)


def paint_account_way(
    facts: Onboarding, lines: Sequence[AccountLine], status: StatusView, width: int, *,
    keymap: Keymap,
) -> Line:  # fmt: skip
    """Paint the next step, or what this account is when nothing is left to do."""
    if facts.identity is None and facts.key_problem:
        return join_facts([], width, tail=describe_remedy_briefly(facts))
    running = next((each for each in lines if each.is_running and each.number), None)
    following = running or next_step(lines)
    if following is not None:
        return join_facts([], width, tail=describe_next(following, keymap))
    if status.kill_lock:
        return join_facts([], width, tail=plain(status.kill_lock))
    if facts.identity is not None and facts.identity.kind is KeyKind.PAPER:
        return join_facts(
            [], width, tail="Play money on the local venue; it needs nothing of yours."
        )
    return join_facts([], width, tail="This account can trade.")


def describe_next(line: AccountLine, keymap: Keymap) -> str:
    """Return which key takes the next step, or why none does."""
    if line.is_running:
        return f"{line.words.title}: {line.result}"
    if line.does is not None:
        key = key_of(keymap, "account.take_next")
        return f"{key}: {line.label.lower()}. {line.to_do or line.problem}".rstrip()
    return line.to_do or line.problem


def paint_account_details(line: AccountLine, width: int, height: int) -> tuple[Line, ...]:
    """Paint a line in full, cropped to the height: the result, what to do, and what it is."""
    shown: list[Line] = [(Cell(text),) for text in wrap_text(line.full, width)]
    if line.problem:
        shown += _wrapped(f"Not checked now: {line.problem}", width, Role.STALE)
    if line.to_do:
        shown += _wrapped(line.to_do, width, Role.NOTICE_WARN)
    shown += _wrapped(f"{line.words.meaning} {line.words.signing}", width, Role.DIM)
    return tuple(shown[:height])


def paint_explanation(line: AccountLine, now: datetime, width: int) -> tuple[Cell, ...]:
    """Paint the explanation of a line, one cell for each line of text."""
    checked = f", checked {_ago(line.as_of, now)}" if line.as_of is not None else ""
    asked = f" (asked {_ago(line.asked_at, now)})" if line.asked_at is not None else ""
    sections = (
        ("State", f"{line.state.value}{checked}"),
        ("What is known", line.full),
        ("Why it was not checked", f"{line.problem}{asked}"),
        ("What to do", line.to_do),
        ("What it is", line.words.meaning),
        ("What is signed", line.words.signing),
    )
    lines: list[Cell] = []
    for heading, text in sections:
        if text:
            lines += [Cell(heading, Role.HEADING, Emphasis.BOLD)]
            lines += [Cell(part) for part in wrap_text(text, width)]
            lines += [Cell("")]
    return tuple(lines)


def _age(as_of: datetime | None, now: datetime) -> str:
    """Return an age in steps of ten seconds: a dozen lines of seconds would never settle."""
    if as_of is None:
        return ""
    age_s = (now - as_of).total_seconds()
    return format_age(age_s - age_s % _AGE_STEP_S) if age_s >= _AGE_STEP_S else "now"


def _ago(as_of: datetime | None, now: datetime) -> str:
    age = _age(as_of, now)
    return f"{age} ago" if age != "now" else "just now"


def _wrapped(text: str, width: int, role: Role) -> list[Line]:
    return [(Cell(part, role),) for part in wrap_text(text, width)]
