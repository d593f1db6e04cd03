"""One transaction of the wallet in full: its state, its ids, its times and its calls."""

from collections.abc import Iterable
from typing import ClassVar

from textual.binding import BindingType
from typing_extensions import override

from pmtui.domain.account.wallet_transactions import TransactionKey
from pmtui.service.topics import Topic, WalletTopic
from pmtui.service.wallet.wallet_views import TransactionView
from pmtui.ui.cells import Cell, Line, Row
from pmtui.ui.explore.reading import ReadingScreen
from pmtui.ui.keys.action_table import Context
from pmtui.ui.keys.actions import bindings_for
from pmtui.ui.surface import Surface
from pmtui.ui.wallet.paint_card import holdings_of
from pmtui.ui.wallet.paint_transactions import paint_transaction


class TransactionScreen(ReadingScreen):
    """What a transaction of the wallet does, and how it stands."""

    ABOUT: ClassVar[str] = "What a transaction of the wallet does, and how it stands."

    CONTEXTS: ClassVar[tuple[Context, ...]] = (Context.TRANSACTION,)
    BINDINGS: ClassVar[list[BindingType]] = bindings_for(Context.TRANSACTION)

    def __init__(self, surface: Surface, key: TransactionKey) -> None:
        """Show the transaction of this key."""
        super().__init__(surface)
        self._key = key

    def action_switch_following(self) -> None:
        """Ask no more about the transaction, or ask again."""
        found = self._transaction()
        if found is None or found.status.is_over or not found.is_ours:
            self.message_line.show(
                "This transaction is over, or not yours: there is nothing to check."
            )
        elif found.is_followed:
            self.surface.commands.stop_following(self._key)
            self.message_line.show("No longer checked; it may still be carried out.")
        else:
            self.surface.commands.follow_again(self._key)
            self.message_line.show("Checked again until it ends.")

    @override
    def topics(self) -> Iterable[Topic]:
        return (WalletTopic(),)

    @override
    def heading_words(self) -> tuple[str, str]:
        found = self._transaction()
        return "Transaction", found.title if found is not None else ""

    @override
    def to_copy(self) -> tuple[str, str]:
        found = self._transaction()
        return ("transaction hash", found.hash) if found is not None else ("", "")

    @override
    def rows(self, width: int) -> tuple[Row, ...]:
        found = self._transaction()
        if found is None:
            return (Row("gone", (Cell("The relayer does not list it any more."),)),)
        view, now = self.surface.queries.wallet(), self.surface.queries.now()
        names = holdings_of(view, self.surface.queries.address_book()).names
        lines = paint_transaction(found, width, names=names, now=now)
        return tuple(Row(f"{number}", (_joined(line),)) for number, line in enumerate(lines))

    def _transaction(self) -> TransactionView | None:
        listed = self.surface.queries.wallet().transactions
        return next((each for each in listed if each.key == self._key), None)


def _joined(line: Line) -> Cell:
    """Return a line as the one cell that a reading screen shows."""
    if not line:
        return Cell("")
    text = "".join(cell.text for cell in line)
    return line[-1]._replace(text=text)
