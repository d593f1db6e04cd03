"""The form that sends collateral to an address typed twice, or one of the address book."""

from collections.abc import Collection
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.getters import query_one
from textual.widgets import Input
from typing_extensions import override

from pmtui.domain.account.address_book import (
    AddressBook,
    Contact,
    is_same_address,
    why_no_address,
)
from pmtui.domain.account.wallet_steps import Send
from pmtui.domain.formats import exact_dollars
from pmtui.domain.ids import Address
from pmtui.domain.money import Micros
from pmtui.ui.cells import Line
from pmtui.ui.frame import is_live
from pmtui.ui.plain import plain
from pmtui.ui.surface import Surface
from pmtui.ui.theme.theme import Role
from pmtui.ui.ticket.paint_ticket import paint_text
from pmtui.ui.wallet.wallet_form import WalletStepForm, read_amount

FIRST_USE = "First use of this address: nothing was sent to it from here before. Check every digit."
DIFFERENT = "The two addresses differ"
_LISTED = 4
_LONGEST = 64


class AddressField(Input, inherit_bindings=False):
    """A field for an address or a name; enter is left to the form."""

    BINDINGS: ClassVar[list[BindingType]] = [
        b for b in Input.BINDINGS if not (isinstance(b, Binding) and b.key == "enter")
    ]

    def __init__(self, *, id: str) -> None:  # noqa: A002 - Textual's word
        """Start empty."""
        super().__init__(id=id, compact=True, max_length=_LONGEST)
        self.cursor_blink = False


class SendForm(WalletStepForm):
    """Takes an address twice and an amount; a name of the address book needs no repetition."""

    DEFAULT_CSS = """
    SendForm AddressField { width: 1fr; }
    """

    recipient = query_one("#to", AddressField)
    again = query_one("#again", AddressField)

    def __init__(
        self, surface: Surface, *, cash: Micros | None, book: AddressBook,
        sent_to: Collection[Address],
    ) -> None:  # fmt: skip
        """Ask for recipient and amount."""
        known = [plain(contact.name, 20) for contact in book.contacts[:_LISTED]]
        more = len(book.contacts) - len(known)
        names = ", ".join(known) + (f" and {more} more" if more > 0 else "")
        about = f"Address book: {names}" if names else "The address book is empty."
        there = "" if cash is None else f"of {exact_dollars(cash)} free"
        super().__init__(surface, heading="Send cash (pUSD on Polygon)", subject=about, says=there)
        self._cash = cash
        self._book = book
        self._sent_to = sent_to
        self._checked: dict[str, str] = {}
        """Checksum problems of addresses that the service has checked."""

    @override
    def compose_entries(self) -> ComposeResult:
        yield self.labelled("To", AddressField(id="to"))
        yield self.labelled("Again", AddressField(id="again"))
        yield from super().compose_entries()

    @property
    def _contact(self) -> Contact | None:
        return self._book.find(self.recipient.value)

    @override
    def read(self) -> Send | str:
        contact, typed = self._contact, self.recipient.value
        if contact is None:
            if problem := self._why_no_recipient():
                return problem
            if not self.again.value.strip():
                return "Type the address a second time"
            if not is_same_address(typed, self.again.value):
                return DIFFERENT
        amount = read_amount(self.amount.value, self._cash, "dollars")
        if isinstance(amount, str):
            return amount
        return Send(contact.address if contact is not None else typed.strip(), amount)

    @override
    def foresee(self) -> tuple[Line, ...]:
        contact = self._contact
        texts: list[tuple[str, Role]] = []
        problem = self._early_problem()
        if problem:
            texts.append((problem, Role.NOTICE_BAD))
        if contact is not None:
            said = f"{plain(contact.name)} is {contact.address}: no need to type it again"
            texts.append((said, Role.TEXT))
        address = contact.address if contact is not None else self.recipient.value
        if not problem and (contact is not None or not why_no_address(address)):
            texts += [(FIRST_USE, Role.NOTICE_WARN)] if is_first_use(address, self._sent_to) else []
        step = self.read()
        if not isinstance(step, str) and self._cash is not None:
            after = Micros(self._cash - step.amount)
            texts.append((f"{exact_dollars(after)} cash after", Role.TEXT))
        return tuple(line for text, role in texts for line in paint_text(text, self.inner, role))

    def _why_no_recipient(self) -> str:
        typed = self.recipient.value.strip()
        if problem := why_no_address(typed):
            is_name = bool(typed) and not typed.lower().startswith("0x")
            return "The address book has no such name" if is_name else problem
        return self._checked.get(typed, "")

    def _early_problem(self) -> str:
        """Return a problem once it is certain: of a field that was left, or is complete."""
        typed, again = self.recipient.value.strip(), self.again.value.strip()
        if self._contact is not None or not typed:
            return ""
        is_complete = not self.recipient.has_focus or not why_no_address(typed)
        if is_complete and (problem := self._why_no_recipient()):
            return problem
        is_repeated = not self.again.has_focus or not why_no_address(again)
        return DIFFERENT if again and is_repeated and not is_same_address(typed, again) else ""

    @on(Input.Changed, "#to")
    def _ask_for_checksum(self) -> None:
        typed = self.recipient.value.strip()
        if self._contact is None and not why_no_address(typed) and typed not in self._checked:
            _ = self.run_worker(self._check(typed), exit_on_error=True)

    async def _check(self, typed: str) -> None:
        self._checked[typed] = await self.surface.commands.check_address(typed)
        if is_live(self):
            self.show_state()

    @on(Input.Blurred)
    def _on_left(self) -> None:
        self.show_state()


def is_first_use(address: str, sent_to: Collection[Address]) -> bool:
    """Return whether nothing was sent to an address before, as far as the journal knows."""
    return not any(is_same_address(address, each) for each in sent_to)
