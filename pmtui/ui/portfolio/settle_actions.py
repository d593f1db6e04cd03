"""Turns positions into cash without a trade: redeem, merge, convert; and cash into both outcomes.

A form asks for an amount where one is needed, and a card always asks for confirmation.
"""

from collections.abc import Mapping
from enum import StrEnum

from pmtui.domain.account.position import LEAST_HELD, Position
from pmtui.domain.account.wallet_steps import HeldOutcome, QuestionState, Redeem, Settlement
from pmtui.domain.ids import ConditionId, EventId, TokenId
from pmtui.domain.money import notional_floor
from pmtui.service.wallet.wallet_views import WalletView
from pmtui.ui.cells import Cell, Line
from pmtui.ui.facts import key_of
from pmtui.ui.format import format_money
from pmtui.ui.keys.actions import Keymap
from pmtui.ui.market.market_model import title_of
from pmtui.ui.message_line import MessageLine
from pmtui.ui.plain import plain
from pmtui.ui.surface import Surface
from pmtui.ui.theme.theme import Role
from pmtui.ui.wallet.convert_form import ConvertForm
from pmtui.ui.wallet.wallet_flow import WalletFlow, why_no_wallet
from pmtui.ui.wallet.wallet_form import MergeForm, SplitForm

NOT_RESOLVED = "Not resolved yet: nothing to redeem."
NOTHING_RESOLVED = "No resolved market is held: nothing to redeem."
NOT_KNOWN = "Checking whether this market is resolved; try again in a moment."
NOTHING_TO_MERGE = "Merging takes shares of both outcomes of a market."
NOTHING_TO_CONVERT = "Converting takes No shares in an event with one winner (neg-risk)."
_STANDINGS = {
    QuestionState.WON: ("won", Role.NOTICE_GOOD),
    QuestionState.LOST: ("lost", Role.NOTICE_BAD),
    QuestionState.SHARED: ("shared", Role.NOTICE_WARN),
}


class SettleAction(StrEnum):
    """What the trader wants done with positions."""

    REDEEM = "redeem"
    REDEEM_ALL = "redeem all"
    MERGE = "merge"
    SPLIT = "split"
    CONVERT = "convert"


class SettleActions:
    """Starts the wallet step for an action, or shows why there is none."""

    def __init__(self, surface: Surface, flow: WalletFlow, line: MessageLine) -> None:
        """Build for one screen.

        Args:
            surface: the service and the user's choices.
            flow: runs wallet steps over the screen.
            line: shows what cannot be done.
        """
        self._surface = surface
        self._flow = flow
        self._line = line
        self.marked: frozenset[ConditionId] = frozenset()
        """The markets marked to be redeemed together."""

    def mark(self, condition_id: ConditionId) -> bool:
        """Mark or unmark a resolved market; show why it cannot be, and return whether it was."""
        found = settlement_of(self._surface.queries.wallet(), condition_id)
        if found is None or not found.is_resolved:
            self._line.show("Only resolved markets are marked, to be redeemed together.")
            return False
        self.marked = self.marked ^ {condition_id}
        return True

    def take(self, action: SettleAction, position: Position | None) -> None:
        """Start an action on the market of a position."""
        if reason := why_no_wallet(self._surface):
            self._line.show(reason)
        elif action is SettleAction.REDEEM_ALL:
            self._redeem_all()
        elif action is SettleAction.REDEEM and self.marked:
            self._redeem_marked()
        elif action is SettleAction.REDEEM and not self._is_resolved(position):
            self._redeem_what_can(position)
        elif position is None:
            self._line.show("No position here.")
        elif action is SettleAction.SPLIT:
            self._split(position)
        else:
            self._settle(action, position)

    def _settle(self, action: SettleAction, position: Position) -> None:
        view = self._surface.queries.wallet()
        found = settlement_of(view, position.condition_id)
        if found is None:
            self._line.show(NOT_KNOWN)
        elif action is SettleAction.REDEEM:
            self._flow.take(Redeem((found.condition_id,)))
        elif action is SettleAction.MERGE:
            if found.mergeable:
                self._flow.ask(MergeForm(self._surface, found))
            else:
                self._line.show(NOTHING_TO_MERGE)
        else:
            self._convert(view, found)

    def _is_resolved(self, position: Position | None) -> bool:
        view = self._surface.queries.wallet()
        found = None if position is None else settlement_of(view, position.condition_id)
        return found is not None and found.is_resolved

    def _redeem_what_can(self, position: Position | None) -> None:
        """Redeem every resolved market, with a card that lists them; the one at the cursor is none."""
        view = self._surface.queries.wallet()
        found = None if position is None else settlement_of(view, position.condition_id)
        if found is not None and found.is_disputed:
            self._line.show("Its answer is disputed: it pays once that is settled.")
        elif view.redeemable:
            self._flow.take(Redeem())
        elif position is not None and found is None:
            self._line.show(NOT_KNOWN)
        else:
            self._line.show(NOT_RESOLVED if found is not None else NOTHING_RESOLVED)

    def _redeem_marked(self) -> None:
        held = {each.condition_id for each in self._surface.queries.wallet().redeemable}
        chosen = tuple(sorted(self.marked & held))
        self.marked = frozenset()
        if chosen:
            self._flow.take(Redeem(chosen))
        else:
            self._line.show("What was marked is redeemed already.")

    def _redeem_all(self) -> None:
        if self._surface.queries.wallet().redeemable:
            self._flow.take(Redeem())
        else:
            self._line.show(NOTHING_RESOLVED)

    def _split(self, position: Position) -> None:
        view = self._surface.queries.wallet()
        found = settlement_of(view, position.condition_id)
        if found is not None and found.is_resolved:
            self._line.show("This market is resolved: only what is held can be redeemed.")
            return
        # This name starts with the outcome: the question alone would be cropped before it.
        name = title_of(self._surface.queries, position.condition_id)
        title = found.title if found is not None else name
        cash = self._surface.queries.account().available
        self._flow.ask(SplitForm(self._surface, position.condition_id, title=title, cash=cash))

    def _convert(self, view: WalletView, found: Settlement) -> None:
        if not found.convertible:
            self._line.show(NOTHING_TO_CONVERT)
            return
        event = self._surface.queries.event(EventId(found.event_id)).event
        same = tuple(
            each
            for each in view.settlements
            if each.convertible
            and (each.event_id == found.event_id if found.event_id else each is found)
        )
        title = event.title if event is not None else found.title
        form = ConvertForm(self._surface, same, found.condition_id, event=title)
        self._flow.ask(form)


