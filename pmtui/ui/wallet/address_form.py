"""The form that names an address for sending, or forgets a name."""

from collections.abc import Awaitable
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.getters import query_one
from textual.widgets import Input
from typing_extensions import override

from pmtui.domain.account.address_book import AddressBook, why_no_address
from pmtui.ui.cells import Cell, Emphasis, Line
from pmtui.ui.frame import is_live
from pmtui.ui.keys.action_table import Context
from pmtui.ui.keys.actions import bindings_for
from pmtui.ui.modal import Modal
from pmtui.ui.plain import plain
from pmtui.ui.surface import Surface
from pmtui.ui.theme.theme import Role
from pmtui.ui.ticket.fields import TextBlock
from pmtui.ui.ticket.paint_ticket import paint_text
from pmtui.ui.wallet.send_form import AddressField
from pmtui.ui.widgets.text_line import TextLine, answer_keys

_LISTED = 8
FORGET = "A known name without an address forgets it."


class AddressForm(Modal[str]):
    """Takes a name and an address; returns the result."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_for(Context.CONFIRM)

    DEFAULT_CSS = """
    AddressForm .label { width: 9; }
    AddressForm AddressField { width: 1fr; }
    AddressForm #listed, AddressForm #state { height: auto; }
    """

    name_field = query_one("#name", AddressField)
    address_field = query_one("#address", AddressField)
    state = query_one("#state", TextBlock)

    def __init__(self, surface: Surface) -> None:
        """Start empty."""
        super().__init__()
        self._surface = surface

    @property
    def _book(self) -> AddressBook:
        return self._surface.queries.address_book()

    @override
    def compose(self) -> ComposeResult:
        with Vertical(classes="frame"):
            yield TextLine((Cell("Address book", Role.HEADING, Emphasis.BOLD),))
            yield TextBlock(id="listed")
            for name, label in (("name", "Name"), ("address", "Address")):
                with Horizontal(classes="row"):
                    yield TextLine((Cell(label),), classes="label")
                    yield AddressField(id=name)
            yield TextBlock(id="state")
            yield answer_keys("Keep", self._surface.options, width=self.inner)

    def on_mount(self) -> None:
        """List the known names."""
        self.query_one("#listed", TextBlock).show(self._listed())
        self.state.show(((Cell(FORGET, Role.DIM),),))
        self.name_field.focus()

    def action_accept(self) -> None:
        """Save the name, or forget it if it has no address."""
        known = self._book.find(self.name_field.value)
        if known is not None and not self.address_field.value.strip():
            text = f"Forgot the name {known.name}."
            _ = self.run_worker(
                self._end(self._surface.commands.forget_address(known.address), text)
            )
        elif problem := why_no_address(self.address_field.value):
            self._complain(problem)
        else:
            address, name = self.address_field.value.strip(), self.name_field.value.strip()
            text = f"{plain(name)} is {address}"
            _ = self.run_worker(self._end(self._surface.commands.name_address(address, name), text))

    def action_decline(self) -> None:
        """Close without a change."""
        _ = self.dismiss("")

    @on(Input.Changed)
    def _on_typed(self) -> None:
        self.state.show(((Cell(FORGET, Role.DIM),),))

    async def _end(self, change: Awaitable[str], text: str) -> None:
        problem = await change
        if not is_live(self):
            return
        if problem:
            self._complain(problem)
        else:
            _ = self.dismiss(text)

    def _complain(self, problem: str) -> None:
        self.state.show(paint_text(plain(problem), self.inner, Role.NOTICE_BAD))

    def _listed(self) -> tuple[Line, ...]:
        book = self._book
        if book.problem:
            return ((Cell(plain(book.problem, self.inner), Role.NOTICE_WARN),),)
        lines: list[Line] = [
            (Cell(f"{plain(contact.name, 18):<18}  ", Role.KEY), Cell(contact.address))
            for contact in book.contacts[:_LISTED]
        ]
        more = len(book.contacts) - len(lines)
        return (*lines, (Cell(f"and {more} more", Role.DIM),)) if more > 0 else tuple(lines)
