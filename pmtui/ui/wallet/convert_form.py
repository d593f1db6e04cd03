"""The form that converts No shares of an event into Yes shares of its other outcomes."""

from textual.app import ComposeResult
from textual.getters import query_one
from typing_extensions import override

from pmtui.domain.account.wallet_steps import Convert, Settlement
from pmtui.domain.formats import count, exact_dollars, exact_shares
from pmtui.domain.ids import ConditionId
from pmtui.domain.money import ZERO, Micros, format_micros, group_micros
from pmtui.ui.cells import Cell, Column, Line, Row
from pmtui.ui.plain import Align, plain
from pmtui.ui.surface import Surface
from pmtui.ui.theme.theme import Role
from pmtui.ui.ticket.paint_ticket import paint_text
from pmtui.ui.wallet.wallet_form import WalletStepForm, read_amount
from pmtui.ui.widgets.line_table import LineTable
from pmtui.ui.widgets.text_line import TextLine

NOTHING_REALISED = (
    "Nothing is realised: what the No shares cost, less the cash, is what the Yes shares cost."
)
_MOST_ROWS = 8
COLUMNS = (
    Column("mark", "", 1),
    Column("title", "Outcome", 20, grow=1),
    Column("held", "No held", 14, align=Align.RIGHT),
)


class ConvertForm(WalletStepForm):
    """Takes outcomes, chosen with the arrows and enter, and an amount."""

    DEFAULT_CSS = """
    ConvertForm #outcomes { height: auto; max-height: 9; }
    """

    table = query_one("#outcomes", LineTable)

    def __init__(
        self, surface: Surface, held: tuple[Settlement, ...], chosen: ConditionId, *, event: str
    ) -> None:
        """Offer the No shares that are held in an event.

        Args:
            surface: the service and the user's choices.
            held: markets of one event whose No shares can be converted.
            chosen: the market that is chosen at first.
            event: its title, untrusted.
        """
        super().__init__(
            surface, heading="Convert No shares into Yes of the others", subject=event,
            label="Shares", says="of each",
        )  # fmt: skip
        self._held = held
        self._chosen = frozenset({chosen})
        self._offered = ""

    @override
    def compose_entries(self) -> ComposeResult:
        table = LineTable(COLUMNS, id="outcomes")
        table.styles.height = min(len(self._held), _MOST_ROWS) + 1
        yield table
        hint = "tab goes to the list, enter chooses there"
        yield TextLine((Cell(hint, Role.DIM),))
        yield from super().compose_entries()

    @override
    def on_mount(self) -> None:
        # Textual also calls WalletStepForm.on_mount.
        self._show_outcomes()
        self._offer_most()

    @property
    def _most(self) -> Micros:
        sizes = [each.convertible for each in self._held if each.condition_id in self._chosen]
        return min(sizes, default=ZERO)

    def on_line_table_row_selected(self, event: LineTable.RowSelected) -> None:
        """Choose an outcome, or remove it again."""
        event.stop()
        self._chosen = self._chosen ^ {ConditionId(event.key)}
        self._show_outcomes()
        if self.amount.value in ("", self._offered):
            self._offer_most()
        self.show_state()

    @override
    def read(self) -> Convert | str:
        if not self._chosen:
            return "Choose an outcome: tab to the list, enter chooses"
        amount = read_amount(self.amount.value, self._most, "No shares of each")
        if isinstance(amount, str):
            return amount
        ids = tuple(s.condition_id for s in self._held if s.condition_id in self._chosen)
        return Convert(ids, amount)

    @override
    def foresee(self) -> tuple[Line, ...]:
        step = self.read()
        if isinstance(step, str):
            text = "Turns No shares of several outcomes into Yes shares of all others, and pays a dollar for each share of every outcome but one."
            return paint_text(text, self.inner, Role.DIM)
        number = len(step.conditions)
        cash = Micros(step.amount * (number - 1))
        text = f"-{exact_shares(step.amount)} of No in {count(number, 'outcome')}"
        text += f", +{group_micros(step.amount)} Yes of every other"
        text += f", +{exact_dollars(cash)} cash" if cash else ""
        lines = paint_text(text, self.inner)
        return (*lines, *paint_text(NOTHING_REALISED, self.inner, Role.DIM))

    def _offer_most(self) -> None:
        self._offered = format_micros(self._most)
        self.amount.offer(self._offered)

    def _show_outcomes(self) -> None:
        rows = []
        for each in self._held:
            is_chosen = each.condition_id in self._chosen
            cells = (
                Cell("●" if is_chosen else "", Role.KEY),
                Cell(plain(each.title)),
                Cell(group_micros(each.convertible)),
            )
            rows.append(Row(each.condition_id, cells, Role.SPREAD_ROW if is_chosen else None))
        self.table.set_rows(rows)