def settlement_of(view: WalletView, condition_id: ConditionId) -> Settlement | None:
    """Return the settlement of a held market; None while it is unknown."""
    return next((s for s in view.settlements if s.condition_id == condition_id), None)


def standing_notes(view: WalletView) -> Mapping[TokenId, Cell]:
    """Return a word for every held outcome: its standing, or what can be done with it."""
    notes: dict[TokenId, Cell] = {}
    for settlement in view.settlements:
        for outcome in settlement.outcomes:
            if outcome.size:
                notes[outcome.token_id] = _note(settlement, outcome)
    return notes


def _note(settlement: Settlement, outcome: HeldOutcome) -> Cell:
    if outcome.standing is not QuestionState.OPEN:
        return Cell(*_STANDINGS[outcome.standing])
    if settlement.is_disputed:
        return Cell("disputed", Role.NOTICE_WARN)
    if settlement.mergeable >= LEAST_HELD:
        return Cell("mergeable", Role.NOTICE_GOOD)
    return Cell("")


def describe_standing(view: WalletView, position: Position, keymap: Keymap) -> Line:
    """Paint the standing of a position's market, its payout, and the key that collects it."""
    settlement = settlement_of(view, position.condition_id)
    held = settlement.outcomes if settlement is not None else ()
    outcome = next((each for each in held if each.token_id == position.token_id), None)
    if settlement is None or outcome is None:
        return ()
    if outcome.payout is not None:
        paid = notional_floor(outcome.payout, outcome.size)
        word, role = _STANDINGS[outcome.standing]
        key = key_of(keymap, "portfolio.redeem")
        text = f"{word.upper()}: pays {format_money(paid)}"
        if settlement.redeems != paid:
            # Redeeming takes both outcomes, whichever is selected.
            text += f", both outcomes {format_money(settlement.redeems)}"
        text += f", {key} redeems"
        return (Cell(text, role),)
    if settlement.is_disputed:
        return (Cell("DISPUTED: pays once that is settled", Role.NOTICE_WARN),)
    if settlement.mergeable >= LEAST_HELD:
        key = key_of(keymap, "portfolio.merge")
        shares = format_money(settlement.mergeable)
        other = plain(next(o.label for o in held if o is not outcome), 16)
        return (Cell(f"{key} merges it with {other} for {shares}", Role.NOTICE_GOOD),)
    if settlement.convertible and outcome is held[1]:
        key = key_of(keymap, "portfolio.convert")
        return (Cell(f"{key} converts it into Yes of the others", Role.DIM),)
    return ()
