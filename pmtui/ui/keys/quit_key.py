"""The key that quits, and its question where orders rest or are watched over here only."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from textual.app import App

from pmtui.domain.conditionals.alerts import AlertState
from pmtui.domain.conditionals.conditional import Conditional
from pmtui.domain.orders.heartbeat import ExitPolicy, HeartbeatPolicy, describe_exit
from pmtui.service.views import Mode, StatusView
from pmtui.ui.cells import Cell, Line, line_width
from pmtui.ui.keys.leave_card import KEEP, LeaveCard, choices_of, what_goes_on
from pmtui.ui.market.market_model import title_of
from pmtui.ui.plain import plain
from pmtui.ui.portfolio.paint_orders import (
    LINE_WIDTH,
    paint_resting_orders,
    paint_unknown_orders,
)
from pmtui.ui.question import QuestionScreen
from pmtui.ui.surface import Surface
from pmtui.ui.theme.theme import Role
from pmtui.ui.ticket.paint_conditional import paint_protection

MOST_LISTED = 3
_LEAST_TITLE = 16


class QuitKey:
    """Ends the program, after a question where that changes something."""

    def __init__(self, app: App[Any], surface: Surface, policy: ExitPolicy) -> None:
        """Ask before an application ends.

        Args:
            app: the application.
            surface: the service and the user's choices.
            policy: what becomes of open orders when the trader quits.
        """
        self._app = app
        self._surface = surface
        self._policy = policy
        self.stop_policy: str | None = None
        """With which `ExitPolicy` the service is to stop, where it lives on its own."""

    def press(self) -> None:
        """Quit, or ask."""
        if self._surface.loss is not None:
            # Nothing runs that could be left running, or asked for anything.
            self._app.exit()
            return
        if self._surface.options.is_attached:
            self._leave()
            return
        queries = self._surface.queries
        account = queries.account()
        orders, awake = account.open_orders, account.awake
        if not orders and not awake:
            self._app.exit()
            return

        def decide(is_agreed: bool | None) -> None:  # noqa: FBT001 - Textual's callback
            if is_agreed:
                self._app.exit()

        lines: tuple[Line, ...] = paint_ending(awake)
        if orders:
            lines = (
                *lines,
                *paint_resting_orders(orders, partial(title_of, queries)),
                *paint_unknown_orders(orders),
                paint_leaving(self._policy, queries.status()),
            )
        title = title_leaving(has_orders=bool(orders), has_awake=bool(awake))
        label = label_leaving(self._policy) if orders else "Quit"
        question = QuestionScreen(title, lines, agree=label, options=self._surface.options)
        _ = self._app.push_screen(question, decide)

    def _leave(self) -> None:
        """Leave the service, or ask what is to become of it where something depends on it."""
        queries = self._surface.queries
        account, status = queries.account(), queries.status()
        waiting = [a for a in queries.watchlist().alerts if a.alert.state is AlertState.WAITING]
        lines = what_goes_on(account, status, len(waiting))
        if not lines:
            self._app.exit()
            return

        def decide(choice: str | None) -> None:
            if choice:
                self.stop_policy = None if choice == KEEP else choice
                self._app.exit()

        choices = choices_of(
            has_orders=bool(account.open_orders),
            has_heartbeat=status.heartbeat.policy is not HeartbeatPolicy.OFF,
        )
        card = LeaveCard(lines, choices, options=self._surface.options)
        _ = self._app.push_screen(card, decide)


def paint_leaving(policy: ExitPolicy, status: StatusView) -> Line:
    """Name the trader's choice and what comes of it."""
    text = describe_exit(
        policy,
        is_switch_armed=status.heartbeat.state.is_armed_at_venue,
        is_paper=status.mode is Mode.PAPER,
    )
    return (Cell(f"{text} (on_quit = {policy.value})", Role.NOTICE_WARN),)


def label_leaving(policy: ExitPolicy) -> str:
    """Say what the agreeing key does."""
    return "Cancel and quit" if policy is ExitPolicy.CANCEL else "Quit"


def paint_ending(awake: Sequence[Conditional]) -> tuple[Line, ...]:
    """Name the conditional orders that nobody watches over once this program has ended."""
    if not awake:
        return ()
    count = len(awake)
    text = (
        "1 stop is inactive while pmtui is closed, and paused on the next start:"
        if count == 1
        else f"{count} stops are inactive while pmtui is closed, and paused on the next start:"
    )
    lines: list[Line] = [(Cell(text, Role.NOTICE_WARN),)]
    for each in awake[:MOST_LISTED]:
        known = (Cell("  "), *paint_protection(each), Cell("  "))
        title = plain(each.title, max(LINE_WIDTH - line_width(known), _LEAST_TITLE))
        lines.append((*known, Cell(title, Role.DIM)))
    if count > MOST_LISTED:
        lines.append((Cell(f"  and {count - MOST_LISTED} more", Role.DIM),))
    return tuple(lines)


def title_leaving(*, has_orders: bool, has_awake: bool) -> str:
    """Ask whether to quit, and say what for there is a question."""
    if has_orders and has_awake:
        return "Quit with working orders and active stops?"
    return "Quit with working orders?" if has_orders else "Quit with active stops?"
